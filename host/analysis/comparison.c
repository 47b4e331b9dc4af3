/* host/analysis/comparison.c */
#include "host/analysis/comparison.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/format/sltrace.h"
#include "host/analysis/agreement.h"
#include "host/analysis/attribution.h"
#include "host/analysis/bootstrap.h"
#include "host/analysis/dependence.h"
#include "host/analysis/operator_interval.h"
#include "host/analysis/operator_join.h"
#include "host/analysis/order.h"
#include "host/analysis/processes.h"
#include "host/analysis/run_kinds.h"
#include "host/analysis/statistics.h"
#include "host/analysis/steadiness.h"
#include "host/analysis/steady_runs.h"
#include "host/analysis/unpaired.h"

/* The measured runs of both sides, as the method wants them. */
struct data {
    struct sl_block *baseline, *candidate; /* runs, in the order of the file */
    size_t baseline_count, candidate_count;
    struct sl_block *pairs;
    uint32_t *pair_numbers; /* of the schedule, ascending */
    size_t pair_count;
    double *seen; /* log ratios of all pairs, cold ones too: what a stopping rule looked at */
    size_t seen_count;
};

const char *sl_comparison_method_name(int method)
{
    static const char *const names[] = {"paired-block-bootstrap", "block-bootstrap", "exact",
                                        "processes"};
    return names[method];
}

static void put_reason(struct sl_comparison *c, const char *format, va_list args)
{
    if (c->reason_count < SL_COMPARISON_MAX_REASONS)
        vsnprintf(c->reasons[c->reason_count++], sizeof(c->reasons[0]), format, args);
}

void sl_comparison_note(struct sl_comparison *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put_reason(c, format, args);
    va_end(args);
}

void sl_comparison_overrule(struct sl_comparison *c, int verdict, const char *why, ...)
{
    va_list args;
    if (c->verdict == SL_VERDICT_WRONG)
        return;
    c->verdict = verdict;
    va_start(args, why);
    put_reason(c, why, args);
    va_end(args);
}

static void take_runs(const struct sl_attribution *a, int side, struct sl_block *out)
{
    size_t n = 0;
    for (size_t i = 0; i < a->run_count; i++) {
        const struct sl_attribution_run *run = &a->runs[i];
        if (run->warmup)
            continue;
        out[n].value = (double)run->end_to_end;
        for (int c = 0; c < SL_CATEGORY_COUNT; c++)
            out[n].categories[side][c] = (double)run->categories[c];
        n++;
    }
}

static bool left_out(const struct sl_attribution_run *run, bool with_cold)
{
    return run->warmup && !(with_cold && run->cold);
}

/* Mean of the runs of `a` that belong to `pair`; false if there are none. */
static bool mean_of_pair(const struct sl_attribution *a, bool with_cold, size_t *at, uint32_t pair,
                         int side, struct sl_block *out)
{
    double runs = 0;
    out->value = 0;
    for (; *at < a->run_count && (left_out(&a->runs[*at], with_cold) || a->runs[*at].pair <= pair);
         (*at)++) {
        const struct sl_attribution_run *run = &a->runs[*at];
        if (left_out(run, with_cold) || run->pair != pair)
            continue;
        runs++;
        out->value += (double)run->end_to_end;
        for (int c = 0; c < SL_CATEGORY_COUNT; c++)
            out->categories[side][c] += (double)run->categories[c];
    }
    out->value /= runs;
    for (int c = 0; c < SL_CATEGORY_COUNT; c++)
        out->categories[side][c] /= runs;
    return runs > 0;
}

/* Pairs run in ascending order in the file of either side. */
static void take_pairs(const struct sl_attribution *baseline,
                       const struct sl_attribution *candidate, bool with_cold, struct data *data)
{
    data->pair_count = 0;
    size_t b = 0, c = 0;
    uint32_t seen = 0; /* one past the last pair */
    for (size_t i = 0; i < baseline->run_count; i++) {
        const struct sl_attribution_run *run = &baseline->runs[i];
        struct sl_block pair = {.value = 0};
        if (left_out(run, with_cold) || run->pair == UINT32_MAX || (seen > 0 && run->pair < seen))
            continue;
        seen = run->pair + 1;
        if (!mean_of_pair(baseline, with_cold, &b, run->pair, 0, &pair))
            continue;
        double base = pair.value;
        if (!mean_of_pair(candidate, with_cold, &c, run->pair, 1, &pair))
            continue;
        pair.value = log(base / pair.value);
        data->pair_numbers[data->pair_count] = run->pair;
        data->pairs[data->pair_count++] = pair;
    }
}

