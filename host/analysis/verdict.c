/* host/analysis/verdict.c */
#include "host/analysis/verdict.h"

#include <math.h>

#include "host/analysis/bootstrap.h"
#include "host/analysis/comparison.h"
#include "host/analysis/statistics.h"
#include "host/analysis/stopping.h"
#include "host/analysis/unpaired.h"

/* To find a change in four of five experiments takes 0.84 standard errors more than half an
 * interval is, and some more because the spread itself is only estimated. The wider interval
 * decides. */
double sl_verdict_detectable(const struct sl_comparison *c)
{
    double errors = sl_normal_width(sl_stopping_confidence(c->confidence, c->looks));
    double width = fmax(log(c->high) - log(c->low), log(c->sign_high) - log(c->sign_low));
    return expm1(width / 2 * (errors + 0.88) / errors);
}

static bool within(struct sl_interval interval, double margin)
{
    return interval.low > 1 / (1 + margin) && interval.high < 1 + margin;
}

/* The device's: what lies below is not told from nothing. */
static double floor_of(const struct sl_comparison *c)
{
    return isfinite(c->noise_floor) ? c->noise_floor : 0;
}

/* With few blocks the exact interval decides, if there is one: a bootstrap has too little to draw
 * from. */
static void prefer_exact(struct sl_comparison *c)
{
    if (c->blocks >= SL_COMPARISON_MIN_BLOCKS || c->method == SL_METHOD_PROCESSES)
        return;
    c->low = c->sign_low;
    c->high = c->sign_high;
}

void sl_verdict_judge(struct sl_comparison *c)
{
    prefer_exact(c);
    struct sl_interval all = sl_comparison_interval(c);
    double device = floor_of(c);
    double floor = c->method == SL_METHOD_UNPAIRED ? fmax(device, SL_UNPAIRED_FLOOR) : device;
    bool few = c->blocks < SL_COMPARISON_MIN_BLOCKS && c->method != SL_METHOD_PROCESSES;
    c->detectable = sl_verdict_detectable(c);
    c->verdict = SL_VERDICT_INCONCLUSIVE;
    if (!isfinite(all.low)) {
        sl_comparison_note(c, "only %zu %s: too few for a verdict, at least %d are needed",
                           c->blocks,
                           c->method == SL_METHOD_PAIRED ? "pairs" : "runs on the smaller side",
                           SL_COMPARISON_MIN_BLOCKS);
        return;
    }
    if (few && c->method == SL_METHOD_PAIRED)
        sl_comparison_note(c, "only %zu pairs: the exact interval by signs alone decides",
                           c->blocks);
    else if (few)
        sl_comparison_note(c,
                           "only %zu runs on the smaller side: the shortest and longest run of "
                           "either side decide",
                           c->blocks);
    bool even =
        within((struct sl_interval){few ? all.low : c->low, few ? all.high : c->high}, c->margin);
    if (within((struct sl_interval){c->ratio, c->ratio}, floor) && !(even && floor <= c->margin)) {
        sl_comparison_note(c, "%.2g %% is below %s, %.2g %%: cannot tell", 100 * fabs(c->ratio - 1),
                           c->method == SL_METHOD_UNPAIRED ? "what unpaired runs tell apart"
                                                           : "this device's noise floor",
                           100 * floor);
    } else if (even) {
        c->verdict = SL_VERDICT_EQUIVALENT;
        sl_comparison_note(c, "the whole interval lies within the margin of %.2g %%",
                           100 * c->margin);
    } else if (all.low <= 1 && all.high >= 1) {
        sl_comparison_note(c, "%s includes 1; changes below %.2g %% would often go unseen",
                           c->method == SL_METHOD_UNPAIRED || (c->low <= 1 && c->high >= 1)
                               ? "the interval of the ratio"
                               : "the exact interval by signs",
                           100 * c->detectable);
    } else {
        c->verdict = all.low > 1 ? SL_VERDICT_FASTER : SL_VERDICT_SLOWER;
    }
}
