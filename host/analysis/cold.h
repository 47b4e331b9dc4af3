/* host/analysis/cold.h: which runs at the beginning of a series are cold. Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
    SL_COLD_MIN_RUNS = 3, /* fewer show nothing of a cold start */
    SL_COLD_SHARE = 3,    /* at most one in so many is cold */
};

/* How many of the first `n` values, above 0 and in the order measured, are cold: each of them is
 * longer than the runs after them by more than their spread explains, or they come before a change
 * to a shorter steady state (steadiness.h). At most one in SL_COLD_SHARE: what is slower for
 * longer is no start. A leading part that is faster is not cold, but a device that slows down. 0 or
 * -ENOMEM. */
int sl_cold_runs(const int64_t *values, size_t n, size_t *out);
