/* tests/unit/host/analysis/test_statistics.c */
#include "host/analysis/statistics.h"

#include <math.h>

#include "common/base/mem.h"
#include "tests/support/test.h"

TEST(figures_of_ten_values_are_right)
{
    /* By hand and with Python's statistics module. */
    static const int64_t values[] = {100, 104, 99, 101, 250, 98, 103, 102, 97, 105};
    struct sl_statistics s;
    assert_int_equal(sl_statistics_of(values, 10, &s), 0);
    assert_int_equal(s.n, 10);
    assert_int_equal(s.min, 97);
    assert_int_equal(s.max, 250);
    assert_true(s.median == 101.5);
    assert_true(s.mean == 115.9);
    assert_true(s.p75 == 103.75);
    assert_true(fabs(s.p90 - 119.5) < 1e-9);
    assert_true(fabs(s.p95 - 184.75) < 1e-9);
    assert_true(fabs(s.p99 - 236.95) < 1e-9);
    assert_true(fabs(s.stddev - 47.188628573700534) < 1e-8);
    assert_true(fabs(s.cv_percent - 40.714951314668276) < 1e-8);
    assert_true(s.trimmed_mean_5 == 115.9); /* 5 % of ten is less than one value */
    assert_true(s.trimmed_mean_10 == 101.5);
}

TEST(outliers_are_named_and_kept)
{
    static const int64_t values[] = {100, 104, 99, 101, 250, 98, 103, 102, 97, 105};
    struct sl_statistics s;
    struct sl_statistics clean;
    assert_int_equal(sl_statistics_of(values, 10, &s), 0);
    assert_int_equal(s.outlier_count, 1);
    assert_true(s.outlier_lower == 92.5 && s.outlier_upper == 110.5);
    assert_int_equal(sl_statistics_without_outliers(values, 10, &s, &clean), 0);
    assert_int_equal(clean.n, 9);
    assert_int_equal(clean.max, 105);
    assert_true(s.max == 250); /* the raw spread stays: a CV of 0 % must not hide it (AD-09) */
}

TEST(one_value_has_no_deviation)
{
    static const int64_t values[] = {42};
    struct sl_statistics s;
    assert_int_equal(sl_statistics_of(values, 1, &s), 0);
    assert_true(s.p50 == 42 && s.p99 == 42 && s.mean == 42 && s.trimmed_mean_10 == 42);
    assert_true(isnan(s.stddev) && isnan(s.cv_percent));
    assert_int_equal(s.outlier_count, 0);
}

TEST(no_values_give_no_figures)
{
    struct sl_statistics s;
    assert_int_equal(sl_statistics_of(NULL, 0, &s), 0);
    assert_int_equal(s.n, 0);
    assert_true(isnan(s.median) && isnan(s.mean) && isnan(s.p99) && isnan(s.trimmed_mean_5));
}

TEST(a_mean_of_zero_has_no_cv)
{
    static const int64_t values[] = {0, 0, 0};
    struct sl_statistics s;
    assert_int_equal(sl_statistics_of(values, 3, &s), 0);
    assert_true(s.stddev == 0 && isnan(s.cv_percent));
}

TEST(failed_allocation_is_reported)
{
    static const int64_t values[] = {1, 2};
    struct sl_statistics s;
    sl_mem_fail_nth(1);
    assert_true(sl_statistics_of(values, 2, &s) < 0);
    sl_mem_fail_nth(0);
}