static int take_data(const struct sl_attribution *baseline, const struct sl_attribution *candidate,
                     bool separate, struct data *data)
{
    data->baseline_count = baseline->measured_count;
    data->candidate_count = candidate->measured_count;
    data->baseline = sl_calloc(data->baseline_count, sizeof(*data->baseline));
    data->candidate = sl_calloc(data->candidate_count, sizeof(*data->candidate));
    size_t most = data->baseline_count + baseline->cold_count;
    data->pairs = sl_calloc(most, sizeof(*data->pairs));
    data->pair_numbers = sl_calloc(most, sizeof(*data->pair_numbers));
    data->seen = sl_calloc(most, sizeof(*data->seen));
    if (!data->baseline || !data->candidate || !data->pairs || !data->pair_numbers || !data->seen)
        return -ENOMEM;
    take_runs(baseline, 0, data->baseline);
    take_runs(candidate, 1, data->candidate);
    if ((baseline->traced || baseline->in_rounds) && (candidate->traced || candidate->in_rounds) &&
        !separate) {
        take_pairs(baseline, candidate, true, data);
        data->seen_count = data->pair_count;
        for (size_t i = 0; i < data->seen_count; i++)
            data->seen[i] = data->pairs[i].value;
        take_pairs(baseline, candidate, false, data);
    }
    return 0;
}

static int median_of(const struct sl_block *blocks, size_t n, double *out)
{
    double *values = sl_malloc(n, sizeof(*values));
    if (!values)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++)
        values[i] = blocks[i].value;
    *out = sl_median_in_place(values, n);
    sl_free(values);
    return 0;
}

static double mean_category(const struct sl_block *blocks, size_t n, int side, int category)
{
    long double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (long double)blocks[i].categories[side][category];
    return n == 0 ? NAN : (double)(sum / (long double)n);
}

static double mean_value(const struct sl_block *blocks, size_t n)
{
    long double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (long double)blocks[i].value;
    return n == 0 ? NAN : (double)(sum / (long double)n);
}

/* Those of the whole and its categories. */
static void drop_intervals(struct sl_comparison *c)
{
    c->whole_low = c->whole_high = NAN;
    for (int k = 0; k < SL_CATEGORY_COUNT; k++) {
        struct sl_category_shift *shift = &c->categories[k];
        shift->delta_low = shift->delta_high = NAN;
        shift->share_low[0] = shift->share_high[0] = NAN;
        shift->share_low[1] = shift->share_high[1] = NAN;
    }
}

static void shift_categories(struct sl_comparison *c, const struct data *data)
{
    double base = mean_value(data->baseline, data->baseline_count);
    double cand = mean_value(data->candidate, data->candidate_count);
    for (int k = 0; k < SL_CATEGORY_COUNT; k++) {
        struct sl_category_shift *shift = &c->categories[k];
        shift->baseline = mean_category(data->baseline, data->baseline_count, 0, k);
        shift->candidate = mean_category(data->candidate, data->candidate_count, 1, k);
        shift->delta = shift->candidate - shift->baseline;
        shift->share_baseline = base == 0 ? NAN : shift->baseline / base;
        shift->share_candidate = cand == 0 ? NAN : shift->candidate / cand;
    }
    c->whole_baseline = base;
    c->whole_candidate = cand;
    drop_intervals(c);
}

/* Why the two cannot be compared at all; false if they can. */
static bool incomparable(struct sl_comparison *c, const struct sl_attribution *baseline,
                         const struct sl_attribution *candidate, const struct data *data)
{
    size_t before = c->reason_count;
    if (baseline->unit != candidate->unit)
        sl_comparison_note(c, "one side is in nanoseconds, the other in executed instructions");
    if (data->baseline_count == 0 || data->candidate_count == 0)
        sl_comparison_note(c, "the %s has no measured run",
                           data->baseline_count == 0 ? "baseline" : "candidate");
    for (size_t i = 0; i < data->baseline_count + data->candidate_count; i++) {
        double value = i < data->baseline_count ? data->baseline[i].value
                                                : data->candidate[i - data->baseline_count].value;
        if (value > 0)
            continue;
        sl_comparison_note(c, "a run of the %s took no time at all",
                           i < data->baseline_count ? "baseline" : "candidate");
        break;
    }
    return c->reason_count > before;
}

