/* host/analysis/processes.h: a ratio from several processes. Each process has an offset of its own
 * for as long as it lives, so pairs of one process say nothing of it; processes are the sample.
 * Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { SL_PROCESSES_MAX = 1000 };

struct sl_processes {
    size_t count;
    double center;    /* mean of the processes' medians */
    double low, high; /* Student's interval of it; NAN of one process */
};

/* Groups `n` values by neighbours of the same process number; beyond SL_PROCESSES_MAX groups
 * the last takes the rest. Student's interval of the medians: with three processes a bootstrap over
 * them covers three in four. 0 or -ENOMEM. */
int sl_processes_of(const double *values, const uint32_t *processes, size_t n, double confidence,
                    struct sl_processes *out);
