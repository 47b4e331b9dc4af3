/* host/report/comparison_text.c */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/format/sltrace.h"
#include "host/analysis/agreement.h"
#include "host/analysis/comparison.h"
#include "host/analysis/gain.h"
#include "host/analysis/headroom.h"
#include "host/analysis/operator_interval.h"
#include "host/analysis/parts.h"
#include "host/analysis/verdict.h"
#include "host/report/analysis.h"
#include "host/report/brief_rows.h"
#include "host/report/comparison.h"
#include "host/report/doc.h"
#include "host/report/next_step.h"
#include "host/report/plugin_figures.h"
#include "host/report/run_estimates.h"
#include "host/report/sme2_proof.h"
#include "host/report/style.h"
#include "host/report/table.h"
#include "host/report/unit.h"

enum { CATEGORY_COLUMNS = 14, PART_COLUMNS = 20, BRIEF_OPERATORS = 3, OUTCOME_BYTES = 128 };
#define OVERLAY_COLUMNS 20
#define OVERLAY_WORDS (OVERLAY_COLUMNS - 6)
static const double small_share = 0.01;

struct page {
    struct sl_doc *doc;
    const struct sl_comparison_report *report;
    const struct sl_comparison *comparison;
};

const char *sl_comparison_whose(const struct sl_comparison_report *report)
{
    return report->runtime ? report->runtime
           : report->own   ? "our kernels (not ExecuTorch's)"
                           : NULL;
}

/* The verdict in words. "0.5x slower" would be read as half as slow, a count as a speed, and a
 * ratio before "inconclusive" as a result. `executes`: "executes " or "", before counts. */
static const char *outcome_text(const struct sl_comparison *c, const char *executes,
                                unsigned svl_bits, char out[OUTCOME_BYTES])
{
    bool counted = c->unit == SL_TRACE_INSTRUCTIONS;
    char svl[32] = "";
    if (svl_bits > 0)
        snprintf(svl, sizeof(svl), " at SVL %u", svl_bits);
    if (c->verdict == SL_VERDICT_WRONG)
        snprintf(out, OUTCOME_BYTES, "WRONG: the outputs differ");
    else if (counted && c->verdict == SL_VERDICT_EQUIVALENT)
        snprintf(out, OUTCOME_BYTES, "%sthe same number of instructions%s", executes, svl);
    else if (counted && c->verdict <= SL_VERDICT_SLOWER)
        snprintf(out, OUTCOME_BYTES, "%s%.3fx %s instructions%s (not speed)", executes,
                 c->ratio > 1 ? c->ratio : 1 / c->ratio, c->ratio > 1 ? "fewer" : "more", svl);
    else if (c->verdict == SL_VERDICT_SLOWER)
        snprintf(out, OUTCOME_BYTES, "%.3fx: slower, %.3f times as long", c->ratio, 1 / c->ratio);
    else if (c->verdict == SL_VERDICT_EQUIVALENT)
        snprintf(out, OUTCOME_BYTES, "%.3fx no difference that matters", c->ratio);
    else if (c->verdict > SL_VERDICT_SLOWER && isfinite(c->ratio))
        snprintf(out, OUTCOME_BYTES, "%s (measured ratio %.3f)", sl_verdict_name(c), c->ratio);
    else if (isfinite(c->ratio))
        snprintf(out, OUTCOME_BYTES, "%.3fx %s", c->ratio, sl_verdict_name(c));
    else
        snprintf(out, OUTCOME_BYTES, "%s", sl_verdict_name(c));
    return out;
}

/* Our kernels' outcome in a word or two, for the line is ExecuTorch's. */
static void put_beside(struct page *p)
{
    const struct sl_comparison *ours = p->report->beside;
    bool more = ours->unit == SL_TRACE_INSTRUCTIONS && ours->ratio < 1;
    bool alike = ours->verdict == p->comparison->verdict;
    const char *verdict = sl_verdict_name(ours); /* "fewer-instructions" */
    if (ours->verdict > SL_VERDICT_SLOWER || !isfinite(ours->ratio))
        sl_doc_put(p->doc, SL_TONE_BAD, "; ours %s", verdict);
    else
        sl_doc_put(p->doc, SL_TONE_PLAIN, "; ours %.3fx%s%.*s",
                   more ? 1 / ours->ratio : ours->ratio, alike ? "" : " ",
                   alike ? 0 : (int)strcspn(verdict, "-"), verdict);
}