/* Repeats of a counted run must be equal to the instruction. */
static bool repeats_are_equal(struct sl_comparison *c, const char *side,
                              const struct sl_block *runs, size_t n)
{
    double low = runs[0].value, high = low;
    for (size_t i = 1; i < n; i++) {
        low = fmin(low, runs[i].value);
        high = fmax(high, runs[i].value);
    }
    if (low == high)
        return true;
    sl_comparison_note(c,
                       "repeats of the %s differ by %.0f instructions; counted runs must be equal",
                       side, high - low);
    return false;
}

static void judge_exact(struct sl_comparison *c, const struct data *data)
{
    c->method = SL_METHOD_EXACT;
    c->blocks =
        data->baseline_count < data->candidate_count ? data->baseline_count : data->candidate_count;
    c->ratio = c->baseline / c->candidate;
    if (c->stopped.ruled) {
        c->stopped.why = SL_STOPPED_EXACT;
        c->stopped.pairs = c->blocks;
        sl_comparison_note(c, "instructions are counted exactly: no precision or budget of time "
                              "has anything to decide");
    }
    bool same = repeats_are_equal(c, "baseline", data->baseline, data->baseline_count);
    same = repeats_are_equal(c, "candidate", data->candidate, data->candidate_count) && same;
    if (!same)
        c->verdict = SL_VERDICT_UNFIT;
    else if (c->baseline == c->candidate)
        c->verdict = SL_VERDICT_EQUIVALENT;
    else
        c->verdict = c->baseline > c->candidate ? SL_VERDICT_FASTER : SL_VERDICT_SLOWER;
}

/* The plan of all resampling: widened where the data were looked at several times. */
static struct sl_bootstrap_plan resampling(const struct sl_comparison *c, bool parts)
{
    return (struct sl_bootstrap_plan){c->seed, c->iterations,
                                      sl_stopping_confidence(c->confidence, c->looks), parts};
}

/* An interval's bound so many times farther from `center`. */
static double widen(double bound, double center, double factor)
{
    return center + (bound - center) * factor;
}

static struct sl_interval widen_ratio(struct sl_interval interval, double ratio, double factor)
{
    return (struct sl_interval){exp(widen(log(interval.low), log(ratio), factor)),
                                exp(widen(log(interval.high), log(ratio), factor))};
}

static void note_dependence(struct sl_comparison *c, const char *blocks)
{
    if (2 * c->effective >= (double)c->blocks)
        return;
    sl_comparison_note(c,
                       "neighbouring %s resemble each other: %zu say as much as %.0f independent "
                       "ones, and the intervals are %.1f times as wide for it",
                       blocks, c->blocks, floor(c->effective), c->widening);
}

static int cancel_order(struct sl_comparison *c, struct sl_block *pairs, size_t n)
{
    double effect = 0;
    double *values = sl_malloc(n, sizeof(*values));
    if (!values)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++)
        values[i] = pairs[i].value;
    int rc = sl_order_cancel(values, n, &effect);
    for (size_t i = 0; rc == 0 && i < n; i++)
        pairs[i].value = values[i];
    sl_free(values);
    if (effect != 0)
        sl_comparison_note(c, "which side of a pair ran first shifts it by %.2g %%: cancelled",
                           100 * fabs(expm1(effect)));
    return rc;
}

/* Compares processes as the sample, if there are several. */
static int compare_processes(struct sl_comparison *c, const struct sl_time_pair *pairs,
                             const struct sl_block *blocks, size_t n)
{
    struct sl_processes found = {.count = 0};
    double *values = sl_malloc(n, sizeof(*values));
    uint32_t *processes = sl_malloc(n, sizeof(*processes));
    int rc = values && processes ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < n; i++) {
        values[i] = blocks[i].value;
        processes[i] = pairs[i].process;
    }
    if (rc == 0)
        rc = sl_processes_of(values, processes, n, resampling(c, false).confidence, &found);
    sl_free(values);
    sl_free(processes);
    if (rc < 0 || found.count < 2)
        return rc;
    c->method = SL_METHOD_PROCESSES;
    c->blocks = found.count;
    c->effective = (double)found.count;
    c->widening = 1;
    c->ratio = exp(found.center);
    c->low = exp(found.low);
    c->high = exp(found.high);
    c->sign_low = c->sign_high = NAN;
    return 0;
}

