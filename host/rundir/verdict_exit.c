/* host/rundir/verdict_exit.c */
#include "host/rundir/verdict_exit.h"

#include "host/analysis/comparison.h"
#include "host/analysis/gain.h"
#include "host/analysis/verdict.h"

enum {
    DONE = 0,
    WRONG = SL_VERDICT_EXIT_WRONG,
    REGRESSION = 3,
    NOTHING_SHOWN = SL_VERDICT_EXIT_NOTHING
};

static const int of_gate[] = {
    [SL_GATE_PASSED] = DONE, [SL_GATE_FAILED] = REGRESSION, [SL_GATE_OPEN] = NOTHING_SHOWN};

int sl_verdict_exit_code(const struct sl_comparison *comparison, double threshold_percent)
{
    static const int of_verdict[] = {
        [SL_VERDICT_FASTER] = DONE,         [SL_VERDICT_SLOWER] = REGRESSION,
        [SL_VERDICT_EQUIVALENT] = DONE,     [SL_VERDICT_INCONCLUSIVE] = NOTHING_SHOWN,
        [SL_VERDICT_UNFIT] = NOTHING_SHOWN, [SL_VERDICT_INCOMPARABLE] = NOTHING_SHOWN,
        [SL_VERDICT_WRONG] = WRONG,
    };
    if (threshold_percent > 0 && comparison->verdict <= SL_VERDICT_INCONCLUSIVE)
        return of_gate[sl_verdict_gate(comparison, threshold_percent / 100)];
    return of_verdict[comparison->verdict];
}

int sl_arms_exit_code(const struct sl_arms *arms, double threshold_percent)
{
    int code = DONE;
    if (arms->has_arm)
        code = sl_verdict_exit_code(&arms->arm, threshold_percent);
    if (arms->has_gain)
        code = sl_verdict_exit_louder(code,
                                      of_gate[sl_gain_gate(&arms->gain, threshold_percent / 100)]);
    return code == NOTHING_SHOWN && !(threshold_percent > 0) ? DONE : code;
}

int sl_verdict_exit_louder(int a, int b)
{
    static const int loudness[] = {[NOTHING_SHOWN] = 1, [REGRESSION] = 2, [WRONG] = 3};
    return loudness[b] > loudness[a] ? b : a;
}
