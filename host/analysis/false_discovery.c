/* host/analysis/false_discovery.c */
#include "host/analysis/false_discovery.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "common/base/mem.h"

double sl_sign_test(size_t positive, size_t negative)
{
    size_t n = positive + negative;
    size_t few = positive < negative ? positive : negative;
    double log_half = (double)n * log(0.5);
    double log_choose = 0; /* ln of n over k */
    double tail = 0;
    for (size_t k = 0; k <= few; k++) {
        tail += exp(log_choose + log_half);
        log_choose += log((double)(n - k)) - log((double)(k + 1));
    }
    return fmin(1.0, 2 * tail);
}

static int by_value(const void *a, const void *b)
{
    double x = **(const double *const *)a;
    double y = **(const double *const *)b;
    return (x > y) - (x < y);
}

int sl_false_discovery(const double *p, size_t n, double *q)
{
    const double **ranked = sl_malloc(n ? n : 1, sizeof(*ranked));
    size_t count = 0;
    if (!ranked)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++) {
        q[i] = NAN;
        if (isfinite(p[i]))
            ranked[count++] = &p[i];
    }
    qsort(ranked, count, sizeof(*ranked), by_value);
    double least = 1.0;
    for (size_t rank = count; rank > 0; rank--) {
        const double *value = ranked[rank - 1];
        least = fmin(least, *value * (double)count / (double)rank);
        q[value - p] = least;
    }
    sl_free(ranked);
    return 0;
}
