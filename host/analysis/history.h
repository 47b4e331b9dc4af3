/* host/analysis/history.h: a series of runs of one model on one device: where its ratio or the time
 * of an arm changed. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/analysis/steadiness.h"

enum { SL_HISTORY_MAX_CHANGES = SL_STEADINESS_MAX_CHANGES };

/* The series falls into stretches; a change begins the next one. */
struct sl_history_stretch {
    size_t first, count; /* points */
    double median;       /* of their values */
};

struct sl_history {
    bool exact;   /* counted: every other figure is a change */
    bool enough;  /* of times: at least SL_STEADINESS_MIN_RUNS points; else no change is sought */
    size_t count; /* of stretches; 0 for no points */
    struct sl_history_stretch stretches[SL_HISTORY_MAX_CHANGES + 1];
};

/* Does a run count in its series? Those that are unfit, incomparable or wrong, or have no ratio, do
 * not. */
bool sl_history_takes(const char *verdict, double ratio);

/* A run without a ratio has one arm, in the place of the baseline: an imported benchmark. */
bool sl_history_is_alone(const char *verdict, double ratio, double baseline);

/* `values` above 0 (ratios, or times of one arm), the oldest first. They change as steadiness.h
 * says: by ranks, 5 points at least on either side, so that the last points alone are no change;
 * medians 1 % or more apart. Where there are too many changes, the latest are kept. 0 or -ENOMEM.
 */
int sl_history_make(const double *values, size_t count, bool exact, struct sl_history *out);

/* Says which arm changed the ratio, by the relative changes of both arms' costs (0.1: 10 % more):
 * a ratio that rises because off costs more is no improvement. Times that change
 * by less than 1 % have not moved; `exact` counts move however little they change. */
const char *sl_history_meaning(double off, double on, bool exact);

/* Is the last stretch worse than the one before it by more than `threshold` (0.05: 5 %)? `lower`:
 * lower values are worse, as of ratios. */
bool sl_history_regressed(const struct sl_history *history, bool lower, double threshold);
