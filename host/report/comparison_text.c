/* host/report/comparison_text.c */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/format/sltrace.h"
#include "host/analysis/agreement.h"
#include "host/analysis/comparison.h"
#include "host/analysis/headroom.h"
#include "host/analysis/movement.h"
#include "host/analysis/operator_interval.h"
#include "host/report/analysis.h"
#include "host/report/comparison.h"
#include "host/report/next_step.h"
#include "host/report/sme2_proof.h"
#include "host/report/style.h"
#include "host/report/unit.h"

enum { FIGURE_COLUMNS = 10, SHARE_COLUMNS = 8, RATIO_COLUMNS = 8, CATEGORY_COLUMNS = 14 };

struct page {
    struct sl_buf *out;
    const struct sl_style *style;
    const struct sl_comparison_report *report;
    const struct sl_comparison *comparison;
    size_t width;
    int error; /* the first failure sticks */
};

static void note(struct page *p, int rc)
{
    if (p->error == 0 && rc < 0)
        p->error = rc;
}

static void cell(struct page *p, const char *text, size_t columns, bool right)
{
    note(p, sl_style_cell(p->out, text, columns, right));
}

static void line_end(struct page *p)
{
    note(p, sl_style_end_line(p->out));
}

static void figure(struct page *p, double value)
{
    char text[32];
    cell(p, sl_unit_format(text, sizeof(text), value, p->comparison->unit), FIGURE_COLUMNS, true);
}

static void share(struct page *p, double value)
{
    char text[32] = "-";
    if (isfinite(value))
        snprintf(text, sizeof(text), "%.1f %%", 100.0 * value);
    cell(p, text, SHARE_COLUMNS, true);
}

/* Baseline over candidate: above 1 the candidate is better. */
static void ratio(struct page *p, double baseline, double candidate)
{
    char text[32] = "-";
    if (candidate > 0 && baseline > 0)
        snprintf(text, sizeof(text), "%.2fx", baseline / candidate);
    cell(p, text, RATIO_COLUMNS, true);
}

static const char *verdict_words(const struct page *p)
{
    const struct sl_comparison *c = p->comparison;
    bool counted = c->unit == SL_TRACE_INSTRUCTIONS;
    switch (c->verdict) {
    case SL_VERDICT_FASTER:
        return counted ? "fewer instructions" : "faster";
    case SL_VERDICT_SLOWER:
        return counted ? "more instructions" : "slower";
    case SL_VERDICT_EQUIVALENT:
        return counted ? "the same number of instructions" : "no difference that matters";
    case SL_VERDICT_WRONG:
        return "WRONG: the outputs differ";
    default:
        return sl_verdict_name(c->verdict);
    }
}

static void put_interval(struct page *p)
{
    const struct sl_comparison *c = p->comparison;
    char text[256];
    snprintf(text, sizeof(text),
             "%g %% interval %.3f to %.3f from %zu %s (%u resamples, seed %llu%s)",
             100 * c->confidence, c->low, c->high, c->blocks,
             c->method == SL_METHOD_PAIRED ? "interleaved pairs" : "runs, unpaired", c->iterations,
             (unsigned long long)c->seed, c->looks > 0 ? ", widened for its looks" : "");
    note(p, sl_style_wrap(p->out, p->style, 0, text));
    if (isfinite(c->sign_low))
        note(p, sl_buf_printf(p->out, "exact interval by signs: %.3f to %.3f\n", c->sign_low,
                              c->sign_high));
}