/* The ratio of interleaved pairs with both of its intervals. */
static int compare_pairs(struct sl_comparison *c, const struct sl_block *pairs, size_t n,
                         bool parts, struct sl_bootstrap *result)
{
    struct sl_bootstrap_plan plan = resampling(c, parts);
    struct sl_dependence dependence;
    double *values = sl_malloc(n, sizeof(*values));
    if (!values)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++)
        values[i] = pairs[i].value;
    int rc = sl_dependence_of(values, n, plan.confidence, &dependence);
    c->method = SL_METHOD_PAIRED;
    c->blocks = n;
    c->ratio = exp(sl_median_in_place(values, n));
    struct sl_interval sign = sl_sign_interval(values, n, plan.confidence);
    sl_free(values);
    if (rc == 0)
        rc = sl_bootstrap_pairs(pairs, n, &plan, result);
    if (rc < 0)
        return rc;
    c->effective = dependence.effective;
    c->widening = dependence.widening;
    sign = widen_ratio((struct sl_interval){exp(sign.low), exp(sign.high)}, c->ratio, c->widening);
    c->sign_low = sign.low;
    c->sign_high = sign.high;
    result->ratio = widen_ratio(result->ratio, c->ratio, c->widening);
    return 0;
}

/* Logarithms of the runs of both sides; the second side's stand behind the first's. */
static double *take_logs(const struct data *data, struct sl_unpaired_side sides[2])
{
    size_t n = data->baseline_count;
    double *logs = sl_malloc(n + data->candidate_count, sizeof(*logs));
    if (!logs)
        return NULL;
    for (size_t i = 0; i < n; i++)
        logs[i] = log(data->baseline[i].value);
    for (size_t i = 0; i < data->candidate_count; i++)
        logs[n + i] = log(data->candidate[i].value);
    sides[0] = (struct sl_unpaired_side){logs, n};
    sides[1] = (struct sl_unpaired_side){logs + n, data->candidate_count};
    return logs;
}

static void doubt_sides(struct sl_comparison *c, const struct sl_unpaired_doubt *doubt)
{
    static const char *const names[] = {"baseline", "candidate"};
    const char *side = names[doubt->side];
    if (doubt->kind == SL_UNPAIRED_SOUND)
        return;
    if (doubt->kind == SL_UNPAIRED_TREND)
        sl_comparison_overrule(
            c, SL_VERDICT_UNFIT,
            "the %s drifts by %+.2g %% while it is measured, and nothing cancels "
            "that",
            side, 100 * doubt->size);
    else if (doubt->kind == SL_UNPAIRED_DEPENDENT)
        sl_comparison_overrule(c, SL_VERDICT_UNFIT,
                               "runs of the %s come in waves: all of them say no more than %.1f "
                               "independent ones",
                               side, doubt->size);
    else if (doubt->kind == SL_UNPAIRED_EDGE)
        sl_comparison_overrule(c, SL_VERDICT_UNFIT,
                               "the %s begins or ends at the other side's level, as where a device "
                               "changes its speed",
                               side);
    else
        sl_comparison_overrule(
            c, SL_VERDICT_UNFIT,
            "the sides overlap: in %.0f %% of all cases a run of the faster side "
            "takes longer than one of the slower",
            100 * doubt->size);
    sl_comparison_note(c, "measure both in turns ('sme2lab run' does), or when the device is cool");
}

/* Lets doubts about the series overrule the verdict; runs after the interval was judged. */
static int judge_sides(struct sl_comparison *c, const struct sl_unpaired_side sides[2])
{
    struct sl_unpaired_doubt doubt;
    int rc = sl_unpaired_doubt(sides, &doubt);
    if (rc < 0)
        return rc;
    doubt_sides(c, &doubt);
    return 0;
}

/* The interval that the shortest and longest runs of both sides leave possible. */
static void take_range(struct sl_comparison *c, const struct sl_unpaired_side sides[2])
{
    double low, high;
    if (!sl_unpaired_range(sides, &low, &high))
        return;
    c->sign_low = exp(low) / (1 + SL_UNPAIRED_FLOOR);
    c->sign_high = exp(high) * (1 + SL_UNPAIRED_FLOOR);
}