static void put_interval(struct page *p)
{
    const struct sl_comparison *c = p->comparison;
    if (c->method == SL_METHOD_PROCESSES) {
        sl_doc_say(p->doc, SL_DOC_SENTENCE, NULL,
                   "%g %% interval %.3f to %.3f from %zu processes (Student's, of their medians)",
                   100 * c->confidence, c->low, c->high, c->blocks);
        return;
    }
    const char *what = c->method == SL_METHOD_PAIRED ? "interleaved pairs" : "runs, unpaired";
    if (c->low == c->sign_low && c->high == c->sign_high) {
        sl_doc_say(p->doc, SL_DOC_SENTENCE, NULL,
                   "%g %% interval %.3f to %.3f from %zu %s (%s, no resampling)",
                   100 * c->confidence, c->low, c->high, c->blocks, what,
                   c->method == SL_METHOD_PAIRED ? "exact, by signs"
                                                 : "by the shortest and longest runs");
        return;
    }
    sl_doc_say(p->doc, SL_DOC_SENTENCE, NULL,
               "%g %% interval %.3f to %.3f from %zu %s (%u resamples, seed %llu%s)",
               100 * c->confidence, c->low, c->high, c->blocks, what, c->iterations,
               (unsigned long long)c->seed, c->looks > 0 ? ", widened for its looks" : "");
    if (isfinite(c->sign_low))
        sl_doc_say(p->doc, SL_DOC_LINE, NULL, "exact interval by signs: %.3f to %.3f", c->sign_low,
                   c->sign_high);
}

/* Measured runs of a side that are in no figure: said, for they were asked for. */
static void put_cold(struct page *p, const struct sl_analysis *side, const char *level)
{
    char text[SL_ANALYSIS_COLD_BYTES];
    if (side && side->attribution.cold_count > 0)
        sl_doc_say(p->doc, SL_DOC_SENTENCE, NULL, "%s: %s", level,
                   sl_analysis_cold_text(side, text));
}

/* Two builds also show the arm that has no verdict, and what SME2 gained in each. */
static void put_arms(struct page *p, const struct sl_arms *arms)
{
    const struct sl_gain *gain = &arms->gain;
    char outcome[OUTCOME_BYTES];
    if (arms->has_arm && isfinite(arms->arm.ratio))
        sl_doc_say(p->doc, SL_DOC_SENTENCE, NULL, "SME2 %s: %s", arms->level ? "on" : "off",
                   outcome_text(&arms->arm, "executes ", p->report->svl_bits, outcome));
    if (arms->has_gain)
        sl_doc_say(p->doc, SL_DOC_SENTENCE, NULL,
                   "what SME2 gains: %.3gx before, %.3gx now (%+.1f %%)", gain->before, gain->after,
                   100 * (gain->ratio - 1));
}

/* Nothing more is to be said of the outputs. NaN agrees with NaN, but is to be seen. */
static bool agrees(const struct page *p)
{
    const struct sl_agreement *a = p->report->agreement;
    return a && a->agree && a->odd == 0 && p->comparison->verdict != SL_VERDICT_WRONG;
}

/* Above it: the figures it comes from and what speaks for and against it. Where the pages are named
 * they have the count, and --full says it. */
