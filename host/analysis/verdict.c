/* host/analysis/verdict.c */
#include "host/analysis/verdict.h"

#include <math.h>
#include <stdbool.h>

#include "common/format/sltrace.h"
#include "host/analysis/bootstrap.h"
#include "host/analysis/comparison.h"

static const char *const verdicts[] = {"faster", "slower",       "equivalent", "inconclusive",
                                       "unfit",  "incomparable", "wrong"};

const char *sl_verdict_name(const struct sl_comparison *c)
{
    static const char *const counted[] = {[SL_VERDICT_FASTER] = "fewer-instructions",
                                          [SL_VERDICT_SLOWER] = "more-instructions",
                                          [SL_VERDICT_EQUIVALENT] = "equal"};
    bool is_counted = c->unit == SL_TRACE_INSTRUCTIONS && c->verdict <= SL_VERDICT_EQUIVALENT;
    return is_counted ? counted[c->verdict] : verdicts[c->verdict];
}

int sl_verdict_gate(const struct sl_comparison *c, double threshold)
{
    double floor = isfinite(c->noise_floor) ? 1 + c->noise_floor : 1;
    struct sl_interval all = sl_comparison_interval(c);
    if (c->verdict > SL_VERDICT_INCONCLUSIVE)
        return SL_GATE_OPEN;
    if (c->method == SL_METHOD_EXACT)
        return 1 / c->ratio - 1 > threshold ? SL_GATE_FAILED : SL_GATE_PASSED;
    if (all.low >= floor / (1 + threshold))
        return SL_GATE_PASSED;
    return all.high * floor < 1 / (1 + threshold) ? SL_GATE_FAILED : SL_GATE_OPEN;
}
