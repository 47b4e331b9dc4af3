/* host/report/next_step.c */
#include "host/report/next_step.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/format/sltrace.h"
#include "host/analysis/comparison.h"
#include "host/analysis/operator_interval.h"
#include "host/analysis/parts.h"
#include "host/report/analysis.h"
#include "host/report/comparison.h"
#include "host/report/run_estimates.h"
#include "host/report/sme2_proof.h"
#include "host/report/source_lines.h"
#include "host/report/text.h"
#include "host/spec/json_value.h"

static const double unserved_share = 0.01; /* of the candidate's end to end: below it is no step */
static const double hurt_share = 0.01;
static const double portable_share = 0.05;
static const double movement_share = 0.10;
static const double framework_share = 0.10;
static const double part_share = 0.10, part_growth = 1.5, part_points = 0.05;
static const double packing_share = 0.05;
static const double half_share = 0.50;

struct search {
    const struct sl_comparison_report *report;
    const struct sl_comparison *c;
    double whole; /* the candidate's end to end, mean per run */
    bool sme2;    /* the sides differ in it */
    bool placed;  /* source lines speak for operators outside delegates */
    const char *candidate, *baseline;
    double gains[SL_CATEGORY_COUNT]; /* baseline / candidate of what SME2 served; NAN: nothing */
    struct sl_next_step steps[SL_NEXT_STEPS_MAX];
    const struct sl_operator *of[SL_NEXT_STEPS_MAX]; /* each step's; or NULL */
    size_t count;
};

static bool is_sme2(const struct sl_operator *op)
{
    return op && strcmp(sl_sme2_evidence(op), "executed") == 0;
}

static double gain_of(const struct sl_comparison *c, int category)
{
    double off = 0, on = 0;
    for (size_t i = 0; i < c->operator_count; i++) {
        const struct sl_operator_shift *row = &c->operators[i];
        bool served = row->baseline && is_sme2(row->candidate) && !is_sme2(row->baseline);
        if (!served || row->candidate->category != category)
            continue;
        off += row->baseline_cost;
        on += row->candidate_cost;
    }
    return on > 0 && off > on ? off / on : NAN;
}

/* Keeps the steps that save most, in that order. `how` a saving is known: "about ", ""; NULL: it
 * is the most that there is to save. */
__attribute__((format(printf, 5, 6))) static void add(struct search *s,
                                                      const struct sl_operator *op,
                                                      struct sl_next_step step, const char *how,
                                                      const char *format, ...)
{
    va_list args;
    size_t at = s->count;
    while (at > 0 && s->steps[at - 1].saves < step.saves)
        at--;
    if (at == SL_NEXT_STEPS_MAX)
        return;
    va_start(args, format);
    vsnprintf(step.text, sizeof(step.text), format, args);
    va_end(args);
    size_t used = strlen(step.text);
    const char *less = s->c->unit == SL_TRACE_INSTRUCTIONS ? "fewer instructions" : "faster";
    if (step.saves < 1 && how)
        snprintf(step.text + used, sizeof(step.text) - used, ". Worth %s%.1f %%: %.2fx %s", how,
                 100 * step.saves, 1 / (1 - step.saves), less);
    else if (step.saves < 1)
        snprintf(step.text + used, sizeof(step.text) - used, ". If that cost nothing: %.2fx %s",
                 1 / (1 - step.saves), less);
    size_t last = s->count < SL_NEXT_STEPS_MAX ? s->count++ : s->count - 1;
    memmove(&s->steps[at + 1], &s->steps[at], (last - at) * sizeof(step));
    memmove((void *)&s->of[at + 1], (const void *)&s->of[at], (last - at) * sizeof(op));
    s->steps[at] = step;
    s->of[at] = op;
}

/* Operators that SME2 is for and did not serve: they could gain what others of their category did.
 * If the run's policy wants it so, there is nothing to look at. */
static bool add_unserved(struct search *s, const struct sl_operator_shift *row, const char *name)
{
    const struct sl_operator *op = row->candidate;
    double share = row->candidate_cost / s->whole, gain = s->gains[op->category];
    if (!s->sme2 || !op->kernel || !sl_sme2_matters(op) || is_sme2(op) || !(share > unserved_share))
        return false;
    const char *why = sl_sme2_evidence_by(op, s->report->policies.now, sl_sme2_evidence(op));
    if (sl_sme2_kept_out(why))
        return false;
    const struct sl_next_step step = {.rule = "unserved",
                                      .value = share,
                                      .limit = unserved_share,
                                      .saves = isfinite(gain) ? share * (1 - 1 / gain) : share};
    add(s, op, step, isfinite(gain) ? "about " : NULL,
        "Look at why SME2 did not serve %.80s: %.1f %% of end to end %s, and its kernel is no SME2 "
        "one",
        name, 100 * share, s->candidate);
    return true;
}