static void put_verdict(struct page *p)
{
    const struct sl_comparison *c = p->comparison;
    const struct sl_comparison_report *r = p->report;
    char text[256];
    char clean[SL_TEXT_SIZE];
    int tone = c->verdict == SL_VERDICT_FASTER       ? SL_TONE_GOOD
               : c->verdict == SL_VERDICT_EQUIVALENT ? SL_TONE_STRONG
                                                     : SL_TONE_BAD;
    if (r->experiment)
        note(p, sl_buf_printf(p->out, "%s  ",
                              sl_text_copy(clean, r->experiment, strlen(r->experiment))));
    snprintf(text, sizeof(text), "%s %s against %s: ", r->factor, r->candidate_level,
             r->baseline_level);
    note(p, sl_style_put(p->out, p->style, SL_TONE_STRONG, text));
    /* No ratio is shown beside outputs that differ. */
    if (isfinite(c->ratio) && c->verdict != SL_VERDICT_WRONG) {
        snprintf(text, sizeof(text), c->verdict == SL_VERDICT_SLOWER ? "%.3fx: " : "%.3fx ",
                 c->ratio);
        note(p, sl_style_put(p->out, p->style, tone, text));
    }
    note(p, sl_style_put(p->out, p->style, tone, verdict_words(p)));
    if (c->verdict == SL_VERDICT_SLOWER) { /* "0.5x slower" would be read as half as slow */
        snprintf(text, sizeof(text), ", %.3f times as %s", 1 / c->ratio,
                 c->unit == SL_TRACE_INSTRUCTIONS ? "many" : "long");
        note(p, sl_style_put(p->out, p->style, tone, text));
    }
    line_end(p);
    if (c->method == SL_METHOD_EXACT && isfinite(c->ratio))
        note(p, sl_buf_printf(p->out, "exact: %.0f -> %.0f executed instructions a run\n",
                              c->baseline, c->candidate));
    else if (isfinite(c->low))
        put_interval(p);
    for (size_t i = 0; i < c->reason_count; i++) {
        snprintf(text, sizeof(text), "because %s", c->reasons[i]);
        note(p, sl_style_wrap(p->out, p->style, 0, text));
    }
}

static void put_agreement(struct page *p)
{
    const struct sl_agreement *a = p->report->agreement;
    if (!a) {
        note(p, sl_buf_printf(p->out, "outputs: not compared\n"));
        return;
    }
    char text[224], odd[SL_AGREEMENT_TEXT_BYTES];
    snprintf(text, sizeof(text),
             "outputs: %s; largest difference %.2g, %.2g of the peak (up to %.2g)%s",
             a->agree ? "agree" : "DIFFER", a->max_abs, a->max_rel, a->tolerance,
             sl_agreement_odd_text(a, odd));
    note(p, sl_style_wrap(p->out, p->style, 0, text));
}

static size_t level_columns(const struct page *p)
{
    size_t baseline = strlen(p->report->baseline_level);
    size_t candidate = strlen(p->report->candidate_level);
    return (baseline > candidate ? baseline : candidate) + 3;
}

static void put_bar_row(struct page *p, const char *name, const char *level, double cost,
                        double part, size_t bar, int tone)
{
    cell(p, name, CATEGORY_COLUMNS, false);
    cell(p, level, level_columns(p), false);
    figure(p, cost);
    share(p, part);
    note(p, sl_buf_printf(p->out, "  "));
    note(p, sl_style_bar(p->out, p->style, tone, part, bar));
}

/* The parts of Data Movement: the price of SME2. */
static void put_movement(struct page *p)
{
    const struct sl_comparison *c = p->comparison;
    struct sl_movement_shift parts[SL_MOVEMENT_COUNT];
    char text[SL_TEXT_SIZE];
    sl_movement_compare(&p->report->baseline->attribution, &p->report->candidate->attribution,
                        parts);
    for (int i = 0; i < SL_MOVEMENT_COUNT; i++) {
        const double costs[] = {parts[i].baseline, parts[i].candidate};
        for (int side = 0; side < 2 && (costs[0] != 0 || costs[1] != 0); side++) {
            snprintf(text, sizeof(text), "  %s", sl_movement_name(i));
            cell(p, side ? "" : text, CATEGORY_COLUMNS, false);
            cell(p, side ? p->report->candidate_level : p->report->baseline_level, level_columns(p),
                 false);
            figure(p, costs[side]);
            share(p, costs[side] / (side ? c->whole_candidate : c->whole_baseline));
            line_end(p);
        }
    }
}

