/* tests/unit/agent/runtime/test_affinity.c */
#include "agent/runtime/affinity.h"

#include <errno.h>

#include "tests/support/test.h"

static size_t count_of(const bool cpus[SL_AFFINITY_CPUS])
{
    size_t count = 0;
    for (size_t i = 0; i < SL_AFFINITY_CPUS; i++)
        count += cpus[i];
    return count;
}

TEST(thread_stays_on_the_cpu_that_it_is_pinned_to_and_comes_back)
{
    bool before[SL_AFFINITY_CPUS], now[SL_AFFINITY_CPUS];
    uint32_t first = 0;
    assert_false(sl_affinity_is_by_kind());
    sl_affinity_read(before);
    while (!before[first])
        first++;
    assert_int_equal(sl_affinity_pin(first), 0);
    sl_affinity_read(now);
    assert_int_equal(count_of(now), 1);
    assert_true(now[first]);
    assert_int_equal(sl_affinity_set(before), 0);
    sl_affinity_read(now);
    assert_memory_equal(now, before, sizeof(now));
}

TEST(cpus_that_are_not_there_are_refused_and_nothing_changes)
{
    bool before[SL_AFFINITY_CPUS], now[SL_AFFINITY_CPUS], none[SL_AFFINITY_CPUS] = {false};
    sl_affinity_read(before);
    assert_int_equal(sl_affinity_pin(1023), -EINVAL);
    assert_int_equal(sl_affinity_pin(100000), -EINVAL);
    assert_int_equal(sl_affinity_set(none), -EINVAL);
    sl_affinity_read(now);
    assert_memory_equal(now, before, sizeof(now));
}
