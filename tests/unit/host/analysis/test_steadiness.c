/* tests/unit/host/analysis/test_steadiness.c */
#include "host/analysis/steadiness.h"

#include <math.h>

#include "common/base/mem.h"
#include "host/analysis/random.h"
#include "tests/support/test.h"

enum { MAX_RUNS = 200 };

static double uniform(struct sl_random *random)
{
    return ((double)(sl_random_next(random) >> 11) + 0.5) * 0x1p-53;
}

static double normal(struct sl_random *random)
{
    double radius = sqrt(-2 * log(uniform(random)));
    return radius * cos(6.283185307179586 * uniform(random));
}

/* `n` values around `level` with 1 % of noise. */
static void put(struct sl_random *random, int64_t *values, size_t n, double level)
{
    for (size_t i = 0; i < n; i++)
        values[i] = (int64_t)(level * exp(0.01 * normal(random)));
}

TEST(warm_up_ends_where_the_values_settle)
{
    struct sl_random random = {1};
    struct sl_steadiness found;
    int64_t values[100];
    put(&random, values, 15, 1.5e6);
    put(&random, values + 15, 10, 1.2e6);
    put(&random, values + 25, 75, 1e6);
    assert_int_equal(sl_steadiness_of(values, 100, &found), 0);
    assert_int_equal(found.state, SL_STEADINESS_STEADY);
    assert_in_range(found.from, 24, 26);
    assert_true(found.change_count >= 1);
    assert_int_equal(found.mode_count, 0);
}

/* After a disturbance in the middle the level is the same as before. */
TEST(disturbance_that_passes_is_a_change_and_the_end_is_steady)
{
    struct sl_random random = {2};
    struct sl_steadiness found;
    int64_t values[150];
    put(&random, values, 30, 1e6);
    put(&random, values + 30, 30, 1.4e6);
    put(&random, values + 60, 90, 1e6);
    assert_int_equal(sl_steadiness_of(values, 150, &found), 0);
    assert_int_equal(found.state, SL_STEADINESS_STEADY);
    assert_in_range(found.from, 59, 61);
    assert_int_equal(found.change_count, 2);
    assert_in_range(found.changes[0], 29, 31);
}

TEST(throttling_to_the_end_is_never_steady)
{
    struct sl_random random = {3};
    struct sl_steadiness found;
    int64_t values[200];
    for (size_t i = 0; i < 200; i++)
        put(&random, values + i, 1, 1e6 * (1 + 0.01 * (double)i));
    assert_int_equal(sl_steadiness_of(values, 200, &found), 0);
    assert_int_equal(found.state, SL_STEADINESS_UNSTEADY);
    assert_true(found.change_count >= 3);
}

TEST(few_runs_say_nothing_and_equal_ones_are_steady)
{
    struct sl_steadiness found;
    int64_t values[40];
    for (size_t i = 0; i < 40; i++)
        values[i] = 12345;
    assert_int_equal(sl_steadiness_of(values, SL_STEADINESS_MIN_RUNS - 1, &found), 0);
    assert_int_equal(found.state, SL_STEADINESS_UNKNOWN);
    assert_int_equal(sl_steadiness_of(values, 0, &found), 0);
    assert_int_equal(found.state, SL_STEADINESS_UNKNOWN);
    assert_int_equal(sl_steadiness_of(values, 40, &found), 0);
    assert_int_equal(found.state, SL_STEADINESS_STEADY);
    assert_int_equal(found.from, 0);
    assert_int_equal(found.change_count + found.mode_count, 0);
}

TEST(two_frequencies_are_two_modes)
{
    struct sl_random random = {4};
    struct sl_steadiness found;
    int64_t values[100];
    for (size_t i = 0; i < 100; i++)
        put(&random, values + i, 1, i % 3 == 0 ? 1.25e6 : 1e6);
    assert_int_equal(sl_steadiness_of(values, 100, &found), 0);
    assert_int_equal(found.mode_count, 2);
    assert_int_equal(found.modes[0].count, 66);
    assert_int_equal(found.modes[1].count, 34);
    assert_true(fabs(found.modes[0].median / 1e6 - 1) < 0.01);
    assert_true(fabs(found.modes[1].median / 1.25e6 - 1) < 0.01);
}

/* Neither a change nor a second mode where there is none: normal, uniform and heavy-tailed. */
TEST(undisturbed_series_rarely_change_or_split)
{
    struct sl_random random = {5};
    unsigned changes = 0;
    unsigned splits = 0;
    for (unsigned experiment = 0; experiment < 600; experiment++) {
        struct sl_steadiness found;
        int64_t values[60];
        for (size_t i = 0; i < 60; i++) {
            double heavy = normal(&random) / sqrt(-log(uniform(&random)));
            double each[] = {normal(&random), 4 * uniform(&random), heavy};
            values[i] = (int64_t)(1e6 * exp(0.02 * each[experiment % 3]));
        }
        assert_int_equal(sl_steadiness_of(values, 60, &found), 0);
        changes += found.change_count > 0;
        splits += found.mode_count > 0;
    }
    assert_true(changes <= 6);
    assert_true(splits <= 6);
}

TEST(search_survives_each_failed_allocation)
{
    int64_t values[30] = {0};
    int rc = -12;
    for (unsigned nth = 1; rc == -12; nth++) {
        struct sl_steadiness found;
        sl_mem_fail_nth(nth);
        rc = sl_steadiness_of(values, 30, &found);
    }
    assert_int_equal(rc, 0);
}
