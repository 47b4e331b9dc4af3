/* tests/unit/agent/run/test_threads.c */
#include "agent/run/threads.h"

#include <string.h>

#include "agent/probe/cores.h"
#include "common/base/error.h"
#include "tests/support/test.h"

static struct sl_probe_cores cores;
static struct sl_threads threads;
static bool allowed[SL_AFFINITY_CPUS];

/* A phone: 0 to 3 small, 4 to 6 middle, 7 large. */
static void set_phone(void)
{
    static const int64_t capacity[] = {250, 250, 250, 250, 690, 690, 690, 1024};
    memset(&cores, 0, sizeof(cores));
    cores.count = 8;
    for (uint32_t i = 0; i < 8; i++)
        cores.core[i] = (struct sl_probe_core){
            .index = i, .online = true, .capacity = capacity[i], .max_khz = SL_PROBE_UNKNOWN};
    memset(allowed, true, sizeof(allowed));
}

static int decide(int32_t count, const char *affinity)
{
    struct sl_diag diag;
    const struct sl_threads_asked asked = {.cpu_threads = count, .affinity = affinity};
    return sl_threads_decide(&asked, &cores, allowed, &threads, &diag);
}

static void check_cpus(size_t count, const uint16_t *cpus)
{
    assert_int_equal(threads.cpu_count, count);
    assert_memory_equal(threads.cpus, cpus, count * sizeof(*cpus));
}

TEST(heuristic_counts_performance_cores)
{
    set_phone();
    assert_int_equal(decide(-1, ""), 0);
    assert_int_equal(threads.count, 4);
    assert_int_equal(threads.efficient_cores, 4);
    assert_int_equal(threads.cpu_count, 0);
    allowed[7] = false;
    cores.core[4].online = false;
    assert_int_equal(decide(-1, ""), 0);
    assert_int_equal(threads.count, 2);
}

TEST(cores_of_nearly_one_speed_are_all_performance_cores)
{
    set_phone();
    for (uint32_t i = 0; i < 8; i++) {
        cores.core[i].capacity = SL_PROBE_UNKNOWN;
        cores.core[i].max_khz = i == 7 ? 5100000 : 4800000;
    }
    assert_int_equal(decide(-1, ""), 0);
    assert_int_equal(threads.count, 8);
    assert_int_equal(threads.efficient_cores, 0);
    for (uint32_t i = 0; i < 8; i++)
        cores.core[i].max_khz = SL_PROBE_UNKNOWN; /* nothing is known */
    assert_int_equal(decide(-1, ""), 0);
    assert_int_equal(threads.count, 8);
}

TEST(numbers_are_taken_as_they_are_and_zero_is_every_cpu)
{
    set_phone();
    assert_int_equal(decide(1, ""), 0);
    assert_int_equal(threads.count, 1);
    assert_int_equal(decide(11, ""), 0);
    assert_int_equal(threads.count, 11);
    assert_int_equal(decide(0, ""), 0);
    assert_int_equal(threads.count, 8);
    assert_int_equal(decide(SL_WORKERS_MAX + 1, ""), 0); /* executor_runner takes any number */
    assert_int_equal(threads.count, SL_WORKERS_MAX);
    cores.count = 0; /* a device that tells nothing */
    assert_int_equal(decide(-1, ""), 0);
    assert_int_equal(threads.count, 1);
}

TEST(affinity_chooses_cpus_fastest_first)
{
    set_phone();
    assert_int_equal(decide(2, "big"), 0);
    check_cpus(4, (const uint16_t[]){7, 4, 5, 6});
    assert_int_equal(threads.count, 2);
    assert_int_equal(decide(-1, "little"), 0);
    check_cpus(4, (const uint16_t[]){0, 1, 2, 3});
    assert_int_equal(threads.count, 4);
    assert_int_equal(decide(-1, "0x81"), 0);
    check_cpus(2, (const uint16_t[]){7, 0});
    assert_int_equal(threads.count, 2);
    assert_int_equal(decide(-1, "2,4-5"), 0);
    check_cpus(3, (const uint16_t[]){4, 5, 2});
    assert_int_equal(decide(0, "all"), 0);
    assert_int_equal(threads.cpu_count, 8);
}

TEST(affinity_without_a_cpu_is_refused)
{
    static const char *const words[] = {"large", "0x", "0xzz", "0x11111111111111111", "4-", "-1"};
    set_phone();
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        assert_int_equal(decide(-1, words[i]), SL_E_FORMAT);
    assert_int_equal(decide(-1, "9"), SL_E_NOT_FOUND);
    allowed[3] = false;
    assert_int_equal(decide(-1, "3"), SL_E_NOT_FOUND);
}
