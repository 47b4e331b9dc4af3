/* host/analysis/statistics.c */
#include "host/analysis/statistics.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "common/base/mem.h"

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

void sl_sort_doubles(double *values, size_t n)
{
    qsort(values, n, sizeof(*values), compare_doubles);
}

double sl_percentile(const double *sorted, size_t n, double q)
{
    if (n == 0)
        return NAN;
    double at = q / 100.0 * (double)(n - 1);
    size_t low = (size_t)at;
    if (low + 1 >= n)
        return sorted[n - 1];
    double share = at - (double)low;
    double step = sorted[low + 1] - sorted[low];
    /* From the nearer end, as numpy does, so that the figures agree to the last digit. */
    return share >= 0.5 ? sorted[low + 1] - step * (1.0 - share) : sorted[low] + step * share;
}

static double mean_of(const double *values, size_t n)
{
    long double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (long double)values[i];
    return n == 0 ? NAN : (double)(sum / (long double)n);
}

static double trimmed_mean(const double *sorted, size_t n, double share)
{
    size_t cut = (size_t)(share * (double)n);
    return mean_of(sorted + cut, n - 2 * cut);
}

static double deviation(const double *values, size_t n, double mean)
{
    long double sum = 0;
    for (size_t i = 0; i < n; i++) {
        long double off = (long double)values[i] - (long double)mean;
        sum += off * off;
    }
    return n < 2 ? NAN : (double)sqrtl(sum / (long double)(n - 1));
}

static void describe(const double *sorted, size_t n, struct sl_statistics *out)
{
    out->mean = mean_of(sorted, n);
    out->stddev = deviation(sorted, n, out->mean);
    out->cv_percent = n < 2 || out->mean == 0.0 ? NAN : 100.0 * out->stddev / out->mean;
    out->median = out->p50 = sl_percentile(sorted, n, 50);
    out->p75 = sl_percentile(sorted, n, 75);
    out->p90 = sl_percentile(sorted, n, 90);
    out->p95 = sl_percentile(sorted, n, 95);
    out->p99 = sl_percentile(sorted, n, 99);
    out->trimmed_mean_5 = trimmed_mean(sorted, n, 0.05);
    out->trimmed_mean_10 = trimmed_mean(sorted, n, 0.10);
    double low = sl_percentile(sorted, n, 25);
    double range = out->p75 - low;
    out->outlier_lower = low - 1.5 * range;
    out->outlier_upper = out->p75 + 1.5 * range;
    for (size_t i = 0; i < n; i++)
        out->outlier_count += sorted[i] < out->outlier_lower || sorted[i] > out->outlier_upper;
}

/* Of the values within [lower, upper]. */
static int statistics_within(const int64_t *values, size_t n, double lower, double upper,
                             struct sl_statistics *out)
{
    struct sl_statistics made = {.n = 0};
    double *sorted = sl_malloc(n, sizeof(*sorted));
    if (!sorted)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++) {
        if ((double)values[i] < lower || (double)values[i] > upper)
            continue;
        made.min = made.n == 0 || values[i] < made.min ? values[i] : made.min;
        made.max = made.n == 0 || values[i] > made.max ? values[i] : made.max;
        sorted[made.n++] = (double)values[i];
    }
    sl_sort_doubles(sorted, made.n);
    describe(sorted, made.n, &made);
    sl_free(sorted);
    *out = made;
    return 0;
}

int sl_statistics_of(const int64_t *values, size_t n, struct sl_statistics *out)
{
    return statistics_within(values, n, -INFINITY, INFINITY, out);
}

int sl_statistics_without_outliers(const int64_t *values, size_t n, const struct sl_statistics *all,
                                   struct sl_statistics *out)
{
    return statistics_within(values, n, all->outlier_lower, all->outlier_upper, out);
}