static void put_grounds(struct page *p, bool figures)
{
    const struct sl_comparison *c = p->comparison;
    bool exact = c->method == SL_METHOD_EXACT && isfinite(c->ratio);
    if (p->report->pages)
        sl_doc_say(p->doc, SL_DOC_LINE, NULL, "%sreport: %s, or --full",
                   agrees(p) ? "outputs agree; " : "", p->report->pages);
    else if (exact && figures)
        sl_doc_say(p->doc, SL_DOC_LINE, NULL, "exact: %.0f -> %.0f executed instructions a run%s",
                   c->baseline, c->candidate, agrees(p) ? "; outputs agree" : "");
    if (!exact && isfinite(c->low))
        put_interval(p);
    if (p->report->arms)
        put_arms(p, p->report->arms);
    put_cold(p, p->report->baseline, p->report->baseline_level);
    put_cold(p, p->report->candidate, p->report->candidate_level);
    for (size_t i = 0; i < c->reason_count; i++)
        sl_doc_say(p->doc, SL_DOC_ITEM, NULL, "because %s", c->reasons[i]);
}

/* Two builds have two arms: of which is the verdict? */
static const char *arm_of(const struct sl_comparison_report *r)
{
    if (!r->arms || !r->arms->has_arm)
        return "";
    return r->arms->level ? ", SME2 off" : ", SME2 on"; /* that level is the other one's */
}

static void put_verdict(struct page *p)
{
    const struct sl_comparison *c = p->comparison;
    const struct sl_comparison_report *r = p->report;
    char clean[SL_TEXT_SIZE], outcome[OUTCOME_BYTES];
    bool good = c->verdict == SL_VERDICT_FASTER && c->unit != SL_TRACE_INSTRUCTIONS;
    int tone = good                                  ? SL_TONE_GOOD
               : c->verdict == SL_VERDICT_EQUIVALENT ? SL_TONE_STRONG
               : c->verdict == SL_VERDICT_FASTER     ? SL_TONE_STRONG
                                                     : SL_TONE_BAD;
    sl_doc_begin(p->doc, SL_DOC_VERDICT, sl_verdict_name(c));
    if (r->experiment)
        sl_doc_put(p->doc, SL_TONE_PLAIN, "%s  ",
                   sl_text_copy(clean, r->experiment, strlen(r->experiment)));
    if (r->own || r->runtime) /* short: it is one line, and put_whose() said the rest */
        sl_doc_put(p->doc, SL_TONE_PLAIN, "%s, ", r->own ? "our kernels" : r->runtime);
    sl_doc_put(p->doc, SL_TONE_STRONG, "%s %s against %s%s: ", r->factor, r->candidate_level,
               r->baseline_level, arm_of(r));
    sl_doc_put(p->doc, tone, "%s",
               outcome_text(c, r->beside ? "" : "executes ", r->svl_bits, outcome));
    if (r->beside) /* the line has two outcomes */
        put_beside(p);
}

static void put_agreement(struct page *p)
{
    const struct sl_agreement *a = p->report->agreement;
    char more[SL_AGREEMENT_TEXT_BYTES];
    if (a)
        sl_doc_say(p->doc, SL_DOC_SENTENCE, NULL,
                   "outputs: %s; largest difference %.2g, %.2g of the peak (up to %.2g)%s",
                   a->agree ? "agree" : "DIFFER", a->max_abs, a->max_rel, a->tolerance,
                   sl_agreement_more_text(a, more));
    else
        sl_doc_say(p->doc, SL_DOC_SENTENCE, NULL, "outputs: not compared");
}

/* A cost of one side and its part of the side's whole. */
static void put_side(struct page *p, struct sl_table *t, int side, const char *name, double cost,
                     double part)
{
    sl_table_text(t, name);
    sl_table_text(t, side ? p->report->candidate_level : p->report->baseline_level);
    sl_table_figure(t, cost, p->comparison->unit);
    sl_table_share(t, part);
}

