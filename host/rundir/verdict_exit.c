/* host/rundir/verdict_exit.c */
#include "host/rundir/verdict_exit.h"

#include "host/analysis/comparison.h"

enum { DONE = 0, WRONG = 1, REGRESSION = 3, NOTHING_SHOWN = 4 };

int sl_verdict_exit_code(const struct sl_comparison *comparison, double threshold_percent)
{
    double slowdown_percent = comparison->ratio > 0 ? 100 / comparison->ratio - 100 : 0;
    switch (comparison->verdict) {
    case SL_VERDICT_FASTER:
    case SL_VERDICT_EQUIVALENT:
        return DONE;
    case SL_VERDICT_SLOWER:
        return slowdown_percent > threshold_percent ? REGRESSION : DONE;
    case SL_VERDICT_WRONG:
        return WRONG;
    default:
        return NOTHING_SHOWN;
    }
}
