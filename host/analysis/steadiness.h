/* host/analysis/steadiness.h: where a series of runs becomes steady, where it changes, and whether
 * its values lie in one heap or in two. Pure; of what the data are, nothing is assumed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SL_STEADINESS_MIN_RUNS = 20, SL_STEADINESS_MAX_CHANGES = 16 };

enum sl_steadiness_state {
    SL_STEADINESS_UNKNOWN,  /* fewer than SL_STEADINESS_MIN_RUNS */
    SL_STEADINESS_STEADY,   /* from `from` on; at least half of the series */
    SL_STEADINESS_UNSTEADY, /* never reached a steady state */
};

/* One heap of values, where there are two. */
struct sl_mode {
    size_t count;
    double median;
};

struct sl_steadiness {
    int state;
    size_t from; /* first run of the steady state */
    size_t change_count;
    size_t changes[SL_STEADINESS_MAX_CHANGES]; /* first run after each, ascending */
    size_t mode_count;                         /* 2 or 0 */
    struct sl_mode modes[2];                   /* the lower first */
};

/* Takes `values` in the order measured, all of them above 0. A change is one of ranks (Mann and
 * Whitney's statistic at its largest; found in the whole, then in each part; chance in 0.3 %) of
 * the median by 1 % or more. The steady state is where the median no longer differs from the last
 * one by that. Two modes are two heaps of a fifth of the steady values or more each, whose medians
 * are 10 times their spread apart. 0 or -ENOMEM. */
int sl_steadiness_of(const int64_t *values, size_t n, struct sl_steadiness *out);

/* "steady", "unsteady", "unknown". */
const char *sl_steadiness_name(int state);