/* Costlier than before; by SME2 only where it is what the operator's kernels differ in. */
static bool add_costlier(struct search *s, const struct sl_operator_shift *row, const char *name)
{
    double share = (row->candidate_cost - row->baseline_cost) / s->whole;
    /* NAN where nothing tells; then the difference itself has to do. */
    bool chance = row->q > SL_OPERATOR_FALSE_DISCOVERIES;
    if (!row->baseline || chance || !(share > hurt_share))
        return false;
    bool known = row->baseline->kernel && row->candidate->kernel;
    bool by_sme2 = s->sme2 && (known ? is_sme2(row->candidate) && !is_sme2(row->baseline) : true);
    const struct sl_next_step step = {.rule = by_sme2 ? "costlier-with-sme2" : "costlier",
                                      .value = share,
                                      .limit = hurt_share,
                                      .saves = share};
    add(s, row->candidate, step, "", "%s %.80s: %.1f %% of end to end %s are lost on it",
        by_sme2 ? "Keep SME2 away from" : "Look at what became costlier in", name, 100 * share,
        s->candidate);
    return true;
}

static void add_portable(struct search *s, const struct sl_operator_shift *row, const char *name)
{
    const struct sl_operator *op = row->candidate;
    double share = row->candidate_cost / s->whole;
    if (s->placed || op->delegated || op->category_by_name == SL_CATEGORY_FRAMEWORK ||
        !(share > portable_share))
        return;
    const struct sl_next_step step = {
        .rule = "portable", .value = share, .limit = portable_share, .saves = share};
    add(s, op, step, NULL,
        "Delegate the portable operator %.80s: %.1f %% of end to end %s, outside of any delegate "
        "(--etrecord FILE names the line of the model it comes from)",
        name, 100 * share, s->candidate);
}

/* A program without any delegate has one step for all of its portable operators; it stands first,
 * for what delegates would do with them nobody measured. False: some are delegated, or it is one
 * operator. */
static bool add_undelegated(struct search *s)
{
    const struct sl_operator_shift *costliest = NULL;
    double all = 0;
    size_t count = 0;
    char name[SL_TEXT_SIZE];
    for (size_t i = 0; i < s->c->operator_count; i++) {
        const struct sl_operator_shift *row = &s->c->operators[i];
        if (!row->candidate || row->candidate->category_by_name == SL_CATEGORY_FRAMEWORK)
            continue;
        if (row->candidate->delegated)
            return false;
        if (!costliest || row->candidate_cost > costliest->candidate_cost)
            costliest = row;
        all += row->candidate_cost;
        count++;
    }
    if (s->placed || count < 2 || !(all / s->whole > portable_share))
        return false;
    const struct sl_next_step step = {
        .rule = "undelegated", .value = all / s->whole, .limit = portable_share, .saves = NAN};
    sl_text_copy(name, costliest->candidate->name, costliest->candidate->name_len);
    add(s, NULL, step, NULL,
        "Delegate the program: none of its %zu operators is in a delegate, and they are %.1f %% of "
        "end to end %s; the costliest is %.80s with %.1f %%",
        count, 100 * step.value, s->candidate, name, 100 * costliest->candidate_cost / s->whole);
    return true;
}

static void add_operators(struct search *s)
{
    bool undelegated = add_undelegated(s);
    for (size_t i = 0; i < s->c->operator_count; i++) {
        const struct sl_operator_shift *row = &s->c->operators[i];
        char name[SL_TEXT_SIZE];
        if (!row->candidate)
            continue;
        sl_text_copy(name, row->candidate->name, row->candidate->name_len);
        if (!add_unserved(s, row, name) && !add_costlier(s, row, name) && !undelegated)
            add_portable(s, row, name);
    }
}

static void add_lines(struct search *s)
{
    struct sl_source_lines lines = {.count = 0};
    if (s->report->candidate && sl_source_lines_make(s->report->candidate, &lines) < 0)
        return;
    for (size_t i = 0; i < lines.count; i++) {
        const struct sl_source_line *line = &lines.lines[i];
        double share = line->cost / s->whole;
        const struct sl_next_step step = {
            .rule = "source-line", .value = share, .limit = portable_share, .saves = share};
        if (share > portable_share)
            add(s, NULL, step, NULL,
                "%s in %s: %zu operator%s outside of any delegate, %.1f %% of end to end %s. "
                "Rewrite that line so that it is delegated or computes less",
                line->call, line->place, line->operators, line->operators == 1 ? "" : "s",
                100 * share, s->candidate);
    }
    s->placed = lines.count > 0;
    sl_source_lines_fini(&lines);
}

