/* host/report/next_step.c */
#include "host/report/next_step.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/format/sltrace.h"
#include "host/analysis/comparison.h"
#include "host/analysis/operator_interval.h"
#include "host/report/analysis.h"
#include "host/report/comparison.h"
#include "host/report/sme2_proof.h"
#include "host/report/text.h"

static const double unserved_share = 0.01; /* of end to end with SME2 on: below it is no step */
static const double hurt_share = 0.01;
static const double portable_share = 0.05;
static const double movement_share = 0.10;
static const double framework_share = 0.10;

struct search {
    const struct sl_comparison_report *report;
    const struct sl_comparison *c;
    double whole; /* end to end with SME2 on, mean per run */
    const struct sl_operator_shift *found;
    double worst, limit; /* share of what was found, and the rule's */
};

/* Does the rule speak of this row? Then *out_share is how much of the whole it is about. */
typedef bool (*rule_fn)(const struct search *s, const struct sl_operator_shift *row,
                        double *out_share);

static bool is_unserved(const struct search *s, const struct sl_operator_shift *row,
                        double *out_share)
{
    *out_share = row->candidate_cost / s->whole;
    return row->candidate && row->candidate->kernel && sl_sme2_matters(row->candidate) &&
           strcmp(sl_sme2_evidence(row->candidate), "executed") != 0 && *out_share > unserved_share;
}

static bool is_hurt(const struct search *s, const struct sl_operator_shift *row, double *out_share)
{
    *out_share = (row->candidate_cost - row->baseline_cost) / s->whole;
    /* NAN where nothing tells; then the difference itself has to do. */
    bool chance = row->q > SL_OPERATOR_FALSE_DISCOVERIES;
    return row->baseline && row->candidate && !chance && *out_share > hurt_share;
}

static bool is_portable(const struct search *s, const struct sl_operator_shift *row,
                        double *out_share)
{
    *out_share = row->candidate_cost / s->whole;
    return row->candidate && !row->candidate->delegated &&
           row->candidate->category_by_name != SL_CATEGORY_FRAMEWORK && *out_share > portable_share;
}

static bool find(struct search *s, rule_fn rule, double limit)
{
    s->found = NULL;
    s->worst = 0;
    s->limit = limit;
    for (size_t i = 0; i < s->c->operator_count; i++) {
        double share = 0;
        if (!rule(s, &s->c->operators[i], &share) || share <= s->worst)
            continue;
        s->found = &s->c->operators[i];
        s->worst = share;
    }
    return s->found != NULL;
}

static void say(struct sl_next_step *out, const char *rule, const struct search *s,
                const char *before, const char *after)
{
    char name[SL_TEXT_SIZE];
    const struct sl_operator *op = s->found->candidate;
    sl_text_copy(name, op->name, op->name_len);
    out->rule = rule;
    out->value = s->worst;
    out->limit = s->limit;
    snprintf(out->text, sizeof(out->text), "%s %.80s: %.1f %% of end to end with SME2 on%s", before,
             name, 100 * s->worst, after);
}

static bool find_operator(struct search *s, struct sl_next_step *out)
{
    if (find(s, is_unserved, unserved_share))
        say(out, "unserved", s, "Look at why SME2 did not serve",
            ", and its kernel is no SME2 one");
    else if (find(s, is_hurt, hurt_share))
        say(out, "slower-with-sme2", s, "Keep SME2 away from", " are lost on it");
    else if (find(s, is_portable, portable_share))
        say(out, "portable", s, "Delegate the portable operator", ", outside of any delegate");
    return s->found != NULL;
}

static void find_category(const struct search *s, struct sl_next_step *out)
{
    const struct sl_category_shift *all = s->c->categories;
    double movement = all[SL_CATEGORY_MOVEMENT].share_candidate;
    double framework = all[SL_CATEGORY_FRAMEWORK].share_candidate;
    int largest = 0;
    for (int k = 1; k < SL_CATEGORY_COUNT; k++)
        largest = all[k].share_candidate > all[largest].share_candidate ? k : largest;
    if (movement > movement_share) {
        out->rule = "data-movement";
        out->value = movement;
        out->limit = movement_share;
        snprintf(out->text, sizeof(out->text),
                 "Take out layout changes and copies: data movement is %.1f %% of end to end with "
                 "SME2 on (%.1f %% with it off)",
                 100 * movement, 100 * all[SL_CATEGORY_MOVEMENT].share_baseline);
    } else if (framework > framework_share) {
        out->rule = "framework";
        out->value = framework;
        out->limit = framework_share;
        snprintf(out->text, sizeof(out->text),
                 "Look at the number of delegate calls: the framework's own share is %.1f %% with "
                 "SME2 on",
                 100 * framework);
    } else {
        out->rule = "largest-category";
        out->value = all[largest].share_candidate;
        snprintf(out->text, sizeof(out->text),
                 "Nothing stands out; the largest category with SME2 on is %s with %.1f %%",
                 sl_category_name(largest), 100 * all[largest].share_candidate);
    }
}

/* Of a clean arm no operator is known: Method::execute is all there is. */
static bool whole_runs_alone(const struct search *s)
{
    const struct sl_operator *only =
        s->c->operator_count == 1 ? s->c->operators[0].candidate : NULL;
    return only && only->category_by_name == SL_CATEGORY_FRAMEWORK;
}

void sl_next_step_find(const struct sl_comparison_report *report, struct sl_next_step *out)
{
    struct search s = {.report = report, .c = report->comparison};
    for (int k = 0; k < SL_CATEGORY_COUNT; k++)
        s.whole += s.c->categories[k].candidate;
    bool judged = s.c->verdict == SL_VERDICT_FASTER || s.c->verdict == SL_VERDICT_SLOWER ||
                  s.c->verdict == SL_VERDICT_EQUIVALENT;
    *out = (struct sl_next_step){.rule = "conditions", .value = NAN, .limit = NAN};
    if (s.c->verdict == SL_VERDICT_WRONG) {
        out->rule = "wrong-output";
        snprintf(out->text, sizeof(out->text), "Put the outputs right before anything else: %s",
                 s.c->reason_count ? s.c->reasons[s.c->reason_count - 1] : "they differ");
    } else if (!judged && report->emulated && s.c->unit == SL_TRACE_NS) {
        snprintf(
            out->text, sizeof(out->text),
            "Measure on a device with SME2, or count instructions (--device counted): times of "
            "an emulated CPU mean nothing");
    } else if (!judged || !(s.whole > 0)) {
        snprintf(out->text, sizeof(out->text), "Measure again so that a verdict is possible: %s",
                 s.c->reason_count ? s.c->reasons[0] : "nothing was measured");
    } else if (whole_runs_alone(&s)) {
        out->rule = "clean-arm";
        snprintf(out->text, sizeof(out->text),
                 "Only whole executions were recorded: look at the profiled arm for where the time "
                 "goes");
    } else if (!find_operator(&s, out)) {
        find_category(&s, out);
    }
}