/* Sides measured one after the other. `out_apart`: how much wider the parts' intervals are. */
static int compare_sides(struct sl_comparison *c, const struct data *data,
                         const struct sl_unpaired_side sides[2], struct sl_bootstrap *result,
                         double *out_apart)
{
    struct sl_bootstrap_plan plan = resampling(c, true);
    double down = 0, up = 0;
    struct sl_dependence dependence[2];
    c->method = SL_METHOD_UNPAIRED;
    c->blocks =
        data->baseline_count < data->candidate_count ? data->baseline_count : data->candidate_count;
    c->ratio = c->baseline / c->candidate;
    sl_comparison_note(c, "unpaired: nothing tells that the runs were interleaved, so drift is not "
                          "cancelled");
    int rc = sl_bootstrap_sides(data->baseline, data->baseline_count, data->candidate,
                                data->candidate_count, &plan, result);
    for (int side = 0; rc == 0 && side < 2; side++)
        rc = sl_dependence_of(sides[side].logs, sides[side].n, plan.confidence, &dependence[side]);
    if (rc < 0)
        return rc;
    c->effective = fmin(dependence[0].effective, dependence[1].effective);
    c->widening = fmax(dependence[0].widening, dependence[1].widening);
    result->ratio = widen_ratio(result->ratio, c->ratio, c->widening);
    rc = sl_unpaired_edges(sides, &down, &up);
    result->ratio.low /= (1 + SL_UNPAIRED_FLOOR) * exp(down);
    result->ratio.high *= (1 + SL_UNPAIRED_FLOOR) * exp(up);
    *out_apart = (1 + SL_UNPAIRED_FLOOR) * exp(fmax(down, up)) - 1;
    bool few = c->blocks < SL_COMPARISON_MIN_BLOCKS;
    if (few)
        take_range(c, sides);
    if (c->blocks >= SL_UNPAIRED_FEW)
        sl_comparison_note(c,
                           "intervals are wider by %.2g %%, what two processes or the ends of a "
                           "recording can differ by",
                           100 * (few ? SL_UNPAIRED_FLOOR : *out_apart));
    return rc;
}

/* Half an interval is so many standard errors; to find a change in four of five experiments takes
 * 0.84 more of them, and some more because the spread itself is only estimated. The wider interval
 * decides. */
static double detectable(const struct sl_comparison *c)
{
    double errors = sl_normal_width(sl_stopping_confidence(c->confidence, c->looks));
    double width = fmax(log(c->high) - log(c->low), log(c->sign_high) - log(c->sign_low));
    return expm1(width / 2 * (errors + 0.88) / errors);
}

/* All that the intervals there are leave possible. Few pairs give a bootstrap too little to draw
 * from: there the exact interval by signs stands alone. Of pairs both must say so else: under drift
 * and heavy tails the bootstrap alone errs somewhat more often than it promises. */
