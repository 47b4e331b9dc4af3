/* host/analysis/contention.h: the same model beside 0, 1, 2 ... processes that run it too: what
 * each takes from the other. Those processes use SME2 throughout, so where off and on slow down
 * alike it is cores and memory that they share, and where on slows down more it is the SME unit.
 * Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { SL_CONTENTION_MAX = 16 }; /* different numbers of threads, and of processes */

struct sl_contention_point {
    double threads, processes;
    double baseline, candidate; /* medians of end to end, one unit */
    double ratio, low, high;    /* baseline / candidate; the interval is NAN without one */
};

struct sl_contention_cell {
    bool measured;
    struct sl_contention_point point;
    /* Times as slow as with the fewest processes measured on as many threads; NAN without that. */
    double baseline_slowdown, candidate_slowdown;
};

struct sl_contention {
    size_t thread_count, process_count;
    double threads[SL_CONTENTION_MAX], processes[SL_CONTENTION_MAX]; /* ascending */
    struct sl_contention_cell cells[SL_CONTENTION_MAX]
                                   [SL_CONTENTION_MAX]; /* [threads][processes] */
    /* The row that loses most of the ratio from the fewest to the most processes, and its one ratio
     * over the other. It is contention if that is over SL_CONTENTION_LOSS and the intervals are
     * apart. */
    size_t worst;
    double loss; /* NAN: no row has two cells */
    bool contention;
};
#define SL_CONTENTION_LOSS 1.2

/* Points in any order; of two at one place the first counts. False for fewer than two different
 * numbers of processes. */
bool sl_contention_make(const struct sl_contention_point *points, size_t count,
                        struct sl_contention *out);

/* The first and the last measured cell of a row; false for fewer than two. */
bool sl_contention_ends(const struct sl_contention *map, size_t row,
                        const struct sl_contention_cell **out_first,
                        const struct sl_contention_cell **out_last);
