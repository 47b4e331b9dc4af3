/* host/analysis/gain.h: what two builds gain by the same factor, against each other. A speed-up
 * that falls from 15x to 8x is a loss though the factor still wins. Pure. */
#pragma once

#include <stdbool.h>

#include "host/analysis/comparison.h"

struct sl_gain {
    double before, after;    /* ratios of the two builds */
    double ratio, low, high; /* after / before, and its interval; of counts all three are equal */
    bool exact;
    double floor; /* what lies below it is not told from none: the larger of the devices' */
};

/* The other arm of two builds and the gain, which a comparison of one arm leaves out. */
struct sl_arms {
    struct sl_comparison arm; /* without its operators */
    struct sl_gain gain;
    bool has_arm, has_gain;
    int level; /* of `arm`: 0 off, 1 on */
};

/* Takes two comparisons, each of one build's arms. False where either tells no ratio. */
bool sl_gain_of(const struct sl_comparison *before, const struct sl_comparison *after,
                struct sl_gain *out);

/* May the gain pass that is allowed to fall by `threshold` (0.05: 5 %)? One of enum sl_gate, as of
 * sl_verdict_gate(). Without a threshold (0) any fall of counts fails, and of times one that two
 * processes cannot explain (SL_UNPAIRED_FLOOR). */
int sl_gain_gate(const struct sl_gain *gain, double threshold);