/* The parts of a category. */
static void put_parts(struct page *p, struct sl_table *t, int category)
{
    const struct sl_comparison *c = p->comparison;
    struct sl_part parts[SL_PARTS_MAX];
    char text[SL_TEXT_SIZE];
    size_t count = sl_parts_compare(&p->report->baseline->attribution,
                                    &p->report->candidate->attribution, parts);
    for (size_t i = 0; i < count; i++) {
        if (parts[i].category != category)
            continue;
        snprintf(text, sizeof(text), "  %s", parts[i].name);
        put_side(p, t, 0, text, parts[i].baseline, parts[i].baseline / c->whole_baseline);
        sl_table_text(t, "");
        sl_table_text(t, "");
        put_side(p, t, 1, "", parts[i].candidate, parts[i].candidate / c->whole_candidate);
        sl_table_text(t, "");
        sl_table_ratio(t, parts[i].baseline, parts[i].candidate, 2);
    }
}

static int level_columns(const struct page *p)
{
    size_t baseline = strlen(p->report->baseline_level);
    size_t candidate = strlen(p->report->candidate_level);
    return (int)(baseline > candidate ? baseline : candidate) + 3;
}

/* The largest category of either side: what the bars are drawn against. */
static double largest_category(const struct sl_comparison *c)
{
    double largest = 0;
    for (int k = 0; k < SL_CATEGORY_COUNT; k++)
        largest = fmax(largest, fmax(c->categories[k].baseline, c->categories[k].candidate));
    return largest > 0 ? largest : 1;
}

/* Two bars a category, of both sides on one scale. */
static void put_shift(struct page *p)
{
    static const char *const heads[] = {"category", "side", ">cost", ">share", "", ">ratio", NULL};
    const struct sl_table_column widths[] = {
        {PART_COLUMNS, 0}, {level_columns(p), 0}, {10, 0}, {8, 0}, {0, 2}, {8, 0}};
    const struct sl_comparison *c = p->comparison;
    struct sl_table t;
    bool origin =
        p->report->baseline->attribution.by_origin && p->report->candidate->attribution.by_origin;
    sl_doc_begin(p->doc, SL_DOC_LINE, NULL);
    sl_doc_say(p->doc, SL_DOC_SENTENCE, NULL, "Where it goes, per run: %s;",
               sl_unit_caption(c->unit));
    sl_doc_say(p->doc, SL_DOC_LINE, NULL, "categories are by %s", origin ? "origin" : "name");
    sl_doc_begin(p->doc, SL_DOC_LINE, NULL);
    sl_table_init(&t, "categories", "Categories", heads);
    sl_table_widths(&t, widths);
    t.headless = true;
    for (int k = 0; k < SL_CATEGORY_COUNT; k++) {
        const struct sl_category_shift *shift = &c->categories[k];
        if (shift->baseline == 0 && shift->candidate == 0)
            continue;
        put_side(p, &t, 0, sl_category_name(k), shift->baseline, shift->share_baseline);
        sl_table_bar(&t, SL_TONE_FAINT, shift->baseline / largest_category(c));
        sl_table_text(&t, "");
        put_side(p, &t, 1, "", shift->candidate, shift->share_candidate);
        sl_table_bar(&t, SL_TONE_STRONG, shift->candidate / largest_category(c));
        sl_table_ratio(&t, shift->baseline, shift->candidate, 2);
        put_parts(p, &t, k);
    }
    sl_doc_table(p->doc, &t);
    sl_doc_begin(p->doc, SL_DOC_LINE, NULL);
}

static void put_kernel(struct sl_table *t, const struct sl_operator *op, const char *level)
{
    if (op && op->kernel)
        sl_table_line(t, SL_TONE_FAINT, "  %.16s: %.250s%s", level, op->kernel,
                      strcmp(sl_sme2_evidence(op), "executed") == 0 ? " (SME2, executed)" : "");
}

static bool changed(const struct sl_operator_shift *row)
{
    return row->q <= SL_OPERATOR_FALSE_DISCOVERIES; /* never with NAN */
}

