/* host/analysis/sweep.h: the same model on several numbers of threads: how far off and on scale,
 * where SME2 stops paying, and whether the shared SME unit is what holds it back. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { SL_SWEEP_MAX_POINTS = 64 };

struct sl_sweep_point {
    double threads;
    double baseline, candidate; /* medians of end to end, one unit */
    double ratio, low, high;    /* baseline / candidate; the interval is NAN without one */
    /* Found: how much faster than on the fewest threads; 1 there. */
    double baseline_scaling, candidate_scaling;
};

enum sl_sweep_crossing {
    SL_SWEEP_ALWAYS_FASTER, /* the candidate, at every number measured */
    SL_SWEEP_NEVER_FASTER,
    SL_SWEEP_CROSSES,
};

struct sl_sweep {
    size_t count;
    struct sl_sweep_point points[SL_SWEEP_MAX_POINTS]; /* fewest threads first */
    int crossing;
    double crossover;     /* threads at which the ratio is 1, between two that were measured; NAN */
    size_t before, after; /* the two points around it */
    bool crossover_proven; /* the intervals of both exclude 1 */
    size_t best;           /* the point of the lowest time of all, */
    bool best_is_candidate;
    /* The ratio on the fewest threads over that on the most: above 1 the candidate scales worse. It
     * is contention where that is over SL_SWEEP_CONTENTION and the intervals are apart. */
    double loss;
    bool contention;
};
#define SL_SWEEP_CONTENTION 1.2

/* 1: the point's interval (or its exact ratio) is above 1, -1: below, 0: it includes 1. */
int sl_sweep_says(const struct sl_sweep_point *point);

/* `points` have threads, times, ratio and interval, in any order, and the same unit; of two with as
 * many threads the first counts. False for fewer than two different numbers of threads. */
bool sl_sweep_make(const struct sl_sweep_point *points, size_t count, struct sl_sweep *out);
