/* host/analysis/statistics.h: the figures of a sample of times. Pure; no figure is ever invented:
 * what a sample cannot give is NAN. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Percentiles interpolate linearly (type 7). Trimmed means leave out floor(share * n) values at
 * each end, as SciPy's trim_mean does. */
struct sl_statistics {
    size_t n;
    int64_t min, max; /* 0 when n is 0 */
    double median, mean;
    double stddev;     /* of the sample (n - 1); NAN below n = 2 */
    double cv_percent; /* NAN below n = 2 or with a mean of 0 */
    double p50, p75, p90, p95, p99;
    double trimmed_mean_5, trimmed_mean_10;
    double outlier_lower, outlier_upper; /* quartiles -+ 1.5 interquartile ranges */
    size_t outlier_count;
};

/* `values` are borrowed and not changed. 0 or -ENOMEM. */
int sl_statistics_of(const int64_t *values, size_t n, struct sl_statistics *out);

/* The same of the values inside the bounds of `all`, which are those of sl_statistics_of(). */
int sl_statistics_without_outliers(const int64_t *values, size_t n, const struct sl_statistics *all,
                                   struct sl_statistics *out);

/* Percentile q (0..100) of ascending values; NAN for none. */
double sl_percentile(const double *sorted, size_t n, double q);

/* Ascending order; NAN is not allowed. */
void sl_sort_doubles(double *values, size_t n);

/* How many standard errors either way hold the share `confidence` (0..1) of a normal distribution:
 * 1.96 for 0.95. */
double sl_normal_width(double confidence);

/* The same of Student's distribution with `freedom` (above 0) degrees: 4.30 for 0.95 and 2. */
double sl_student_width(double confidence, double freedom);