/* Below the table: what its stars mean; nothing where there are no pairs to tell. */
static void explain_stars(struct page *p)
{
    const struct sl_comparison *c = p->comparison;
    size_t tested = 0, stars = 0;
    for (size_t i = 0; i < c->operator_count; i++) {
        tested += isfinite(c->operators[i].q) ? 1 : 0;
        stars += changed(&c->operators[i]);
    }
    if (tested > 0)
        sl_doc_say(p->doc, SL_DOC_SENTENCE, NULL,
                   "* changed: %zu of %zu operators, at a false-discovery rate of %.0f %%", stars,
                   tested, 100 * SL_OPERATOR_FALSE_DISCOVERIES);
}

static void put_operators(struct page *p, size_t most)
{
    char sides[2][128];
    snprintf(sides[0], sizeof(sides[0]), ">%s", p->report->baseline_level);
    snprintf(sides[1], sizeof(sides[1]), ">%s", p->report->candidate_level);
    const char *const heads[] = {
        "operator (own work)", "category", sides[0], sides[1], ">ratio", "", NULL};
    const struct sl_table_column widths[] = {
        {0, 0}, {CATEGORY_COLUMNS, 1}, {10, 0}, {10, 0}, {8, 0}, {1, 0}};
    const struct sl_comparison *c = p->comparison;
    struct sl_table t;
    sl_table_init(&t, "operators", "Operators", heads);
    sl_table_widths(&t, widths);
    for (size_t i = 0; i < c->operator_count && i < most; i++) {
        const struct sl_operator_shift *row = &c->operators[i];
        const struct sl_operator *op = row->candidate ? row->candidate : row->baseline;
        sl_table_cell(&t, op->name, op->name_len);
        sl_table_text(&t, sl_category_name(op->category));
        sl_table_figure(&t, row->baseline ? row->baseline_cost : NAN, c->unit);
        sl_table_figure(&t, row->candidate ? row->candidate_cost : NAN, c->unit);
        sl_table_ratio(&t, row->baseline_cost, row->candidate_cost, 2);
        sl_table_text(&t, changed(row) ? "*" : "");
        put_kernel(&t, row->baseline, p->report->baseline_level);
        put_kernel(&t, row->candidate, p->report->candidate_level);
    }
    sl_doc_table(p->doc, &t);
    if (c->operator_count > most)
        sl_doc_say(p->doc, SL_DOC_LINE, NULL, "... and %zu more (-v shows them)",
                   c->operator_count - most);
    explain_stars(p);
}

static void put_proof(struct page *p)
{
    const struct sl_attribution *a = &p->report->candidate->attribution;
    bool tell = sl_sme2_names_tell(&p->report->baseline->attribution);
    size_t matter = 0, executed = 0, available = 0, slower = 0, kept = 0;
    for (size_t i = 0; i < a->operator_count; i++) {
        size_t instances = a->operators[i].instances;
        bool counts = sl_sme2_matters(&a->operators[i]);
        matter += counts ? instances : 0;
        const char *kernel = NULL;
        const char *evidence = sl_sme2_evidence_of(&a->operators[i], p->report->log, tell, &kernel);
        evidence = sl_sme2_evidence_by(&a->operators[i], p->report->policies.now, evidence);
        slower += counts && strcmp(evidence, SL_SME2_KEPT_OUT) == 0 ? instances : 0;
        kept += counts && strcmp(evidence, SL_SME2_FAMILY_OUT) == 0 ? instances : 0;
        executed += counts && strcmp(evidence, "executed") == 0 ? instances : 0;
        available += counts && strcmp(evidence, "log-available") == 0 ? instances : 0;
    }
    char more[128] = "", lost[200];
    if (available > 0)
        snprintf(more, sizeof(more), "; for %zu more a log shows that an SME2 kernel was available",
                 available);
    if (slower > 0)
        snprintf(more, sizeof(more), "; %zu could, but by the run's policy NEON is faster there",
                 slower);
    if (kept > 0)
        snprintf(more, sizeof(more),
                 "; %zu could, but the run's policy keeps their families on NEON", kept);
    sl_doc_begin(p->doc, SL_DOC_LINE, NULL);
    sl_doc_say(p->doc, SL_DOC_SENTENCE, NULL,
               "SME2 executed in %zu of %zu operators that can use it%s%s", executed, matter,
               a->by_origin || executed > 0 ? "" : " (no trace beside the file: nothing is proven)",
               more);
    if (sl_sme2_lost_text(p->comparison, &p->report->policies, lost, sizeof(lost)))
        sl_doc_say(p->doc, SL_DOC_SENTENCE, NULL, "%s", lost);
}

