/* host/analysis/dependence.c */
#include "host/analysis/dependence.h"

#include <errno.h>
#include <math.h>

#include "common/base/mem.h"
#include "host/analysis/bootstrap.h"
#include "host/analysis/statistics.h"

enum { MAX_LAG = 100 };
static const double far = 2.5;          /* spreads of the median */
static const double closest = 0.97;     /* autocorrelation; beyond it a series says nothing */
static const double to_spread = 1.4826; /* a normal distribution's, of the median deviation */

static double lagged(const double *z, size_t n, size_t lag)
{
    double sum = 0;
    for (size_t i = lag; i < n; i++)
        sum += z[i] * z[i - lag];
    return sum;
}

/* Distances from the median in spreads, cut at `far`, then around their mean. */
static void standardise(const double *values, size_t n, double *z)
{
    for (size_t i = 0; i < n; i++)
        z[i] = values[i];
    double median = sl_median_in_place(z, n);
    for (size_t i = 0; i < n; i++)
        z[i] = fabs(values[i] - median);
    double spread = to_spread * sl_median_in_place(z, n);
    double mean = 0;
    for (size_t i = 0; i < n; i++) {
        double away = values[i] - median;
        z[i] = spread > 0 ? fmax(-far, fmin(far, away / spread)) : (away > 0) - (away < 0);
        mean += z[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++)
        z[i] -= mean;
}

/* How many times larger the variance of the middle is than that of independent values. */
static double inflation(const double *z, size_t n)
{
    double variance = lagged(z, n, 0);
    double bias = 1 / (double)n;
    if (!(variance > 0))
        return 1;
    double first = lagged(z, n, 1) / variance;
    first = fmin(fmax(first + (1 + 3 * first) * bias, 0), closest);
    double sum = 1;
    size_t last = 2 * (size_t)fmax(2, sqrt((double)n));
    for (size_t lag = 1; lag + 1 < n && lag < last && lag < MAX_LAG; lag += 2) {
        double both = (lagged(z, n, lag) + lagged(z, n, lag + 1)) / variance + 2 * bias;
        if (both <= 0)
            break;
        sum += 2 * both;
    }
    return fmin(fmax((1 + first) / (1 - first), sum), (double)n);
}

int sl_dependence_of(const double *values, size_t n, double confidence, struct sl_dependence *out)
{
    *out = (struct sl_dependence){.effective = (double)n, .widening = 1};
    if (n < SL_DEPENDENCE_MIN_VALUES)
        return 0;
    double *z = sl_malloc(n, sizeof(*z));
    if (!z)
        return -ENOMEM;
    standardise(values, n, z);
    double larger = inflation(z, n);
    sl_free(z);
    out->effective = (double)n / larger;
    out->widening = sqrt(larger) * sl_student_width(confidence, fmax(out->effective - 1, 1)) /
                    sl_normal_width(confidence);
    return 0;
}