struct sl_interval sl_comparison_interval(const struct sl_comparison *c)
{
    if (c->method == SL_METHOD_EXACT)
        return (struct sl_interval){c->ratio, c->ratio};
    if (c->method == SL_METHOD_PROCESSES)
        return (struct sl_interval){c->low, c->high};
    if (c->blocks < SL_COMPARISON_MIN_BLOCKS)
        return (struct sl_interval){c->sign_low, c->sign_high};
    return (struct sl_interval){fmin(c->low, c->sign_low), fmax(c->high, c->sign_high)};
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

static void judge_interval(struct sl_comparison *c)
{
    prefer_exact(c);
    struct sl_interval all = sl_comparison_interval(c);
    double floor = fmax(floor_of(c), c->method == SL_METHOD_UNPAIRED ? SL_UNPAIRED_FLOOR : 0);
    bool paired = c->method == SL_METHOD_PAIRED;
    bool few = c->blocks < SL_COMPARISON_MIN_BLOCKS && c->method != SL_METHOD_PROCESSES;
    c->detectable = detectable(c);
    c->verdict = SL_VERDICT_INCONCLUSIVE;
    if (!isfinite(all.low)) {
        sl_comparison_note(c,
                           "only %zu %s: too few for a verdict; %d may be enough where they agree, "
                           "%d or more are better",
                           c->blocks, paired ? "pairs" : "runs on the smaller side",
                           paired ? sl_sign_least(sl_stopping_confidence(c->confidence, c->looks))
                                  : SL_UNPAIRED_FEW,
                           SL_COMPARISON_MIN_BLOCKS);
        return;
    }
    if (few && paired)
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

static void note_end(struct sl_comparison *c)
{
    const struct sl_stopped *s = &c->stopped;
    double seen = s->look_count > 0 ? s->looks[s->look_count - 1].half_width : NAN;
    char width[64] = "";
    if (isfinite(seen))
        snprintf(width, sizeof(width), ": +-%.3g %% of the +-%.3g %% asked for", 100 * seen,
                 s->rule.precision_percent);
    if (s->why == SL_STOPPED_PRECISE)
        sl_comparison_note(c, "stopped by precision after %zu pairs%s", s->pairs, width);
    else if (s->why == SL_STOPPED_BUDGET)
        sl_comparison_note(c, "the budget of %g s ended after %zu pairs%s", s->rule.budget_s,
                           s->pairs, width);
    else
        sl_comparison_note(c, "ended after all %zu pairs%s", s->pairs, width);
}

/* The looks that the run took, taken again: they widen the intervals. */
static int take_looks(struct sl_comparison *c, const struct data *data)
{
    const struct sl_stopping_rule rule = c->stopped.rule;
    const struct sl_stopping_plan plan = {
        .confidence = c->confidence, .seed = c->seed, .iterations = c->iterations};
    int rc = sl_stopping_replay(&rule, &plan, data->seen, data->seen_count, &c->stopped);
    if (rc == 0 && rule.precision_percent > 0)
        c->looks = sl_stopping_looks(data->seen_count);
    return rc;
}

static void put_parts(struct sl_comparison *c, const struct sl_bootstrap *result, double apart)
{
    double f = c->widening;
    double whole = c->whole_candidate - c->whole_baseline;
    double slack = apart * fmax(c->whole_baseline, c->whole_candidate);
    c->low = result->ratio.low;
    c->high = result->ratio.high;
    c->whole_low = widen(result->whole.low, whole, f) - slack;
    c->whole_high = widen(result->whole.high, whole, f) + slack;
    for (int k = 0; k < SL_CATEGORY_COUNT; k++) {
        struct sl_category_shift *shift = &c->categories[k];
        const double shares[2] = {shift->share_baseline, shift->share_candidate};
        slack = apart * fmax(shift->baseline, shift->candidate);
        shift->delta_low = widen(result->categories[k].low, shift->delta, f) - slack;
        shift->delta_high = widen(result->categories[k].high, shift->delta, f) + slack;
        for (int side = 0; side < 2; side++) {
            shift->share_low[side] = fmax(0, widen(result->shares[side][k].low, shares[side], f));
            shift->share_high[side] = fmin(1, widen(result->shares[side][k].high, shares[side], f));
        }
    }
}

static int compare_interleaved(struct sl_comparison *c, const struct data *data)
{
    struct sl_bootstrap result;
    int rc = c->stopped.ruled ? take_looks(c, data) : 0;
    if (rc == 0)
        rc = cancel_order(c, data->pairs, data->pair_count);
    if (rc == 0)
        rc = compare_pairs(c, data->pairs, data->pair_count, true, &result);
    if (rc < 0)
        return rc;
    put_parts(c, &result, 0);
    judge_interval(c);
    note_dependence(c, "pairs");
    if (c->stopped.ruled)
        note_end(c);
    return 0;
}

/* The ratio is of medians and the tables of means: where a few long runs turn them apart, say so.
 */
static void note_means(struct sl_comparison *c)
{
    double means = c->whole_baseline / c->whole_candidate;
    if (c->verdict <= SL_VERDICT_SLOWER && (c->ratio > 1) != (means > 1))
        sl_comparison_note(c,
                           "the means say %.3fx: a few long runs weigh in the tables, and not in "
                           "the ratio of medians",
                           means);
}

static int compare_separate(struct sl_comparison *c, const struct data *data)
{
    struct sl_unpaired_side sides[2];
    struct sl_bootstrap result;
    double apart = 0, *logs = take_logs(data, sides);
    int rc = logs ? compare_sides(c, data, sides, &result, &apart) : -ENOMEM;
    if (rc == 0) {
        put_parts(c, &result, apart);
        judge_interval(c);
        rc = judge_sides(c, sides);
        note_dependence(c, "runs");
    }
    sl_free(logs);
    return rc;
}

static int judge(struct sl_comparison *c, const struct data *data)
{
    int rc = median_of(data->baseline, data->baseline_count, &c->baseline);
    if (rc == 0)
        rc = median_of(data->candidate, data->candidate_count, &c->candidate);
    if (rc < 0)
        return rc;
    if (c->unit == SL_TRACE_INSTRUCTIONS) {
        c->iterations = 0;
        judge_exact(c, data);
        return 0;
    }
    return data->pair_count > 0 ? compare_interleaved(c, data) : compare_separate(c, data);
}

/* Whatever makes unpaired sides unfit makes their resampled intervals too narrow: they show what
 * their shortest and longest runs leave possible, and the parts show none. */
static int open_intervals(struct sl_comparison *c, const struct data *data)
{
    struct sl_unpaired_side sides[2];
    if (c->verdict != SL_VERDICT_UNFIT || c->method != SL_METHOD_UNPAIRED)
        return 0;
    double *logs = take_logs(data, sides);
    if (!logs)
        return -ENOMEM;
    take_range(c, sides);
    sl_free(logs);
    c->low = c->sign_low;
    c->high = c->sign_high;
    c->detectable = detectable(c);
    drop_intervals(c);
    return 0;
}

/* Runs of several methods side by side: which of them the medians are of depends on their numbers.
 */
static void note_kinds(struct sl_comparison *c, const char *side, const struct sl_attribution *a)
{
    struct sl_attribution_kind kinds[SL_ATTRIBUTION_KINDS_MAX];
    size_t count = sl_attribution_kinds(a, kinds), largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = kinds[i].count > largest ? kinds[i].count : largest;
    if (c->method == SL_METHOD_UNPAIRED && largest * 10 < a->measured_count * 9)
        sl_comparison_overrule(c, SL_VERDICT_UNFIT,
                               "runs of the %s do different work, %zu kinds of it: a median of all "
                               "is of none",
                               side, count);
}

static int note_side(struct sl_comparison *c, const char *side, const struct sl_attribution *a)
{
    struct sl_steadiness found;
    size_t warming = 0;
    if (a->event_operators && c->verdict != SL_VERDICT_INCOMPARABLE)
        note_kinds(c, side, a);
    int rc = sl_steadiness_of_runs(a, &found, &warming);
    if (rc < 0)
        return rc;
    if (found.state == SL_STEADINESS_UNSTEADY && c->method == SL_METHOD_UNPAIRED)
        sl_comparison_overrule(
            c, SL_VERDICT_UNFIT,
            "the %s never reached a steady state: %zu changes, the last at run %u", side,
            found.change_count, a->runs[found.from].run);
    else if (found.state == SL_STEADINESS_UNSTEADY)
        sl_comparison_note(c,
                           "the %s never reached a steady state: %zu changes, the last at run %u",
                           side, found.change_count, a->runs[found.from].run);
    else if (warming > 0)
        sl_comparison_note(c, "the first %zu measured runs of the %s are warm-up still", warming,
                           side);
    if (found.mode_count == 2)
        sl_comparison_note(c, "the %s has two modes, %.3g times apart, with %zu and %zu runs", side,
                           found.modes[1].median / found.modes[0].median, found.modes[0].count,
                           found.modes[1].count);
    return 0;
}

static int note_steadiness(struct sl_comparison *c, const struct sl_attribution *baseline,
                           const struct sl_attribution *candidate)
{
    int rc = note_side(c, "baseline", baseline);
    return rc < 0 ? rc : note_side(c, "candidate", candidate);
}

static void check_outputs(struct sl_comparison *c, const struct sl_agreement *agreement)
{
    if (!agreement || agreement->agree)
        return;
    c->verdict = SL_VERDICT_WRONG;
    if (isinf(agreement->max_rel))
        sl_comparison_note(c, "an output has another size, or numbers that are finite on one side "
                              "alone");
    else if (agreement->max_rel <= agreement->tolerance)
        sl_comparison_note(c,
                           "the outputs' differences have a root mean square of %.3g of the "
                           "outputs'; %.3g is tolerated",
                           agreement->rms_rel, agreement->rms_tolerance);
    else
        sl_comparison_note(c, "the outputs differ by %.3g of their peak; %.3g is tolerated",
                           agreement->max_rel, agreement->tolerance);
}

static struct sl_comparison start(const struct sl_comparison_options *options, int unit)
{
    struct sl_comparison c = {.unit = unit, .ratio = NAN, .low = NAN, .high = NAN};
    c.baseline = c.candidate = c.sign_low = c.sign_high = c.detectable = NAN;
    c.whole_baseline = c.whole_candidate = c.whole_low = c.whole_high = c.effective = NAN;
    c.widening = 1;
    c.looks = options->looks;
    if (options->rule)
        c.stopped = (struct sl_stopped){.ruled = true, .rule = *options->rule};
    c.seed = options->seed;
    c.iterations = options->iterations ? options->iterations : 10000;
    c.confidence = options->confidence > 0 ? options->confidence : 0.95;
    c.margin = options->margin > 0 ? options->margin : 0.01;
    c.noise_floor = options->noise_floor;
    return c;
}

int sl_comparison_make(const struct sl_attribution *baseline,
                       const struct sl_attribution *candidate,
                       const struct sl_comparison_options *options, struct sl_comparison *out)
{
    struct sl_comparison made = start(options, candidate->unit);
    struct data data = {.baseline = NULL};
    int rc = take_data(baseline, candidate, options->separate, &data);
    if (rc < 0)
        goto end;
    shift_categories(&made, &data);
    if (incomparable(&made, baseline, candidate, &data))
        made.verdict = SL_VERDICT_INCOMPARABLE;
    else
        rc = judge(&made, &data);
    if (rc == 0)
        rc = note_steadiness(&made, baseline, candidate);
    if (rc == 0)
        rc = open_intervals(&made, &data);
    note_means(&made);
    if (rc == 0)
        rc = sl_operator_join(baseline, candidate, &made.operators, &made.operator_count);
    if (rc == 0 && made.verdict != SL_VERDICT_INCOMPARABLE && made.method == SL_METHOD_PAIRED) {
        struct sl_bootstrap_plan plan = resampling(&made, true);
        rc = sl_operator_intervals(baseline, candidate, data.pair_numbers, data.pair_count, &plan,
                                   made.operators, made.operator_count);
    }
    if (rc == 0)
        check_outputs(&made, options->agreement);
end:
    sl_free(data.baseline);
    sl_free(data.candidate);
    sl_free(data.pairs);
    sl_free(data.pair_numbers);
    sl_free(data.seen);
    if (rc < 0)
        sl_comparison_fini(&made);
    else
        *out = made;
    return rc;
}

static double median_side(const struct sl_time_pair *pairs, double *scratch, size_t n,
                          bool candidate)
{
    for (size_t i = 0; i < n; i++)
        scratch[i] = candidate ? pairs[i].candidate : pairs[i].baseline;
    return sl_median_in_place(scratch, n);
}

/* In each process by itself. */
static int cancel_orders(struct sl_comparison *c, const struct sl_time_pair *pairs,
                         struct sl_block *blocks, size_t n)
{
    int rc = 0;
    for (size_t first = 0, end; rc == 0 && first < n; first = end) {
        for (end = first; end < n && pairs[end].process == pairs[first].process; end++)
            ;
        rc = cancel_order(c, blocks + first, end - first);
    }
    return rc;
}

int sl_comparison_make_pairs(const struct sl_time_pair *pairs, size_t n,
                             const struct sl_comparison_options *options, struct sl_comparison *out)
{
    struct sl_comparison made = start(options, SL_TRACE_NS);
    struct sl_bootstrap result;
    struct sl_block *blocks = sl_calloc(n, sizeof(*blocks));
    double *scratch = sl_malloc(n, sizeof(*scratch));
    int rc = blocks && scratch ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < n; i++)
        blocks[i].value = log(pairs[i].baseline / pairs[i].candidate);
    if (rc == 0) {
        made.baseline = median_side(pairs, scratch, n, false);
        made.candidate = median_side(pairs, scratch, n, true);
        rc = cancel_orders(&made, pairs, blocks, n);
    }
    if (rc == 0)
        rc = compare_pairs(&made, blocks, n, false, &result);
    if (rc == 0) {
        made.low = result.ratio.low;
        made.high = result.ratio.high;
        rc = compare_processes(&made, pairs, blocks, n);
    }
    sl_free(scratch);
    sl_free(blocks);
    if (rc < 0)
        return rc;
    judge_interval(&made);
    note_dependence(&made, "pairs");
    check_outputs(&made, options->agreement);
    *out = made;
    return 0;
}

void sl_comparison_fini(struct sl_comparison *comparison)
{
    sl_free(comparison->operators);
    *comparison = (struct sl_comparison){.verdict = SL_VERDICT_INCOMPARABLE};
}