/* The baseline if each operator ran in the cheaper of both ways. */
static void put_headroom(struct page *p)
{
    const struct sl_comparison *c = p->comparison;
    struct sl_headroom room;
    char reach[48], name[SL_TEXT_SIZE];
    if (c->verdict == SL_VERDICT_WRONG || c->verdict == SL_VERDICT_INCOMPARABLE)
        return;
    sl_headroom_find(c, &room);
    double best = fmin(room.baseline, room.candidate);
    if (!room.widest || !(room.reachable < best * (1 - small_share)))
        return; /* nothing that matters */
    const struct sl_operator *op = room.widest->baseline;
    sl_doc_say(p->doc, SL_DOC_SENTENCE, NULL,
               "headroom: with the cheaper of both for each operator a run could take %s, %.1f %% "
               "of the baseline; most of it in %.80s",
               sl_unit_format(reach, sizeof(reach), room.reachable, c->unit),
               100 * room.reachable / room.baseline, sl_text_copy(name, op->name, op->name_len));
}

static void put_next_steps(struct page *p)
{
    struct sl_next_step steps[SL_NEXT_STEPS_MAX];
    size_t count = sl_next_steps_find(p->report, steps);
    for (size_t i = 0; i < count; i++) {
        sl_doc_say(p->doc, SL_DOC_STEP, NULL, "%s", steps[i].text);
        sl_doc_put(p->doc, SL_TONE_RULE, "%s", steps[i].rule);
    }
}

static void put_warnings(struct page *p, const struct sl_analysis *analysis)
{
    for (size_t i = 0; i < analysis->attribution.warning_count; i++) {
        sl_doc_begin(p->doc, SL_DOC_SENTENCE, NULL);
        sl_doc_put(p->doc, SL_TONE_BAD, "warning:");
        sl_doc_put(p->doc, SL_TONE_PLAIN, " %.128s: %s", analysis->file,
                   analysis->attribution.warnings[i]);
    }
}

/* Both sides in one bar: '#' what the candidate takes, '.' what the baseline takes beyond it, '+'
 * what the candidate takes beyond the baseline. */
static void put_overlay(struct sl_table *t, double baseline, double candidate, double scale)
{
    char bar[OVERLAY_COLUMNS + 1];
    size_t base = (size_t)ceil(OVERLAY_COLUMNS * fmin(1, baseline / scale));
    size_t cand = (size_t)ceil(OVERLAY_COLUMNS * fmin(1, candidate / scale));
    size_t both = base < cand ? base : cand;
    size_t all = base < cand ? cand : base;
    for (size_t i = 0; i < all; i++)
        bar[i] = i < both ? '#' : base > cand ? '.' : '+';
    bar[all] = '\0';
    sl_table_text(t, bar);
}

static void put_brief_row(const struct sl_comparison *c, struct sl_table *t, const char *name,
                          double baseline, double candidate)
{
    sl_table_text(t, name);
    sl_table_figure(t, baseline, c->unit);
    sl_table_figure(t, candidate, c->unit);
    sl_table_ratio(t, baseline, candidate, 2);
    put_overlay(t, baseline, candidate, largest_category(c));
}

