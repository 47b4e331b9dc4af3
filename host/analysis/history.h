/* host/analysis/history.h: a series of runs of one model on one device: where its ratio changed.
 * Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/analysis/steadiness.h"

enum { SL_HISTORY_MAX_CHANGES = SL_STEADINESS_MAX_CHANGES };

/* The series falls into stretches; a change begins the next one. */
struct sl_history_stretch {
    size_t first, count; /* points */
    double median;       /* of their ratios */
};

struct sl_history {
    bool exact;   /* counted: every other figure is a change */
    bool enough;  /* of times: at least SL_STEADINESS_MIN_RUNS points; else no change is sought */
    size_t count; /* of stretches; 0 for no points */
    struct sl_history_stretch stretches[SL_HISTORY_MAX_CHANGES + 1];
};

/* `ratios` above 0, the oldest first. Times change as steadiness.h says: by ranks, 5 points at
 * least on either side, so that the last points alone are no change; medians 1 % or more apart.
 * Where there are too many changes, the latest are kept. 0 or -ENOMEM. */
int sl_history_make(const double *ratios, size_t count, bool exact, struct sl_history *out);
