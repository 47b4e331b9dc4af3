/* host/analysis/samples.h: two series of bare times, each measured by itself: how much faster the
 * second is, by the statistics of runs that were not interleaved (comparison.h). Pure. */
#pragma once

#include <stddef.h>

struct sl_comparison;
struct sl_comparison_options;

#define SL_SAMPLES_SHORTEST_NS 1e-3 /* shorter ones are none */
#define SL_SAMPLES_LONGEST_NS 1e15  /* eleven days */

/* In the order measured, each of SL_SAMPLES_SHORTEST_NS at least. One alone may stand for many:
 * nothing tells how they vary.
 */
struct sl_samples {
    const double *ns; /* borrowed */
    size_t count;     /* 1 at least */
};

/* Compares the baseline and the candidate. A side of one time has no verdict but "inconclusive". 0,
 * SL_E_LIMIT for a time beyond SL_SAMPLES_LONGEST_NS, or -ENOMEM; end `out` with
 * sl_comparison_fini(). */
int sl_samples_compare(const struct sl_samples sides[2],
                       const struct sl_comparison_options *options, struct sl_comparison *out);
