/* common/base/histogram.h: how often something took how long, in fixed steps from 0.5 ms to 10 s.
 * Pure; one thread at a time. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { SL_HISTOGRAM_BOUNDS = 14 };

struct sl_histogram {
    uint64_t counts[SL_HISTOGRAM_BOUNDS + 1]; /* up to each bound, the last: longer than all */
    double sum_seconds;
};

void sl_histogram_add(struct sl_histogram *histogram, uint64_t ns);

/* The bound of that place in seconds, as OpenMetrics writes it; "+Inf" for the last. */
const char *sl_histogram_bound(size_t place);
