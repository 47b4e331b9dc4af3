/* tests/unit/host/analysis/test_thread_estimate.c */
#include "host/analysis/thread_estimate.h"

#include "tests/support/test.h"

TEST(core_work_is_divided_by_threads_and_the_units_by_units)
{
    static const double spent[SL_BOUND_COUNT] = {
        [SL_BOUND_OUTER] = 60, [SL_BOUND_NEON] = 40, [SL_BOUND_MEMORY] = 10};
    struct sl_thread_work work = {0};
    sl_thread_work_add(&work, spent, false);
    assert_float_equal(work.unit_ns, 60, 0);
    assert_float_equal(work.core_ns, 40, 0);
    assert_float_equal(work.alone_ns, 10, 0);
    assert_float_equal(sl_thread_time_ns(&work, 1, 1), 110, 1e-9);
    assert_float_equal(sl_thread_time_ns(&work, 4, 1), 80, 1e-9);
    assert_float_equal(sl_thread_time_ns(&work, 4, 2), 50, 1e-9);
    assert_float_equal(sl_thread_time_ns(&work, 1, 2), 110, 1e-9); /* one thread fills one unit */
    sl_thread_work_add(&work, spent, true);
    assert_float_equal(work.alone_ns, 120, 0);
}

TEST(sums_that_wait_do_so_where_the_operator_runs)
{
    static const double core[SL_BOUND_COUNT] = {[SL_BOUND_NEON] = 1, [SL_BOUND_DEPENDENCE] = 8};
    static const double unit[SL_BOUND_COUNT] = {[SL_BOUND_OUTER] = 1, [SL_BOUND_DEPENDENCE] = 8};
    struct sl_thread_work work = {0};
    sl_thread_work_add(&work, core, false);
    assert_float_equal(work.core_ns, 9, 0);
    sl_thread_work_add(&work, unit, false);
    assert_float_equal(work.unit_ns, 9, 0);
}

TEST(neon_catches_up_where_its_threads_outnumber_what_the_unit_gains)
{
    const struct sl_thread_work off = {.core_ns = 100}, on = {.unit_ns = 24};
    assert_int_equal(sl_thread_crossover(&off, &on, 1), 5);
    assert_int_equal(sl_thread_crossover(&off, &on, 2), 9);
    assert_int_equal(sl_thread_crossover(&on, &off, 1), 1);
    assert_int_equal(sl_thread_crossover(&off, &(struct sl_thread_work){.core_ns = 200}, 1), 1);
    assert_int_equal(sl_thread_crossover(&off, &(struct sl_thread_work){.unit_ns = 1}, 1), 0);
}