/* A line each for the large ones; the others share one. */
static void put_brief_categories(const struct sl_comparison *c, struct sl_table *t)
{
    double baseline = 0, candidate = 0, shares[SL_CATEGORY_COUNT];
    bool alone[SL_CATEGORY_COUNT];
    char names[SL_BRIEF_NAMES_BYTES] = "";
    size_t others = 0;
    for (int k = 0; k < SL_CATEGORY_COUNT; k++)
        shares[k] =
            fmax(0, fmax(c->categories[k].share_baseline, c->categories[k].share_candidate));
    sl_brief_rows(shares, SL_CATEGORY_COUNT, alone);
    for (int k = 0; k < SL_CATEGORY_COUNT; k++) {
        const struct sl_category_shift *shift = &c->categories[k];
        if (shift->baseline == 0 && shift->candidate == 0)
            continue;
        if (alone[k]) {
            put_brief_row(c, t, sl_category_name(k), shift->baseline, shift->candidate);
            continue;
        }
        sl_brief_rows_name(names, others++, sl_category_name(k));
        baseline += shift->baseline;
        candidate += shift->candidate;
    }
    if (names[0])
        put_brief_row(c, t, names, baseline, candidate);
}

static void put_brief_operators(const struct sl_comparison *c, struct sl_table *t)
{
    for (size_t i = 0; i < c->operator_count && i < BRIEF_OPERATORS; i++) {
        const struct sl_operator_shift *row = &c->operators[i];
        const struct sl_operator *op = row->candidate ? row->candidate : row->baseline;
        char name[SL_TEXT_SIZE], indented[SL_TEXT_SIZE + 2];
        snprintf(indented, sizeof(indented), "  %s", sl_text_copy(name, op->name, op->name_len));
        put_brief_row(c, t, indented, row->baseline ? row->baseline_cost : NAN,
                      row->candidate ? row->candidate_cost : NAN);
    }
}

/* The categories and the three largest operators. Its head says whose they are: our kernels are not
 * those that apps ship. */
static void put_brief(struct page *p)
{
    const struct sl_comparison *c = p->comparison;
    bool counted = c->unit == SL_TRACE_INSTRUCTIONS;
    const char *whose = p->report->own ? "our kernels" : p->report->runtime;
    char caption[96], sides[2][32], legend[OVERLAY_COLUMNS + 1];
    snprintf(caption, sizeof(caption), "~%.30s%s%s%s", whose ? whose : "", whose ? ": " : "",
             counted ? "instructions" : "time a run",
             !p->report->emulated ? counted ? ", not time" : ""
             : counted            ? " (emulated), not time"
                                  : " (emulated: means nothing)");
    snprintf(sides[0], sizeof(sides[0]), ">%.20s", p->report->baseline_level);
    snprintf(sides[1], sizeof(sides[1]), ">%.20s", p->report->candidate_level);
    if (strlen(p->report->candidate_level) + strlen(p->report->baseline_level) <= OVERLAY_WORDS)
        snprintf(legend, sizeof(legend), "# %s, . %s", p->report->candidate_level,
                 p->report->baseline_level);
    else
        snprintf(legend, sizeof(legend), "# %.*s", OVERLAY_WORDS, p->report->candidate_level);
    const char *const heads[] = {caption, sides[0], sides[1], ">ratio", legend, NULL};
    const struct sl_table_column widths[] = {
        {0, 0}, {10, 1}, {10, 1}, {8, 1}, {OVERLAY_COLUMNS, 2}};
    struct sl_table t;
    sl_table_init(&t, "where", "Where it goes", heads);
    sl_table_widths(&t, widths);
    put_brief_categories(c, &t);
    put_brief_operators(c, &t);
    sl_doc_table(p->doc, &t);
}

/* A line for each silicon whose time was estimated. */
static void put_estimates(struct page *p)
{
    char line[256];
    for (size_t i = 0; sl_report_estimates_line(p->report->estimates, i, line, sizeof(line)); i++)
        sl_doc_say(p->doc, SL_DOC_SENTENCE, NULL, "%s", line);
}

static void put_estimate_tables(struct page *p, size_t operators)
{
    struct sl_table table;
    if (!sl_report_estimates_any(p->report->estimates))
        return;
    put_estimates(p);
    const struct sl_attribution *const names[2] = {&p->report->baseline->attribution,
                                                   &p->report->candidate->attribution};
    sl_report_estimates_table(p->report->estimates, names, true, &table);
    sl_doc_table(p->doc, &table);
    sl_report_estimates_bounds(p->report->estimates, true, &table);
    sl_doc_table(p->doc, &table);
    sl_report_estimates_threads(p->report->estimates, names, &table);
    sl_doc_table(p->doc, &table);
    for (size_t i = 0;
         sl_report_estimates_operators(p->report->estimates, i, operators, true, &table); i++)
        sl_doc_table(p->doc, &table);
}

