/* tests/unit/agent/serve/test_away.c */
#include "agent/serve/away.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/test.h"

static size_t count(const bool cpus[SL_AFFINITY_CPUS])
{
    size_t found = 0;
    for (size_t i = 0; i < SL_AFFINITY_CPUS; i++)
        found += cpus[i];
    return found;
}

/* The first CPU that this process may use, as a list. */
static size_t first_cpu(const bool cpus[SL_AFFINITY_CPUS], char out[16])
{
    size_t first = 0;
    while (!cpus[first])
        first++;
    snprintf(out, 16, "%zu", first);
    return first;
}

TEST(the_caller_leaves_the_measured_cpu_and_comes_back)
{
    bool before[SL_AFFINITY_CPUS], now[SL_AFFINITY_CPUS];
    struct sl_away away;
    char list[16];
    sl_affinity_read(before);
    size_t first = first_cpu(before, list);
    if (count(before) == 1)
        skip();
    sl_away_go(&away, list);
    sl_affinity_read(now);
    assert_false(now[first]);
    assert_int_equal(count(now), count(before) - 1);
    sl_away_return(&away);
    sl_affinity_read(now);
    assert_memory_equal(now, before, sizeof(now));
}

TEST(where_nothing_is_left_or_nothing_is_meant_it_stays)
{
    static const char *const words[] = {"", "all", "no such CPUs", "255"};
    bool before[SL_AFFINITY_CPUS], now[SL_AFFINITY_CPUS];
    sl_affinity_read(before);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        struct sl_away away;
        sl_away_go(&away, words[i]);
        sl_affinity_read(now);
        assert_memory_equal(now, before, sizeof(now));
        sl_away_return(&away);
        sl_away_return(&away);
    }
    sl_affinity_read(now);
    assert_memory_equal(now, before, sizeof(now));
}
