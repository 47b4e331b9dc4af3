/* host/analysis/thread_estimate.c */
#include "host/analysis/thread_estimate.h"

#include <math.h>

static bool is_units(int bound)
{
    switch (bound) {
    case SL_BOUND_OUTER:
    case SL_BOUND_ZA_MAC:
    case SL_BOUND_VECTOR:
    case SL_BOUND_ZA_MOVE:
    case SL_BOUND_UNIT_MEMORY:
    case SL_BOUND_SWITCH:
    case SL_BOUND_HAND_OVER:
        return true;
    default:
        return false;
    }
}

void sl_thread_work_add(struct sl_thread_work *work, const double spent_ns[SL_BOUND_COUNT],
                        bool alone)
{
    double unit_ns = 0;
    for (int b = 0; b < SL_BOUND_COUNT; b++)
        unit_ns += is_units(b) ? spent_ns[b] : 0;
    bool streams = unit_ns > 0; /* then sums that wait for one another wait there */
    for (int b = 0; b < SL_BOUND_COUNT; b++) {
        if (alone || b == SL_BOUND_MEMORY)
            work->alone_ns += spent_ns[b];
        else if (is_units(b) || (streams && b == SL_BOUND_DEPENDENCE))
            work->unit_ns += spent_ns[b];
        else
            work->core_ns += spent_ns[b];
    }
}

double sl_thread_time_ns(const struct sl_thread_work *work, unsigned threads, double units)
{
    double n = fmax(threads, 1);
    return work->alone_ns + work->core_ns / n + work->unit_ns / fmin(n, fmax(units, 1));
}

unsigned sl_thread_crossover(const struct sl_thread_work *off, const struct sl_thread_work *on,
                             double units)
{
    for (unsigned n = 1; n <= SL_THREADS_MOST; n++)
        if (sl_thread_time_ns(off, n, units) <= sl_thread_time_ns(on, n, units))
            return n;
    return 0;
}
