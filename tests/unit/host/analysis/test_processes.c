/* tests/unit/host/analysis/test_processes.c */
#include "host/analysis/processes.h"

#include <errno.h>
#include <math.h>

#include "common/base/mem.h"
#include "tests/support/test.h"

TEST(processes_are_the_sample)
{
    static const double values[] = {1, 2, 9, 4, 4, 3, 3, 3};
    static const uint32_t processes[] = {0, 0, 0, 1, 1, 2, 2, 2};
    struct sl_processes found;
    assert_int_equal(sl_processes_of(values, processes, 8, 0.95, &found), 0);
    assert_int_equal(found.count, 3); /* medians 2, 4, 3 */
    assert_true(fabs(found.center - 3) < 1e-12);
    assert_true(fabs(found.high - 3 - 4.3027 / sqrt(3)) < 1e-3);
    assert_true(fabs(found.low + found.high - 6) < 1e-12);
}

TEST(one_process_has_no_interval)
{
    static const double values[] = {1, 2, 3};
    static const uint32_t processes[] = {5, 5, 5};
    struct sl_processes found;
    assert_int_equal(sl_processes_of(values, processes, 3, 0.95, &found), 0);
    assert_int_equal(found.count, 1);
    assert_true(found.center == 2 && isnan(found.low) && isnan(found.high));
}

TEST(more_processes_than_there_is_room_for_are_one)
{
    static double values[SL_PROCESSES_MAX + 50];
    static uint32_t processes[SL_PROCESSES_MAX + 50];
    struct sl_processes found;
    for (uint32_t i = 0; i < SL_PROCESSES_MAX + 50; i++)
        processes[i] = i;
    assert_int_equal(sl_processes_of(values, processes, SL_PROCESSES_MAX + 50, 0.95, &found), 0);
    assert_int_equal(found.count, SL_PROCESSES_MAX);
    sl_mem_fail_nth(1);
    assert_int_equal(sl_processes_of(values, processes, 3, 0.95, &found), -ENOMEM);
    sl_mem_fail_nth(0);
}
