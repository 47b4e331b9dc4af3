/* host/analysis/stopping.h: when have enough pairs been measured? Stop by precision, never by what
 * came out: looks at fixed numbers of pairs, the interval widened for each repeated look. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { SL_STOPPING_FIRST = 20 }; /* pairs before the first look */

struct sl_stopping_plan {
    double confidence; /* of the interval in the end; 0: 0.95 */
    double half_width; /* of the ratio's interval, relative: stop when it is at most this; 0.015 */
    size_t max_pairs;  /* the budget */
    uint64_t seed;
    uint32_t iterations; /* of the bootstrap at each look */
};

enum sl_stopping_state {
    SL_STOPPING_GO_ON,
    SL_STOPPING_PRECISE, /* the interval is narrow enough */
    SL_STOPPING_BUDGET,  /* the budget ended first */
};

/* Pairs at which look `look` (from 1) is taken: 20, 30, 45 ... half as many again each time. */
size_t sl_stopping_pairs(uint32_t look);
/* How many looks were taken by the time there are `n` pairs; at least 1. */
uint32_t sl_stopping_looks(size_t n);

/* What the interval's confidence must be at look `look` for `confidence` to hold in the end;
 * look 0: the number of pairs was fixed beforehand. */
double sl_stopping_confidence(double confidence, uint32_t look);

/* The rule at `n` pairs, `log_ratios` in the order measured. *out_half_width is that of the widened
 * interval, relative to the ratio; NAN before the first look. 0 or -ENOMEM. */
int sl_stopping_check(const struct sl_stopping_plan *plan, const double *log_ratios, size_t n,
                      int *out_state, double *out_half_width);
