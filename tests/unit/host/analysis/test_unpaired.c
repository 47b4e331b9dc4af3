/* tests/unit/host/analysis/test_unpaired.c */
#include "host/analysis/unpaired.h"

#include <errno.h>
#include <math.h>

#include "common/base/mem.h"
#include "host/analysis/random.h"
#include "tests/support/test.h"

#define RUNS 20

static double logs[2][RUNS];
static const struct sl_unpaired_side sides[2] = {{logs[0], RUNS}, {logs[1], RUNS}};

/* Noise of 1 % either way around 0 and around `level`. */
static void fill(double level)
{
    struct sl_random random = {4};
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < RUNS; i++)
            logs[side][i] =
                side * level + 0.01 * ((double)sl_random_below(&random, 2001) / 1000 - 1);
    }
}

static struct sl_unpaired_doubt doubt(void)
{
    struct sl_unpaired_doubt found;
    assert_int_equal(sl_unpaired_doubt(sides, &found), 0);
    return found;
}

TEST(steady_sides_are_sound)
{
    fill(0);
    assert_int_equal(doubt().kind, SL_UNPAIRED_SOUND);
    fill(-0.5);
    assert_int_equal(doubt().kind, SL_UNPAIRED_SOUND);
}

TEST(a_side_that_drifts_is_named)
{
    fill(0.5);
    for (int i = 0; i < RUNS; i++)
        logs[1][i] += 0.05 * i / RUNS;
    struct sl_unpaired_doubt found = doubt();
    assert_int_equal(found.kind, SL_UNPAIRED_TREND);
    assert_int_equal(found.side, 1);
    assert_true(found.size > 0.02 && found.size < 0.06);
}

TEST(a_side_that_throttles_in_its_last_run_is_doubted)
{
    fill(0.2);
    logs[0][RUNS - 1] += 0.2;
    struct sl_unpaired_doubt found = doubt();
    assert_int_equal(found.kind, SL_UNPAIRED_EDGE);
    assert_int_equal(found.side, 0);
}

TEST(sides_that_overlap_are_doubted)
{
    fill(0.2);
    for (int i = 2; i < RUNS - 1; i += 4)
        logs[0][i] += 0.25; /* five runs in the middle */
    struct sl_unpaired_doubt found = doubt();
    assert_int_equal(found.kind, SL_UNPAIRED_OVERLAP);
    assert_true(found.size > 0.2 && found.size < 0.3);
}

TEST(waves_are_doubted)
{
    fill(0.5);
    for (int i = 0; i < RUNS; i++)
        logs[0][i] += 0.2 * cos(2 * 3.14159265 * i / RUNS);
    assert_int_equal(doubt().kind, SL_UNPAIRED_DEPENDENT);
}

TEST(the_range_of_few_runs_is_from_their_nearest_to_their_farthest)
{
    double low;
    double high;
    fill(0.2);
    assert_true(sl_unpaired_range(sides, &low, &high));
    assert_true(low < high && fabs((low + high) / 2) > 0.19 && fabs((low + high) / 2) < 0.21);
    double before = high - low;
    logs[0][7] -= 0.1;
    assert_true(sl_unpaired_range(sides, &low, &high));
    assert_true(high - low > before + 0.05);
    const struct sl_unpaired_side few[2] = {{logs[0], 5}, {logs[1], 5}};
    assert_false(sl_unpaired_range(few, &low, &high));
}

/* A device that throttles during the last run of the baseline has measured the candidate slow. */
TEST(ends_at_another_level_widen_towards_it)
{
    double down, up;
    fill(-0.4);
    logs[0][RUNS - 1] += 0.2;
    assert_int_equal(sl_unpaired_edges(sides, &down, &up), 0);
    assert_true(up > 0.18 && up < 0.22 && down < 0.03);
    fill(-0.4);
    logs[1][0] += 0.2; /* the candidate's first was slow: the baseline may have been measured so */
    assert_int_equal(sl_unpaired_edges(sides, &down, &up), 0);
    assert_true(down > 0.18 && down < 0.22 && up < 0.03);
}

TEST(each_failed_allocation_is_an_error)
{
    struct sl_unpaired_doubt found;
    int rc = -1;
    fill(0.5);
    for (unsigned nth = 1; rc != 0; nth++) {
        assert_true(nth < 20);
        sl_mem_fail_nth(nth);
        rc = sl_unpaired_doubt(sides, &found);
        assert_true(rc == 0 || rc == -ENOMEM);
    }
    sl_mem_fail_nth(0);
}
