/* tests/unit/host/analysis/test_cold.c */
#include "host/analysis/cold.h"

#include <errno.h>
#include <math.h>

#include "common/base/mem.h"
#include "host/analysis/random.h"
#include "tests/support/test.h"

enum { MAX_RUNS = 200 };

static int64_t values[MAX_RUNS];

/* 1 % of noise either way around a million. */
static void fill(uint64_t seed)
{
    struct sl_random random = {seed};
    for (size_t i = 0; i < MAX_RUNS; i++)
        values[i] = 990000 + (int64_t)sl_random_below(&random, 20001);
}

static size_t cold(size_t n)
{
    size_t found;
    assert_int_equal(sl_cold_runs(values, n, &found), 0);
    return found;
}

TEST(one_long_first_run_is_cold_however_few_there_are)
{
    fill(1);
    values[0] *= 3;
    for (size_t n = SL_COLD_MIN_RUNS; n <= MAX_RUNS; n++)
        assert_int_equal(cold(n), 1);
    assert_int_equal(cold(2), 0);
    assert_int_equal(cold(0), 0);
}

TEST(several_cold_runs_hide_one_another_not)
{
    fill(2);
    values[0] *= 4;
    values[1] *= 2;
    values[2] = values[2] * 3 / 2;
    assert_int_equal(cold(10), 3);
}

TEST(warm_up_that_settles_is_cold_though_each_run_of_it_is_near)
{
    fill(3);
    for (size_t i = 0; i < 12; i++)
        values[i] = values[i] * 104 / 100;
    assert_int_equal(cold(100), 12);
}

TEST(steady_runs_have_no_cold_ones)
{
    for (uint64_t seed = 10; seed < 60; seed++) {
        fill(seed);
        for (size_t n = 5; n < 60; n += 5)
            assert_int_equal(cold(n), 0);
    }
}

/* A later spike, a slow half and a fast beginning are no cold start. */
TEST(what_is_no_start_stays)
{
    fill(4);
    values[5] *= 3;
    assert_int_equal(cold(30), 0);
    fill(5);
    for (size_t i = 0; i < 15; i++)
        values[i] = values[i] * 3 / 2;
    assert_int_equal(cold(30), 0);
    fill(6);
    for (size_t i = 0; i < 5; i++)
        values[i] /= 2;
    assert_int_equal(cold(30), 0);
}

TEST(each_failed_allocation_is_an_error)
{
    size_t found;
    int rc = -1;
    fill(7);
    for (unsigned nth = 1; rc != 0; nth++) {
        assert_true(nth < 20);
        sl_mem_fail_nth(nth);
        rc = sl_cold_runs(values, 30, &found);
        assert_true(rc == 0 || rc == -ENOMEM);
    }
    sl_mem_fail_nth(0);
}
