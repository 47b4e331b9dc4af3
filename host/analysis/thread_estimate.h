/* host/analysis/thread_estimate.h: what an estimate of one thread comes to on several. Pure.
 *
 * The cores of a cluster share its unit for streaming code, so what the unit does is divided among
 * units, what a core does among threads, and memory and the code between operators by nothing. */
#pragma once

#include <stdbool.h>

#include "host/analysis/estimate.h"

/* Nanoseconds of one thread, by who can share them. */
struct sl_thread_work {
    double core_ns, unit_ns, alone_ns;
};

/* Adds what an operator spends, by enum sl_bound; `alone`: it is the code between operators. */
void sl_thread_work_add(struct sl_thread_work *work, const double spent_ns[SL_BOUND_COUNT],
                        bool alone);

double sl_thread_time_ns(const struct sl_thread_work *work, unsigned threads, double units);

enum { SL_THREADS_MOST = 64 };

/* The least number of threads from which `off`, which needs no unit, takes no longer than `on`;
 * 0: more than SL_THREADS_MOST. */
unsigned sl_thread_crossover(const struct sl_thread_work *off, const struct sl_thread_work *on,
                             double units);