/* The first alone, and no line for outputs that agree: the grounds say so. A line each, however
 * wide; of the step what fits, for the pages have all of it. */
static void put_step(struct page *p, const char *whose, size_t width)
{
    struct sl_next_step step;
    char estimate[256], line[SL_TEXT_SIZE];
    if (sl_report_estimates_brief(p->report->estimates, estimate, sizeof(estimate)))
        sl_doc_say(p->doc, SL_DOC_LINE, NULL, "%s%s%s", whose ? whose : "", whose ? ", " : "",
                   estimate);
    if (!agrees(p))
        put_agreement(p);
    sl_next_step_find(p->report, &step);
    snprintf(line, sizeof(line), "next: %s%s%s", whose ? whose : "", whose ? ": " : "", step.text);
    sl_text_parts(line, width);
    sl_doc_say(p->doc, SL_DOC_LINE, NULL, "%s", line);
    put_warnings(p, p->report->baseline);
    put_warnings(p, p->report->candidate);
}

static void put_plugins(struct page *p)
{
    const char *const sides[] = {p->report->baseline_level, p->report->candidate_level};
    struct sl_table table;
    if (!sl_plugin_figures_any(p->report->plugins))
        return;
    sl_plugin_figures_table(p->report->plugins, sides, &table);
    sl_doc_say(p->doc, SL_DOC_SENTENCE, NULL, "%s: %s", table.title, table.note);
    sl_doc_table(p->doc, &table);
}

static void put_analyses(struct page *p, size_t operators)
{
    const struct sl_comparison_report *report = p->report;
    if (report->own)
        sl_doc_say(p->doc, SL_DOC_LINE, NULL, "measured: %s", sl_comparison_whose(report));
    put_agreement(p);
    if (report->emulated)
        sl_doc_say(p->doc, SL_DOC_LINE, NULL, "emulated CPU: %s",
                   p->comparison->unit == SL_TRACE_INSTRUCTIONS
                       ? "instructions are counted, times are not shown"
                       : "these times mean nothing");
    put_shift(p);
    put_operators(p, operators);
    put_estimate_tables(p, operators);
    put_plugins(p);
    put_proof(p);
    put_headroom(p);
    put_next_steps(p);
    put_warnings(p, report->baseline);
    put_warnings(p, report->candidate);
}

int sl_comparison_text(struct sl_buf *out, const struct sl_style *style,
                       const struct sl_comparison_report *report, int extent)
{
    struct sl_doc doc;
    struct page p = {.doc = &doc, .report = report, .comparison = report->comparison};
    sl_doc_init(&doc, SL_DOC_TERMINAL);
    if (extent == SL_COMPARISON_GROUNDS || extent == SL_COMPARISON_REASONS ||
        extent == SL_COMPARISON_DOUBTS)
        put_grounds(&p, extent == SL_COMPARISON_GROUNDS);
    if (extent == SL_COMPARISON_VERDICT || extent == SL_COMPARISON_GROUNDS ||
        extent == SL_COMPARISON_REASONS)
        put_verdict(&p);
    if (report->baseline && extent == SL_COMPARISON_SUMMARY)
        put_brief(&p);
    if (report->baseline && (extent == SL_COMPARISON_SUMMARY || extent == SL_COMPARISON_STEP))
        put_step(&p, extent == SL_COMPARISON_STEP ? report->runtime : NULL,
                 (size_t)sl_style_width(style));
    if (report->baseline && extent == SL_COMPARISON_ANALYSES)
        put_analyses(&p, style->operators);
    int rc = sl_doc_text(out, style, &doc);
    sl_doc_fini(&doc);
    return rc;
}
