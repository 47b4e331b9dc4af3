/* tests/unit/host/analysis/test_contention.c */
#include "host/analysis/contention.h"

#include <math.h>

#include "tests/support/unit.h"

/* A point whose interval is 2 % either way. */
static struct sl_contention_point point(double threads, double processes, double off, double on)
{
    double ratio = off / on;
    return (struct sl_contention_point){threads, processes,    off,         on,
                                        ratio,   ratio * 0.98, ratio * 1.02};
}

TEST(a_shared_unit_slows_on_alone_and_is_called_contention)
{
    const struct sl_contention_point points[] = {point(2, 4, 220, 240), point(1, 1, 400, 200),
                                                 point(1, 4, 420, 600), point(2, 1, 200, 100),
                                                 point(1, 2, 404, 300), point(1, 4, 1, 1)};
    struct sl_contention map;
    assert_true(sl_contention_make(points, 6, &map));
    assert_int_equal(map.thread_count, 2);
    assert_int_equal(map.process_count, 3);
    assert_true(map.processes[1] == 2 && map.processes[2] == 4);
    assert_false(map.cells[1][1].measured);             /* two threads, two processes */
    assert_true(map.cells[0][2].point.baseline == 420); /* the first of two */
    assert_true(fabs(map.cells[0][2].candidate_slowdown - 3) < 1e-12);
    assert_int_equal(map.worst, 0);
    assert_true(fabs(map.loss - 2 / 0.7) < 1e-12);
    assert_true(map.contention);
}

TEST(cores_that_are_shared_slow_both_alike)
{
    const struct sl_contention_point points[] = {point(1, 1, 400, 200), point(1, 4, 800, 405)};
    struct sl_contention map;
    assert_true(sl_contention_make(points, 2, &map));
    assert_false(map.contention);
    assert_true(map.loss > 1 && map.loss < 1.02);
}

TEST(intervals_that_overlap_show_nothing)
{
    struct sl_contention_point points[] = {point(1, 1, 400, 200), point(1, 4, 400, 300)};
    struct sl_contention map;
    points[1].high = 1.99;
    assert_true(sl_contention_make(points, 2, &map));
    assert_true(map.loss > SL_CONTENTION_LOSS);
    assert_false(map.contention);
}

TEST(what_is_no_map_is_none)
{
    struct sl_contention map;
    struct sl_contention_point points[20] = {point(1, 1, 400, 200), point(2, 1, 200, 100)};
    assert_false(sl_contention_make(points, 2, &map)); /* one number of processes */
    assert_false(sl_contention_make(points, 0, &map));
    points[1] = point(1, 2, NAN, 1);
    assert_false(sl_contention_make(points, 2, &map));
    for (size_t i = 0; i < 20; i++)
        points[i] = point(1, (double)i + 1, 400, 200);
    assert_false(sl_contention_make(points, 20, &map)); /* more than it holds */
    points[0] = point(1, 1, 400, 200);
    points[1] = point(2, 2, 400, 200);
    assert_true(sl_contention_make(points, 2, &map)); /* rows of one cell each say nothing */
    assert_true(isnan(map.loss));
    assert_false(map.contention);
}
