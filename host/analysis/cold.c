/* host/analysis/cold.c */
#include "host/analysis/cold.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>

#include "common/base/mem.h"
#include "host/analysis/statistics.h"
#include "host/analysis/steadiness.h"

enum { MAX_SINGLE = 50 }; /* runs that are judged one by one; longer starts are changes */
static const double spreads = 5;
static const double least = 0.05;       /* of the median: a smaller excess matters not */
static const double to_spread = 1.4826; /* a normal distribution's, of the median deviation */

/* Few values tell their spread badly: it is taken larger. `scratch` has room for `n`. */
static double limit_of(const int64_t *values, size_t n, double *scratch)
{
    for (size_t i = 0; i < n; i++)
        scratch[i] = (double)values[i];
    sl_sort_doubles(scratch, n);
    double median = sl_percentile(scratch, n, 50);
    for (size_t i = 0; i < n; i++)
        scratch[i] = fabs((double)values[i] - median);
    sl_sort_doubles(scratch, n);
    double spread = to_spread * sl_percentile(scratch, n, 50) * (1 + 5 / (double)n);
    return median + fmax(least * median, spreads * spread);
}

/* The longest start of which every run lies beyond what the rest explains; 0 where it goes on. */
static size_t single_runs(const int64_t *values, size_t n, double *scratch)
{
    size_t cold = 0;
    double shortest = INFINITY;
    for (size_t k = 1; k <= n / SL_COLD_SHARE && k <= MAX_SINGLE; k++) {
        shortest = fmin(shortest, (double)values[k - 1]);
        if (shortest > limit_of(values + k, n - k, scratch))
            cold = k;
    }
    bool goes_on =
        cold > 0 && (double)values[cold] > limit_of(values + cold + 1, n - cold - 1, scratch);
    return goes_on ? 0 : cold;
}

static double median_of(const int64_t *values, size_t n, double *scratch)
{
    for (size_t i = 0; i < n; i++)
        scratch[i] = (double)values[i];
    sl_sort_doubles(scratch, n);
    return sl_percentile(scratch, n, 50);
}

int sl_cold_runs(const int64_t *values, size_t n, size_t *out)
{
    struct sl_steadiness found;
    double *scratch = sl_malloc(n, sizeof(*scratch));
    int rc = scratch ? sl_steadiness_of(values, n, &found) : -ENOMEM;
    if (rc == 0) {
        size_t cold = single_runs(values, n, scratch);
        size_t from = found.state == SL_STEADINESS_STEADY ? found.from : 0;
        if (from > cold && from <= n / SL_COLD_SHARE &&
            median_of(values, from, scratch) > median_of(values + from, n - from, scratch))
            cold = from;
        *out = n < SL_COLD_MIN_RUNS ? 0 : cold;
    }
    sl_free(scratch);
    return rc;
}