/* Two bars a category: its share of the baseline, and of the candidate. */
static void put_shift(struct page *p)
{
    const struct sl_comparison *c = p->comparison;
    size_t fixed =
        CATEGORY_COLUMNS + level_columns(p) + FIGURE_COLUMNS + SHARE_COLUMNS + 2 + RATIO_COLUMNS;
    bool origin =
        p->report->baseline->attribution.by_origin && p->report->candidate->attribution.by_origin;
    size_t bar = p->width - fixed;
    char text[SL_TEXT_SIZE];
    snprintf(text, sizeof(text), "Where it goes, per run: %s;", sl_unit_caption(c->unit));
    line_end(p);
    note(p, sl_style_wrap(p->out, p->style, 0, text));
    note(p, sl_buf_printf(p->out, "categories are by %s\n\n", origin ? "origin" : "name"));
    for (int k = 0; k < SL_CATEGORY_COUNT; k++) {
        const struct sl_category_shift *shift = &c->categories[k];
        put_bar_row(p, sl_category_name(k), p->report->baseline_level, shift->baseline,
                    shift->share_baseline, bar, SL_TONE_FAINT);
        line_end(p);
        put_bar_row(p, "", p->report->candidate_level, shift->candidate, shift->share_candidate,
                    bar, SL_TONE_GOOD);
        ratio(p, shift->baseline, shift->candidate);
        line_end(p);
        if (k == SL_CATEGORY_MOVEMENT)
            put_movement(p);
    }
    line_end(p);
}

static void put_kernel(struct page *p, const struct sl_operator *op, const char *level)
{
    char text[SL_TEXT_SIZE];
    if (!op || !op->kernel)
        return;
    snprintf(text, sizeof(text), "  %.8s: %.250s%s", level, op->kernel,
             strcmp(sl_sme2_evidence(op), "executed") == 0 ? " (SME2, executed)" : "");
    sl_text_fit(text, p->width);
    note(p, sl_style_put(p->out, p->style, SL_TONE_FAINT, text));
    line_end(p);
}

static bool changed(const struct sl_operator_shift *row)
{
    return row->q <= SL_OPERATOR_FALSE_DISCOVERIES; /* never with NAN */
}

/* Below the table: what its stars mean; nothing where there are no pairs to tell. */
static void explain_stars(struct page *p)
{
    const struct sl_comparison *c = p->comparison;
    char text[160];
    size_t tested = 0;
    size_t stars = 0;
    for (size_t i = 0; i < c->operator_count; i++) {
        tested += isfinite(c->operators[i].q) ? 1 : 0;
        stars += changed(&c->operators[i]);
    }
    if (tested == 0)
        return;
    snprintf(text, sizeof(text),
             "* changed: %zu of %zu operators, at a false-discovery rate of %.0f %%", stars, tested,
             100 * SL_OPERATOR_FALSE_DISCOVERIES);
    note(p, sl_style_wrap(p->out, p->style, 0, text));
}

static void put_operators(struct page *p)
{
    const struct sl_comparison *c = p->comparison;
    char text[SL_TEXT_SIZE];
    size_t name = p->width - 2 * FIGURE_COLUMNS - RATIO_COLUMNS - CATEGORY_COLUMNS - 2;
    cell(p, "operator (own work)", name, false);
    note(p, sl_buf_printf(p->out, " "));
    cell(p, "category", CATEGORY_COLUMNS, false);
    cell(p, p->report->baseline_level, FIGURE_COLUMNS, true);
    cell(p, p->report->candidate_level, FIGURE_COLUMNS, true);
    cell(p, "ratio", RATIO_COLUMNS, true);
    line_end(p);
    for (size_t i = 0; i < c->operator_count && i < p->style->operators; i++) {
        const struct sl_operator_shift *row = &c->operators[i];
        const struct sl_operator *op = row->candidate ? row->candidate : row->baseline;
        cell(p, sl_text_copy(text, op->name, op->name_len), name, false);
        note(p, sl_buf_printf(p->out, " "));
        cell(p, sl_category_name(op->category), CATEGORY_COLUMNS, false);
        figure(p, row->baseline ? row->baseline_cost : NAN);
        figure(p, row->candidate ? row->candidate_cost : NAN);
        ratio(p, row->baseline_cost, row->candidate_cost);
        cell(p, changed(row) ? "*" : "", 1, false);
        line_end(p);
        put_kernel(p, row->baseline, p->report->baseline_level);
        put_kernel(p, row->candidate, p->report->candidate_level);
    }
    if (c->operator_count > p->style->operators)
        note(p,
             sl_buf_printf(p->out, "... and %zu more\n", c->operator_count - p->style->operators));
    explain_stars(p);
}

