/* host/analysis/calibration.c */
#include "host/analysis/calibration.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/mem.h"
#include "common/format/sltrace.h"
#include "host/analysis/attribution.h"
#include "host/analysis/comparison.h"

/* Neighbours of those that took any time; the number of pairs. */
static size_t take_pairs(const struct sl_attribution *a, struct sl_time_pair *out)
{
    double before = NAN; /* the run that waits for its neighbour */
    size_t n = 0;
    for (size_t i = 0; i < a->run_count; i++) {
        double value = (double)a->runs[i].end_to_end;
        if (a->runs[i].warmup || a->runs[i].end_to_end <= 0)
            continue;
        if (!isfinite(before)) {
            before = value;
            continue;
        }
        bool swapped = n % 2 == 1;
        out[n++] = (struct sl_time_pair){swapped ? value : before, swapped ? before : value, 0};
        before = NAN;
    }
    return n;
}

/* Repeats on the counted clock have to be equal. */
static void judge_counts(const struct sl_time_pair *pairs, size_t n, struct sl_comparison *c)
{
    double low = INFINITY;
    double high = 0;
    for (size_t i = 0; i < n; i++) {
        low = fmin(low, fmin(pairs[i].baseline, pairs[i].candidate));
        high = fmax(high, fmax(pairs[i].baseline, pairs[i].candidate));
    }
    c->unit = SL_TRACE_INSTRUCTIONS;
    c->method = SL_METHOD_EXACT;
    c->reason_count = 0;
    c->iterations = 0;
    c->low = c->high = c->sign_low = c->sign_high = c->detectable = NAN;
    c->noise_floor = high / low - 1;
    c->verdict = low == high ? SL_VERDICT_EQUIVALENT : SL_VERDICT_UNFIT;
    if (low != high)
        sl_comparison_note(c, "repeats differ by %.0f instructions; counted runs must be equal",
                           high - low);
}

/* Returns the largest difference that SL_COMPARISON_MIN_BLOCKS pairs may show between equal sides.
 * More pairs tell this better, but the device is not quieter for having been watched longer: so the
 * interval is taken as wide, and as far from 1, as it is with so few. */
static double floor_of(const struct sl_comparison *c)
{
    double wider = sqrt(fmax(1, (double)c->blocks / (double)SL_COMPARISON_MIN_BLOCKS));
    return expm1(wider * fmax(fabs(log(c->low)), fabs(log(c->high))));
}

int sl_calibration_make(const struct sl_attribution *runs,
                        const struct sl_comparison_options *options, struct sl_comparison *out)
{
    struct sl_comparison_options own = *options;
    struct sl_time_pair *pairs = sl_malloc(runs->run_count / 2 + 1, sizeof(*pairs));
    if (!pairs)
        return -ENOMEM;
    own.noise_floor = NAN;
    own.agreement = NULL;
    own.looks = 0;
    size_t n = take_pairs(runs, pairs);
    int rc = sl_comparison_make_pairs(pairs, n, &own, out);
    if (rc == 0 && n == 0)
        sl_comparison_overrule(out, SL_VERDICT_INCOMPARABLE, "fewer than two runs were measured");
    else if (rc == 0 && runs->unit == SL_TRACE_INSTRUCTIONS)
        judge_counts(pairs, n, out);
    else if (rc == 0)
        out->noise_floor = floor_of(out);
    sl_free(pairs);
    return rc;
}
