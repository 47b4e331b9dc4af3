/* host/report/comparison_json.c */
#include <math.h>
#include <string.h>

#include "common/base/json.h"
#include "common/format/sltrace.h"
#include "host/analysis/agreement.h"
#include "host/analysis/comparison.h"
#include "host/analysis/divergence.h"
#include "host/analysis/gain.h"
#include "host/analysis/headroom.h"
#include "host/analysis/parts.h"
#include "host/analysis/sustained.h"
#include "host/analysis/verdict.h"
#include "host/report/analysis.h"
#include "host/report/comparison.h"
#include "host/report/next_step.h"
#include "host/report/plugin_figures.h"
#include "host/report/run_estimates.h"
#include "host/report/sme2_proof.h"
#include "host/report/text.h"
#include "host/report/unit.h"

static void put_f64(struct sl_json *json, const char *stem, int unit, double value)
{
    char key[SL_UNIT_KEY_SIZE];
    sl_json_f64(json, sl_unit_key(key, stem, unit), value);
}

/* [low, high], or null without an interval. */
static void put_interval(struct sl_json *json, const char *key, double low, double high)
{
    if (!isfinite(low) || !isfinite(high)) {
        sl_json_null(json, key);
        return;
    }
    sl_json_open_array(json, key);
    sl_json_f64(json, NULL, low);
    sl_json_f64(json, NULL, high);
    sl_json_close_array(json);
}

static void put_gain(struct sl_json *json, const struct sl_gain *gain)
{
    sl_json_open_object(json, "gain");
    sl_json_f64(json, "before", gain->before);
    sl_json_f64(json, "after", gain->after);
    sl_json_f64(json, "ratio", gain->ratio);
    put_interval(json, "interval", gain->low, gain->high);
    sl_json_close_object(json);
}

/* Two builds also have the other arm, and what SME2 gained in each; else null. */
static void put_arms(struct sl_json *json, const struct sl_arms *arms)
{
    if (!arms || !(arms->has_arm || arms->has_gain)) {
        sl_json_null(json, "arms");
        return;
    }
    sl_json_open_object(json, "arms");
    sl_json_text(json, "other", arms->level ? "on" : "off");
    sl_json_f64(json, "ratio", arms->has_arm ? arms->arm.ratio : NAN);
    sl_json_text(json, "verdict", arms->has_arm ? sl_verdict_name(&arms->arm) : NULL);
    if (arms->has_gain)
        put_gain(json, &arms->gain);
    else
        sl_json_null(json, "gain");
    sl_json_close_object(json);
}

static void put_bare_side(struct sl_json *json, const char *key,
                          const struct sl_comparison_report *report, const char *level,
                          double median)
{
    sl_json_open_object(json, key);
    sl_json_text(json, "level", level);
    sl_json_text(json, "file", report->file);
    sl_json_u64(json, "runs", report->comparison->blocks);
    put_f64(json, "median", report->comparison->unit, median);
    sl_json_close_object(json);
}

static void put_side(struct sl_json *json, const char *key, const struct sl_analysis *analysis,
                     const char *level, double median)
{
    const struct sl_attribution *a = &analysis->attribution;
    sl_json_open_object(json, key);
    sl_json_text(json, "level", level);
    sl_json_text(json, "file", analysis->file);
    sl_json_text(json, "sha256", analysis->sha256);
    sl_json_text(json, "label", a->by_origin ? "origin" : "name");
    sl_json_u64(json, "runs", a->measured_count);
    sl_json_u64(json, "cold_runs", a->cold_count);
    put_f64(json, "median", a->unit, median);
    sl_json_close_object(json);
}

void sl_comparison_agreement_json(struct sl_json *json, const struct sl_agreement *agreement)
{
    sl_json_f64(json, "max_abs", agreement->max_abs);
    sl_json_f64(json, "max_rel", agreement->max_rel);
    sl_json_f64(json, "tolerance", agreement->tolerance);
    sl_json_bool(json, "agree", agreement->agree);
    sl_json_u64(json, "not_finite", agreement->odd);
    sl_json_f64(json, "rms_rel", agreement->rms_rel);
    sl_json_f64(json, "rms_tolerance", agreement->rms_tolerance);
    sl_json_f64(json, "cosine", agreement->cosine);
    sl_json_f64(json, "steps", agreement->steps);
}

