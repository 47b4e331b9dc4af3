/* host/analysis/order.c */
#include "host/analysis/order.h"

#include <errno.h>
#include <math.h>

#include "common/base/mem.h"
#include "host/analysis/bootstrap.h"
#include "host/analysis/statistics.h"

enum { MIN_PAIRS = 10 };
static const double confidence = 0.998;
/* The standard error of a median of normal values, in median deviations over the root of the count.
 */
static const double error_of_median = 1.4826 * 1.2533;

/* Median of every other value from `first` on, and its standard error. */
static double median_of(const double *values, size_t n, size_t first, double *scratch,
                        double *out_error)
{
    size_t count = 0;
    for (size_t i = first; i < n; i += 2)
        scratch[count++] = values[i];
    double median = sl_median_in_place(scratch, count);
    for (size_t i = 0; i < count; i++)
        scratch[i] = fabs(scratch[i] - median);
    *out_error = error_of_median * sl_median_in_place(scratch, count) / sqrt((double)count);
    return median;
}

int sl_order_cancel(double *values, size_t n, double *out_effect)
{
    double spread[2];
    *out_effect = 0;
    if (n < MIN_PAIRS)
        return 0;
    double *scratch = sl_malloc(n, sizeof(*scratch));
    if (!scratch)
        return -ENOMEM;
    double first = median_of(values, n, 0, scratch, &spread[0]);
    double second = median_of(values, n, 1, scratch, &spread[1]);
    sl_free(scratch);
    double half = (first - second) / 2;
    double errors = sl_student_width(confidence, floor((double)n / 2) - 1);
    if (2 * fabs(half) <= errors * hypot(spread[0], spread[1]))
        return 0;
    for (size_t i = 0; i < n; i++)
        values[i] += i % 2 == 0 ? -half : half;
    *out_effect = half;
    return 0;
}