static void put_proof(struct page *p)
{
    const struct sl_attribution *a = &p->report->candidate->attribution;
    size_t matter = 0;
    size_t executed = 0;
    size_t available = 0;
    for (size_t i = 0; i < a->operator_count; i++) {
        size_t instances = a->operators[i].instances;
        bool counts = sl_sme2_matters(&a->operators[i]);
        matter += counts ? instances : 0;
        const char *kernel = NULL;
        const char *evidence = sl_sme2_evidence_of(&a->operators[i], p->report->log, &kernel);
        executed += counts && strcmp(evidence, "executed") == 0 ? instances : 0;
        available += counts && strcmp(evidence, "log-available") == 0 ? instances : 0;
    }
    char text[256];
    snprintf(text, sizeof(text), "SME2 executed in %zu of %zu operators that can use it%s",
             executed, matter,
             a->by_origin ? "" : " (no trace beside the file: nothing is proven)");
    if (available > 0)
        snprintf(text + strlen(text), sizeof(text) - strlen(text),
                 "; for %zu more a log shows that an SME2 kernel was available", available);
    line_end(p);
    note(p, sl_style_wrap(p->out, p->style, 0, text));
}

/* What the cheaper of both ways for each operator would make of the baseline. */
static void put_headroom(struct page *p)
{
    const struct sl_comparison *c = p->comparison;
    struct sl_headroom room;
    char text[320];
    char reach[48];
    char name[SL_TEXT_SIZE];
    if (c->verdict == SL_VERDICT_WRONG || c->verdict == SL_VERDICT_INCOMPARABLE)
        return;
    sl_headroom_find(c, &room);
    if (!room.widest || !(room.reachable < room.candidate))
        return;
    const struct sl_operator *op = room.widest->baseline;
    snprintf(text, sizeof(text),
             "headroom: with the cheaper of both for each operator a run could take %s, %.1f %% of "
             "the baseline; most of it in %.80s",
             sl_unit_format(reach, sizeof(reach), room.reachable, c->unit),
             100 * room.reachable / room.baseline, sl_text_copy(name, op->name, op->name_len));
    note(p, sl_style_wrap(p->out, p->style, 0, text));
}

static void put_next_step(struct page *p)
{
    struct sl_next_step step;
    char text[512];
    sl_next_step_find(p->report, &step);
    snprintf(text, sizeof(text), "next: %s (rule %s)", step.text, step.rule);
    note(p, sl_style_wrap(p->out, p->style, 0, text));
}

static void put_warnings(struct page *p, const struct sl_analysis *analysis)
{
    char text[384];
    for (size_t i = 0; i < analysis->attribution.warning_count; i++) {
        note(p, sl_style_put(p->out, p->style, SL_TONE_BAD, "warning:"));
        snprintf(text, sizeof(text), " %.128s: %s", analysis->file,
                 analysis->attribution.warnings[i]);
        note(p, sl_style_wrap(p->out, p->style, 8, text));
    }
}

int sl_comparison_text(struct sl_buf *out, const struct sl_style *style,
                       const struct sl_comparison_report *report)
{
    struct page p = {
        .out = out, .style = style, .report = report, .comparison = report->comparison};
    p.width = (size_t)sl_style_width(style);
    put_verdict(&p);
    if (!report->baseline)
        return p.error;
    put_agreement(&p);
    if (report->emulated)
        note(&p, sl_buf_printf(out, "emulated CPU: %s\n",
                               p.comparison->unit == SL_TRACE_INSTRUCTIONS
                                   ? "instructions are counted, times are not shown"
                                   : "these times mean nothing"));
    put_shift(&p);
    put_operators(&p);
    put_proof(&p);
    put_headroom(&p);
    put_next_step(&p);
    put_warnings(&p, report->baseline);
    put_warnings(&p, report->candidate);
    return p.error;
}