static void put_agreement(struct sl_json *json, const struct sl_agreement *agreement)
{
    if (!agreement) {
        sl_json_null(json, "output_agreement");
        return;
    }
    sl_json_open_object(json, "output_agreement");
    sl_comparison_agreement_json(json, agreement);
    sl_json_u64(json, "outputs", agreement->outputs);
    sl_json_close_object(json);
}

static void put_categories(struct sl_json *json, const struct sl_comparison *c, bool bare)
{
    char key[SL_UNIT_KEY_SIZE];
    sl_json_open_array(json, "categories");
    for (int k = 0; !bare && k < SL_CATEGORY_COUNT; k++) {
        const struct sl_category_shift *shift = &c->categories[k];
        sl_json_open_object(json, NULL);
        sl_json_text(json, "name", sl_category_name(k));
        put_f64(json, "baseline", c->unit, shift->baseline);
        put_f64(json, "candidate", c->unit, shift->candidate);
        put_f64(json, "delta", c->unit, shift->delta);
        put_interval(json, sl_unit_key(key, "interval", c->unit), shift->delta_low,
                     shift->delta_high);
        sl_json_f64(json, "share_baseline", shift->share_baseline);
        sl_json_f64(json, "share_candidate", shift->share_candidate);
        put_interval(json, "share_baseline_interval", shift->share_low[0], shift->share_high[0]);
        put_interval(json, "share_candidate_interval", shift->share_low[1], shift->share_high[1]);
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
}

/* The parts of the categories, mean per run. */
static void put_parts(struct sl_json *json, const struct sl_comparison_report *report)
{
    const struct sl_comparison *c = report->comparison;
    struct sl_part parts[SL_PARTS_MAX];
    size_t count = report->baseline ? sl_parts_compare(&report->baseline->attribution,
                                                       &report->candidate->attribution, parts)
                                    : 0;
    sl_json_open_array(json, "parts");
    for (size_t i = 0; i < count; i++) {
        sl_json_open_object(json, NULL);
        sl_json_text(json, "category", sl_category_name(parts[i].category));
        sl_json_text(json, "name", parts[i].name);
        put_f64(json, "baseline", c->unit, parts[i].baseline);
        put_f64(json, "candidate", c->unit, parts[i].candidate);
        put_f64(json, "delta", c->unit, parts[i].candidate - parts[i].baseline);
        sl_json_f64(json, "share_baseline", parts[i].baseline / c->whole_baseline);
        sl_json_f64(json, "share_candidate", parts[i].candidate / c->whole_candidate);
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
}

/* The sums of the categories. */
static void put_whole(struct sl_json *json, const struct sl_comparison *c, bool bare)
{
    char key[SL_UNIT_KEY_SIZE];
    if (bare) {
        sl_json_null(json, "end_to_end");
        return;
    }
    sl_json_open_object(json, "end_to_end");
    put_f64(json, "baseline", c->unit, c->whole_baseline);
    put_f64(json, "candidate", c->unit, c->whole_candidate);
    put_f64(json, "delta", c->unit, c->whole_candidate - c->whole_baseline);
    put_interval(json, sl_unit_key(key, "interval", c->unit), c->whole_low, c->whole_high);
    sl_json_close_object(json);
}

static void put_operator(struct sl_json *json, const char *key, const struct sl_operator *op)
{
    char text[SL_TEXT_SIZE];
    if (!op) {
        sl_json_null(json, key);
        return;
    }
    sl_json_open_object(json, key);
    sl_json_text(json, "name", sl_text_copy(text, op->name, op->name_len));
    sl_json_text(json, "category", sl_category_name(op->category));
    sl_json_text(json, "origin", op->origin);
    sl_json_text(json, "kernel", op->kernel);
    sl_json_close_object(json);
}

static void put_operators(struct sl_json *json, const struct sl_comparison *c)
{
    char key[SL_UNIT_KEY_SIZE];
    char text[SL_TEXT_SIZE];
    sl_json_open_array(json, "operators");
    for (size_t i = 0; i < c->operator_count; i++) {
        const struct sl_operator_shift *row = &c->operators[i];
        const struct sl_operator *named = row->baseline ? row->baseline : row->candidate;
        sl_json_open_object(json, NULL);
        sl_json_text(json, "name", sl_text_copy(text, named->name, named->name_len));
        sl_json_text(json, "category", sl_category_name(named->category));
        put_f64(json, "baseline", c->unit, row->baseline_cost);
        put_f64(json, "candidate", c->unit, row->candidate_cost);
        put_f64(json, "delta", c->unit, row->candidate_cost - row->baseline_cost);
        put_interval(json, sl_unit_key(key, "interval", c->unit), row->delta_low, row->delta_high);
        sl_json_f64(json, "p_value", row->p);
        sl_json_f64(json, "false_discovery_rate", row->q);
        put_operator(json, "baseline", row->baseline);
        put_operator(json, "candidate", row->candidate);
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
}

/* Operators of an arm that is called off and used SME nevertheless. */
static void put_leftovers(struct sl_json *json, const struct sl_comparison_report *report)
{
    char text[SL_TEXT_SIZE];
    bool off = report->baseline && strcmp(report->baseline_level, "off") == 0;
    size_t count = off ? report->baseline->attribution.operator_count : 0;
    sl_json_open_array(json, "sme_in_off_arm");
    for (size_t i = 0; i < count; i++) {
        const struct sl_operator *op = &report->baseline->attribution.operators[i];
        if (!sl_sme2_leftover(op))
            continue;
        sl_json_open_object(json, NULL);
        sl_json_text(json, "operator", sl_text_copy(text, op->name, op->name_len));
        sl_json_text(json, "kernel", op->kernel);
        sl_json_u64(json, "instances", op->instances);
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
}

static void put_step(struct sl_json *json, const char *key, const struct sl_next_step *step)
{
    sl_json_open_object(json, key);
    sl_json_text(json, "rule", step->rule);
    sl_json_text(json, "text", step->text);
    sl_json_f64(json, "value", step->value);
    sl_json_f64(json, "limit", step->limit);
    sl_json_f64(json, "saves", step->saves);
    sl_json_close_object(json);
}

static void put_next_step(struct sl_json *json, const struct sl_comparison_report *report)
{
    struct sl_next_step steps[SL_NEXT_STEPS_MAX];
    size_t count = report->baseline ? sl_next_steps_find(report, steps) : 0;
    if (count > 0)
        put_step(json, "next_step", &steps[0]);
    else
        sl_json_null(json, "next_step");
    sl_json_open_array(json, "next_steps");
    for (size_t i = 0; i < count; i++)
        put_step(json, NULL, &steps[i]);
    sl_json_close_array(json);
}

/* One long run in pieces: null for few runs, and for sides that were not recorded together. */
static void put_over_time(struct sl_json *json, const struct sl_comparison_report *report)
{
    struct sl_sustained s = {.count = 0};
    bool together = report->baseline && report->comparison->method == SL_METHOD_PAIRED;
    int unit = report->comparison->unit;
    int rc = together ? sl_sustained_make(&report->baseline->attribution,
                                          &report->candidate->attribution, &s)
                      : 0;
    if (rc < 0)
        json->error = rc;
    if (s.count == 0) {
        sl_json_null(json, "over_time");
        return;
    }
    sl_json_open_object(json, "over_time");
    sl_json_f64(json, "baseline_kept", s.kept[0]);
    sl_json_f64(json, "candidate_kept", s.kept[1]);
    sl_json_open_array(json, "pieces");
    for (size_t i = 0; i < s.count; i++) {
        sl_json_open_object(json, NULL);
        sl_json_f64(json, "seconds", s.pieces[i].seconds);
        put_f64(json, "baseline_median", unit, s.pieces[i].medians[0]);
        put_f64(json, "candidate_median", unit, s.pieces[i].medians[1]);
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
    sl_json_close_object(json);
}

static void put_headroom(struct sl_json *json, const struct sl_comparison_report *report)
{
    const struct sl_comparison *c = report->comparison;
    struct sl_headroom room;
    char text[SL_TEXT_SIZE];
    if (!report->baseline || c->verdict == SL_VERDICT_WRONG ||
        c->verdict == SL_VERDICT_INCOMPARABLE) {
        sl_json_null(json, "headroom");
        return;
    }
    sl_headroom_find(c, &room);
    const struct sl_operator *widest = room.widest ? room.widest->baseline : NULL;
    sl_json_open_object(json, "headroom");
    put_f64(json, "reachable", c->unit, room.reachable);
    sl_json_f64(json, "share_of_baseline", room.reachable / room.baseline);
    sl_json_text(json, "widest",
                 widest ? sl_text_copy(text, widest->name, widest->name_len) : NULL);
    sl_json_close_object(json);
}

/* Nothing where nothing but times is known. */
static void put_proof(struct sl_json *json, const struct sl_comparison_report *report)
{
    char text[SL_TEXT_SIZE];
    const struct sl_analysis *candidate = report->candidate;
    size_t count = candidate ? candidate->attribution.operator_count : 0;
    bool tell = candidate && sl_sme2_names_tell(&report->baseline->attribution);
    sl_json_open_array(json, "sme2_proof");
    for (size_t i = 0; i < count; i++) {
        const struct sl_operator *op = &candidate->attribution.operators[i];
        if (!sl_sme2_matters(op))
            continue;
        const char *kernel = NULL;
        const char *evidence = sl_sme2_evidence_of(op, report->log, tell, &kernel);
        evidence = sl_sme2_evidence_by(op, report->policies.now, evidence);
        sl_json_open_object(json, NULL);
        sl_json_text(json, "operator", sl_text_copy(text, op->name, op->name_len));
        sl_json_text(json, "kernel", kernel);
        sl_json_text(json, "evidence", evidence);
        sl_json_u64(json, "instances", op->instances);
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
    struct sl_sme2_changes changes;
    sl_sme2_compare(report->comparison, &report->policies, &changes);
    sl_json_u64(json, "sme2_lost", changes.lost);
    sl_json_u64(json, "sme2_gained", changes.gained);
}

/* Which rule ended the measuring, and what each look at the pairs saw. */
static void put_stopping(struct sl_json *json, const struct sl_stopped *stopped)
{
    const struct sl_stopping_rule *rule = &stopped->rule;
    if (!stopped->ruled) {
        sl_json_null(json, "stopping");
        return;
    }
    sl_json_open_object(json, "stopping");
    sl_json_f64(json, "precision_percent",
                rule->precision_percent > 0 ? rule->precision_percent : NAN);
    sl_json_f64(json, "budget_seconds", rule->budget_s > 0 ? rule->budget_s : NAN);
    sl_json_u64(json, "max_pairs", rule->max_pairs);
    sl_json_text(json, "stopped_by", sl_stopped_name(stopped->why));
    sl_json_u64(json, "pairs", stopped->pairs);
    sl_json_open_array(json, "looks");
    for (size_t i = 0; i < stopped->look_count; i++) {
        sl_json_open_object(json, NULL);
        sl_json_u64(json, "pairs", stopped->looks[i].pairs);
        sl_json_f64(json, "confidence", stopped->looks[i].confidence);
        sl_json_f64(json, "half_width_percent", 100 * stopped->looks[i].half_width);
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
    sl_json_close_object(json);
}

static void put_verdict(struct sl_json *json, const struct sl_comparison *c)
{
    sl_json_f64(json, "ratio", c->ratio);
    put_interval(json, "interval", c->low, c->high);
    put_interval(json, "sign_interval", c->sign_low, c->sign_high);
    sl_json_f64(json, "confidence", c->confidence);
    sl_json_text(json, "method", sl_comparison_method_name(c->method));
    sl_json_u64(json, "blocks", c->blocks);
    sl_json_f64(json, "independent_blocks", c->effective);
    sl_json_f64(json, "widening", c->widening);
    sl_json_u64(json, "iterations", c->iterations);
    sl_json_u64(json, "seed", c->seed);
    sl_json_text(json, "verdict", sl_verdict_name(c));
    sl_json_open_array(json, "reasons");
    for (size_t i = 0; i < c->reason_count; i++)
        sl_json_text(json, NULL, c->reasons[i]);
    sl_json_close_array(json);
    sl_json_f64(json, "minimum_effect", c->margin);
    sl_json_f64(json, "minimum_detectable_effect", c->detectable);
    sl_json_f64(json, "noise_floor", c->noise_floor);
    sl_json_u64(json, "looks", c->looks);
    put_stopping(json, &c->stopped);
}

static void put_sides(struct sl_json *json, const struct sl_comparison_report *report)
{
    const struct sl_comparison *c = report->comparison;
    if (!report->baseline) {
        put_bare_side(json, "baseline", report, report->baseline_level, c->baseline);
        put_bare_side(json, "candidate", report, report->candidate_level, c->candidate);
        return;
    }
    sl_json_text(json, "label",
                 report->baseline->attribution.by_origin && report->candidate->attribution.by_origin
                     ? "origin"
                     : "name");
    put_side(json, "baseline", report->baseline, report->baseline_level, c->baseline);
    put_side(json, "candidate", report->candidate, report->candidate_level, c->candidate);
}

/* Puts the first operator of each level that computes something else from equal inputs, if outputs
 * are wrong; null: none does by itself. */
static void put_diverged(struct sl_json *json, const struct sl_comparison_report *report)
{
    const char *const levels[] = {report->baseline_level, report->candidate_level};
    if (!report->diverged) {
        sl_json_null(json, "wrong");
        return;
    }
    sl_json_open_object(json, "wrong");
    for (int i = 0; i < 2; i++) {
        const struct sl_divergence *one = &report->diverged[i];
        const struct sl_operator_distance *first = &one->first;
        sl_json_open_object(json, levels[i]);
        sl_json_f64(json, "compared", one->compared);
        if (!one->found) {
            sl_json_null(json, "first_operator");
        } else {
            sl_json_open_object(json, "first_operator");
            sl_json_text(json, "name", first->name);
            sl_json_f64(json, "chain", first->chain);
            sl_json_f64(json, "instruction", first->instruction);
            sl_json_f64(json, "node", first->node >= 0 ? first->node : (double)NAN);
            sl_json_text(json, "kernel", first->kernel);
            sl_json_text(json, "reference_kernel", first->reference);
            sl_json_text(json, "kind", sl_divergence_kinds[first->kind]);
            sl_json_f64(json, "distance", first->distance);
            sl_json_f64(json, "promised", sl_divergence_limit(first->kind));
            sl_json_f64(json, "max_abs", first->max_abs);
            sl_json_close_object(json);
        }
        sl_json_close_object(json);
    }
    sl_json_close_object(json);
}

int sl_comparison_json(struct sl_json *json, const char *key,
                       const struct sl_comparison_report *report)
{
    const struct sl_comparison *c = report->comparison;
    sl_json_open_object(json, key);
    sl_json_text(json, "schema", "sme2lab.comparison/1");
    if (report->experiment)
        sl_json_text(json, "experiment", report->experiment);
    sl_json_text(json, "time_unit", sl_unit_name(c->unit));
    put_sides(json, report);
    sl_json_open_object(json, "factor");
    sl_json_text(json, "name", report->factor);
    sl_json_text(json, "baseline", report->baseline_level);
    sl_json_text(json, "candidate", report->candidate_level);
    sl_json_close_object(json);
    put_verdict(json, c);
    put_arms(json, report->arms);
    put_agreement(json, report->agreement);
    put_diverged(json, report);
    put_categories(json, c, !report->baseline);
    put_parts(json, report);
    put_whole(json, c, !report->baseline);
    put_operators(json, c);
    put_proof(json, report);
    put_leftovers(json, report);
    put_over_time(json, report);
    put_headroom(json, report);
    put_next_step(json, report);
    if (sl_report_estimates_any(report->estimates)) {
        const struct sl_attribution *const names[2] = {&report->baseline->attribution,
                                                       &report->candidate->attribution};
        sl_report_estimates_json(json, report->estimates, names);
    }
    if (sl_plugin_figures_any(report->plugins))
        sl_plugin_figures_json(json, report->plugins);
    if (report->svl_bits > 0)
        sl_json_u64(json, "svl", report->svl_bits);
    else
        sl_json_null(json, "svl");
    sl_json_bool(json, "emulated", report->emulated);
    sl_json_close_object(json);
    return json->error;
}
