/* host/analysis/gain.c */
#include "host/analysis/gain.h"

#include <math.h>

#include "host/analysis/bootstrap.h"
#include "host/analysis/comparison.h"
#include "host/analysis/unpaired.h"
#include "host/analysis/verdict.h"

/* Two independent errors add up as their squares do. */
static double together(double a, double b)
{
    return sqrt(a * a + b * b);
}

bool sl_gain_of(const struct sl_comparison *before, const struct sl_comparison *after,
                struct sl_gain *out)
{
    struct sl_interval b = sl_comparison_interval(before);
    struct sl_interval a = sl_comparison_interval(after);
    bool exact = before->method == SL_METHOD_EXACT && after->method == SL_METHOD_EXACT;
    if (before->verdict > SL_VERDICT_INCONCLUSIVE || after->verdict > SL_VERDICT_INCONCLUSIVE ||
        before->unit != after->unit || !(b.low > 0) || !(a.low > 0))
        return false;
    double change = log(after->ratio) - log(before->ratio);
    double down = together(log(after->ratio) - log(a.low), log(b.high) - log(before->ratio));
    double up = together(log(a.high) - log(after->ratio), log(before->ratio) - log(b.low));
    *out = (struct sl_gain){.before = before->ratio,
                            .after = after->ratio,
                            .ratio = exp(change),
                            .low = exp(change - down),
                            .high = exp(change + up),
                            .exact = exact,
                            .floor = fmax(0, fmax(before->noise_floor, after->noise_floor))};
    return true;
}

int sl_gain_gate(const struct sl_gain *gain, double threshold)
{
    double allowed = threshold > 0 || gain->exact ? threshold : SL_UNPAIRED_FLOOR;
    double floor = gain->exact ? 1 : 1 + gain->floor;
    if (gain->exact)
        return 1 / gain->ratio - 1 > allowed ? SL_GATE_FAILED : SL_GATE_PASSED;
    if (gain->low >= floor / (1 + allowed))
        return SL_GATE_PASSED;
    return gain->high * floor < 1 / (1 + allowed) ? SL_GATE_FAILED : SL_GATE_OPEN;
}