/* Has a step of one operator said most of it? */
static bool is_said(const struct search *s, const struct sl_part *part)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct sl_operator *op = s->of[i];
        if (op && op->category == part->category && op->part && strcmp(op->part, part->name) == 0 &&
            s->steps[i].value * s->whole > part->candidate / 2)
            return true;
    }
    return false;
}

/* The largest part of a side. NULL: a category without parts costs more than any of them. */
static const struct sl_part *largest_part(const struct search *s, const struct sl_part *parts,
                                          size_t count, bool candidate)
{
    double most = 0;
    const struct sl_part *largest = NULL;
    bool divided[SL_CATEGORY_COUNT] = {false};
    for (size_t i = 0; i < count; i++) {
        double cost = candidate ? parts[i].candidate : parts[i].baseline;
        divided[parts[i].category] = true;
        largest = cost > most ? &parts[i] : largest;
        most = fmax(most, cost);
    }
    for (int k = 0; k < SL_CATEGORY_COUNT; k++) {
        const struct sl_category_shift *shift = &s->c->categories[k];
        if (!divided[k] && (candidate ? shift->candidate : shift->baseline) > most)
            return NULL;
    }
    return largest;
}

/* Is it what costs most now, and was not before? Against other categories as a whole: convolutions
 * are one bottleneck, whatever parts they have. */
static bool is_new_bottleneck(const struct search *s, const struct sl_part *part,
                              const struct sl_part *before, const struct sl_part *now)
{
    for (int k = 0; k < SL_CATEGORY_COUNT; k++)
        if (k != part->category && s->c->categories[k].candidate >= part->candidate)
            return false;
    return now == part && before != part;
}

static bool grew(double before, double now)
{
    return now > part_share && now > part_growth * before && now - before > part_points;
}

/* The category that costs most now and did not before, unless an operator's step has said most of
 * it. Data movement and the framework have rules of their own. */
static void add_new_bottleneck(struct search *s)
{
    const struct sl_category_shift *all = s->c->categories;
    int before = 0, now = 0;
    for (int k = 1; k < SL_CATEGORY_COUNT; k++) {
        before = all[k].baseline > all[before].baseline ? k : before;
        now = all[k].candidate > all[now].candidate ? k : now;
    }
    double shares[2] = {all[now].baseline / s->c->whole_baseline, all[now].candidate / s->whole};
    if (now == before || now == SL_CATEGORY_MOVEMENT || now == SL_CATEGORY_FRAMEWORK ||
        !grew(shares[0], shares[1]))
        return;
    for (size_t i = 0; i < s->count; i++)
        if (s->of[i] && s->of[i]->category == now && s->steps[i].value > shares[1] / 2)
            return;
    const struct sl_next_step step = {
        .rule = "bottleneck-moved", .value = shares[1], .limit = part_share, .saves = shares[1]};
    add(s, NULL, step, NULL, "The bottleneck moved to %s: %.1f %% of end to end %s, %.1f %% %s",
        sl_category_name(now), 100 * shares[1], s->candidate, 100 * shares[0], s->baseline);
}

/* Adds the packing of convolutions or products: a part where both sides' counts tell it apart. */
static void add_packing(struct search *s, const struct sl_part *part)
{
    const struct sl_category_shift *all = &s->c->categories[part->category];
    const struct sl_next_step step = {.rule = "packing",
                                      .value = part->candidate / s->whole,
                                      .limit = packing_share,
                                      .saves = part->candidate / s->whole};
    if (step.value > packing_share)
        add(s, NULL, step, NULL,
            "Packing is %.1f %% of %s %s (%.1f %% %s), %.1f %% of end to end: kernels lay "
            "activations out anew in every run, weights once at load. It weighs less the more "
            "outputs share it: merge %s that read one input",
            100 * part->candidate / all->candidate, sl_category_name(part->category), s->candidate,
            all->baseline > 0 ? 100 * part->baseline / all->baseline : 0, s->baseline,
            100 * step.value,
            part->category == SL_CATEGORY_GEMM ? "products (Q, K and V)" : "convolutions");
}

