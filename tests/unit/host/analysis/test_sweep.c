/* tests/unit/host/analysis/test_sweep.c */
#include "host/analysis/sweep.h"

#include <math.h>

#include "tests/support/unit.h"

/* A point whose interval is 2 % either way. */
static struct sl_sweep_point point(double threads, double off, double on)
{
    double ratio = off / on;
    return (struct sl_sweep_point){.threads = threads,
                                   .baseline = off,
                                   .candidate = on,
                                   .ratio = ratio,
                                   .low = ratio * 0.98,
                                   .high = ratio * 1.02};
}

/* A device whose cores share one SME unit: on stays where it is, off scales. */
TEST(shared_unit_crosses_over_and_is_called_contention)
{
    const struct sl_sweep_point points[] = {point(4, 110, 180), point(1, 400, 200),
                                            point(2, 205, 190), point(4, 1, 1)};
    struct sl_sweep s;
    assert_true(sl_sweep_make(points, 4, &s));
    assert_int_equal(s.count, 3);
    assert_true(s.points[0].threads == 1 && s.points[2].threads == 4);
    assert_true(s.points[2].baseline == 110); /* the first of two with four threads */
    assert_int_equal(s.crossing, SL_SWEEP_CROSSES);
    assert_int_equal(s.before, 1);
    assert_true(s.crossover > 2 && s.crossover < 4);
    assert_true(s.crossover_proven);
    assert_true(s.contention && s.loss > 3 && s.loss < 3.5);
    assert_true(fabs(s.points[2].baseline_scaling - 400.0 / 110) < 1e-12);
    assert_int_equal(s.best, 2);
    assert_false(s.best_is_candidate);
}

TEST(unit_of_each_core_scales_without_crossing)
{
    const struct sl_sweep_point points[] = {point(1, 400, 200), point(2, 204, 103),
                                            point(4, 108, 55)};
    struct sl_sweep s;
    assert_true(sl_sweep_make(points, 3, &s));
    assert_int_equal(s.crossing, SL_SWEEP_ALWAYS_FASTER);
    assert_true(isnan(s.crossover));
    assert_false(s.contention);
    assert_true(s.best_is_candidate && s.best == 2);
}

TEST(crossing_within_the_intervals_is_not_proven)
{
    const struct sl_sweep_point points[] = {point(1, 101, 100), point(2, 99, 100)};
    struct sl_sweep s;
    assert_true(sl_sweep_make(points, 2, &s));
    assert_int_equal(s.crossing, SL_SWEEP_CROSSES);
    assert_false(s.crossover_proven);
    assert_true(s.crossover > 1 && s.crossover < 2);
}

TEST(one_number_of_threads_is_no_sweep)
{
    struct sl_sweep_point points[] = {point(1, 101, 100), point(1, 99, 100), point(2, 50, 40)};
    struct sl_sweep s;
    assert_false(sl_sweep_make(points, 2, &s));
    points[2].ratio = NAN;
    assert_false(sl_sweep_make(points, 3, &s));
    assert_false(sl_sweep_make(points, 0, &s));
}
