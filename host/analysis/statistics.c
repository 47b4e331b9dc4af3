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

/* Describes the values within [lower, upper]. */
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

/* The continued fraction of the incomplete beta function, by Lentz's method (Numerical Recipes,
 * section 6.4, has its terms). */
static double beta_fraction(double a, double b, double x)
{
    enum { TERMS = 300 };
    const double tiny = 1e-300;
    double c = 1;
    double d = 1 / (1 - (a + b) * x / (a + 1));
    double value = d;
    for (int m = 1; m <= TERMS; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / fmax(1 + even * d, tiny);
        c = fmax(1 + even / c, tiny);
        value *= d * c;
        d = 1 + odd * d;
        c = 1 + odd / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        value *= d * c;
        if (fabs(d * c - 1) < 1e-14)
            break;
    }
    return value;
}

/* The share of a beta distribution below x. */
static double beta_share(double a, double b, double x)
{
    if (x <= 0 || x >= 1)
        return x <= 0 ? 0 : 1;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double sl_student_width(double confidence, double freedom)
{
    double low = 0;
    double high = 1e8;
    for (int i = 0; i < 100; i++) {
        double t = low < 1 ? (low + fmin(high, 100)) / 2 : sqrt(low * high);
        double outside = beta_share(freedom / 2, 0.5, freedom / (freedom + t * t));
        if (1 - outside < confidence)
            low = t;
        else
            high = t;
    }
    return high;
}

double sl_normal_width(double confidence)
{
    double low = 0;
    double high = 40;
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        if (erf(middle / sqrt(2)) < confidence)
            low = middle;
        else
            high = middle;
    }
    return high;
}