/* Parts that became a larger share: where the bottleneck went, if it went there. */
static void add_parts(struct search *s)
{
    struct sl_part parts[SL_PARTS_MAX];
    bool any_moved = false;
    if (!s->report->baseline)
        return;
    size_t count = sl_parts_compare(&s->report->baseline->attribution,
                                    &s->report->candidate->attribution, parts);
    const struct sl_part *largest_before = largest_part(s, parts, count, false);
    const struct sl_part *largest_now = largest_part(s, parts, count, true);
    for (size_t i = 0; i < count; i++) {
        const struct sl_part *part = &parts[i];
        double now = part->candidate / s->whole;
        double before = part->baseline / s->c->whole_baseline;
        bool packs = strcmp(part->name, SL_PART_PACKING) == 0;
        if (packs)
            add_packing(s, part);
        if (packs || !grew(before, now) || part->category == SL_CATEGORY_MOVEMENT ||
            is_said(s, part))
            continue;
        bool moved = is_new_bottleneck(s, part, largest_before, largest_now);
        any_moved = any_moved || moved;
        const struct sl_next_step step = {.rule = moved ? "bottleneck-moved" : "part-grew",
                                          .value = now,
                                          .limit = part_share,
                                          .saves = now};
        add(s, NULL, step, NULL, "%s %s (%s): %.1f %% of end to end %s, %.1f %% %s",
            moved ? "The bottleneck moved to" : "Look at", part->name,
            sl_category_name(part->category), 100 * now, s->candidate, 100 * before, s->baseline);
    }
    if (!any_moved)
        add_new_bottleneck(s);
}

/* The costliest part of the data that is moved. NULL: not known. */
static const char *largest_movement(const struct search *s)
{
    struct sl_part parts[SL_PARTS_MAX];
    const struct sl_comparison_report *r = s->report;
    if (!r->baseline || !r->candidate)
        return NULL;
    double most = 0;
    const char *name = NULL;
    size_t count = sl_parts_compare(&r->baseline->attribution, &r->candidate->attribution, parts);
    for (size_t i = 0; i < count; i++) {
        bool larger = parts[i].category == SL_CATEGORY_MOVEMENT && parts[i].candidate > most;
        name = larger ? parts[i].name : name;
        most = larger ? parts[i].candidate : most;
    }
    return name;
}

static void add_categories(struct search *s)
{
    const char *part = largest_movement(s);
    const struct sl_category_shift *all = s->c->categories;
    double movement = all[SL_CATEGORY_MOVEMENT].share_candidate;
    double framework = all[SL_CATEGORY_FRAMEWORK].share_candidate;
    const struct sl_next_step move = {
        .rule = "data-movement", .value = movement, .limit = movement_share, .saves = movement};
    const struct sl_next_step shell = {
        .rule = "framework", .value = framework, .limit = framework_share, .saves = framework};
    if (movement > movement_share)
        add(s, NULL, move, NULL, "%s: data movement is %.1f %% of end to end %s (%.1f %% %s)%s%s",
            part && strcmp(part, "pack and quantise") == 0 ? "Look at what is packed and quantised"
                                                           : "Take out layout changes and copies",
            100 * movement, s->candidate, 100 * all[SL_CATEGORY_MOVEMENT].share_baseline,
            s->baseline, part ? ", its largest part is " : "", part ? part : "");
    if (framework > framework_share)
        add(s, NULL, shell, NULL,
            "Look at the number of delegate calls: the framework's own share is %.1f %% %s",
            100 * framework, s->candidate);
}

/* Names the largest category where no rule holds, if it is half of all or more. */
static void add_largest(struct search *s)
{
    const struct sl_category_shift *all = s->c->categories;
    int largest = 0;
    for (int k = 1; k < SL_CATEGORY_COUNT; k++)
        largest = all[k].share_candidate > all[largest].share_candidate ? k : largest;
    double share = all[largest].share_candidate;
    const struct sl_next_step step = {
        .rule = "largest-category", .value = share, .limit = NAN, .saves = NAN};
    const char *less = s->c->unit == SL_TRACE_INSTRUCTIONS ? "fewer instructions" : "faster";
    if (share >= half_share)
        add(s, NULL, step, "",
            "Look at %s first: it is %.1f %% of end to end %s. If all else cost nothing: %.2fx %s",
            sl_category_name(largest), 100 * share, s->candidate, 1 / share, less);
    else
        add(s, NULL, step, "",
            "Nothing stands out: no category is half of end to end %s, the largest is %s with "
            "%.1f %%",
            s->candidate, sl_category_name(largest), 100 * share);
}

/* Counts fall where time, by the estimate, rises: a policy keeps SME2 to where it pays. It stands
 * last, for what it saves is time and all others save instructions. */
