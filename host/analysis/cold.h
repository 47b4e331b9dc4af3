/* host/analysis/cold.h: which runs at the beginning of a series are cold. Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Fewer runs than this show nothing of a cold start. */
enum { SL_COLD_MIN_RUNS = 3 };

/* How many of the first `n` values, above 0 and in the order measured, are cold: each of them is
 * longer than the runs after them by more than their spread explains, or they come before a change
 * to a shorter steady state (steadiness.h). At most a third of the series: what is slower for
 * longer is no start. A leading part that is faster is not cold, but a device that slows down. 0 or
 * -ENOMEM. */
int sl_cold_runs(const int64_t *values, size_t n, size_t *out);