static void add_policy(struct search *s)
{
    const char *profile;
    double ratio;
    const cJSON *table = sl_value(s->report->policies.now, "table");
    if (!s->sme2 || !s->report->own || cJSON_IsObject(table) ||
        !sl_report_estimates_slower(s->report->estimates, &profile, &ratio))
        return;
    const struct sl_next_step step = {
        .rule = "estimated-slower", .value = ratio, .limit = 1, .saves = NAN};
    s->count -= s->count == SL_NEXT_STEPS_MAX;
    add(s, NULL, step, "",
        "By the estimate %.40s takes longer with SME2 on (off / on: %.2f): keep SME2 to the "
        "operators that gain there, --policy estimated:%.40s",
        profile, ratio, profile);
}

/* A clean arm has no operators but Method::execute. */
static bool whole_runs_alone(const struct search *s)
{
    const struct sl_operator *only =
        s->c->operator_count == 1 ? s->c->operators[0].candidate : NULL;
    return only && only->category_by_name == SL_CATEGORY_FRAMEWORK;
}

static void add_alone(struct search *s, const char *rule, const char *before, const char *why)
{
    const struct sl_next_step step = {.rule = rule, .value = NAN, .limit = NAN, .saves = NAN};
    add(s, NULL, step, "", "%s%s", before, why);
}

/* Faults that must be mended before any operator is looked at; false: there is none. */
static bool add_condition(struct search *s)
{
    const struct sl_comparison *c = s->c;
    bool judged = c->verdict == SL_VERDICT_FASTER || c->verdict == SL_VERDICT_SLOWER ||
                  c->verdict == SL_VERDICT_EQUIVALENT;
    const char *first = c->reason_count ? c->reasons[0] : NULL;
    const char *last = c->reason_count ? c->reasons[c->reason_count - 1] : NULL;
    if (c->verdict == SL_VERDICT_WRONG)
        add_alone(s, "wrong-output",
                  "Put the outputs right before anything else: ", last ? last : "they differ");
    else if (c->verdict == SL_VERDICT_INCOMPARABLE)
        add_alone(s, "confounded",
                  "Compare two sides that differ in nothing else; measuring these again does not "
                  "help: ",
                  last ? last : "they are of different kinds");
    else if (!judged && s->report->emulated && c->unit == SL_TRACE_NS)
        add_alone(s, "conditions",
                  "Measure on a device with SME2, or count instructions (--device counted): times "
                  "of an emulated CPU mean nothing",
                  "");
    else if (!judged && c->unit == SL_TRACE_INSTRUCTIONS && first)
        add_alone(s, "conditions",
                  "Look for what differs from run to run, as a memory allocator does; counting "
                  "again does not help: ",
                  first);
    else if (!judged && c->method == SL_METHOD_UNPAIRED)
        add_alone(
            s, "conditions",
            "Measure again so that a verdict is possible: both sides in turn, as 'sme2lab run' "
            "does, in 20 pairs or more",
            "");
    else if (!judged || !(s->whole > 0))
        add_alone(s, "conditions", "Measure again so that a verdict is possible: ",
                  first ? first : "nothing was measured");
    else if (whole_runs_alone(s))
        add_alone(s, "clean-arm",
                  "Only whole executions were recorded: look at the profiled arm for where the "
                  "time goes",
                  "");
    return s->count > 0;
}

size_t sl_next_steps_find(const struct sl_comparison_report *report,
                          struct sl_next_step out[SL_NEXT_STEPS_MAX])
{
    struct search s = {.report = report, .c = report->comparison};
    s.sme2 = report->factor && strcmp(report->factor, "sme2") == 0 &&
             strcmp(report->baseline_level, report->candidate_level) != 0;
    s.candidate = s.sme2 ? "with SME2 on" : "of the candidate";
    s.baseline = s.sme2 ? "with it off" : "of the baseline";
    for (int k = 0; k < SL_CATEGORY_COUNT; k++) {
        s.whole += s.c->categories[k].candidate;
        s.gains[k] = gain_of(s.c, k);
    }
    if (!add_condition(&s)) {
        add_lines(&s);
        add_operators(&s);
        add_categories(&s);
        add_parts(&s);
        if (s.count == 0)
            add_largest(&s);
        add_policy(&s);
    }
    memcpy(out, s.steps, s.count * sizeof(*out));
    return s.count;
}

void sl_next_step_find(const struct sl_comparison_report *report, struct sl_next_step *out)
{
    struct sl_next_step steps[SL_NEXT_STEPS_MAX];
    sl_next_steps_find(report, steps);
    *out = steps[0];
}
