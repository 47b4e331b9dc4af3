/* host/report/report_tables.c: the tables of a report. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/format/sltrace.h"
#include "host/analysis/agreement.h"
#include "host/analysis/comparison.h"
#include "host/analysis/parts.h"
#include "host/analysis/verdict.h"
#include "host/report/analysis.h"
#include "host/report/comparison.h"
#include "host/report/next_step.h"
#include "host/report/report.h"
#include "host/report/sme2_proof.h"
#include "host/report/table.h"
#include "host/report/unit.h"

enum { SIDE_BYTES = 128 };

static int unit_of(const struct sl_report *report)
{
    return report->comparison->comparison->unit;
}

const char *sl_report_side(const struct sl_report *report, int side)
{
    if (report->names[side][0])
        return report->names[side];
    return side == 0 ? "SME2 off" : "SME2 on";
}

static bool imported(const struct sl_report *report)
{
    return report->names[0][0] != '\0';
}

/* The head of a column of figures of one side; from the second byte on, of one of texts. */
static const char *side_head(char out[SIDE_BYTES], const struct sl_report *report, int side,
                             const char *what)
{
    snprintf(out, SIDE_BYTES, ">%s%s", what, sl_report_side(report, side));
    return out;
}

/* Counts in full with commas, times with their unit. */
static void put_figure(struct sl_table *t, double value, int unit)
{
    char text[64];
    if (!isfinite(value) || unit != SL_TRACE_INSTRUCTIONS) {
        sl_table_text(t, sl_unit_format(text, sizeof(text), value, unit));
        return;
    }
    char digits[40];
    snprintf(digits, sizeof(digits), "%.0f", fabs(value));
    size_t len = strlen(digits);
    size_t used = 0;
    if (value < 0)
        text[used++] = '-';
    for (size_t i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            text[used++] = ',';
        text[used++] = digits[i];
    }
    sl_table_cell(t, text, used);
}

/* Puts the range of the true difference. */
static void put_range(struct sl_table *t, double low, double high, int unit)
{
    char from[32];
    char to[32];
    if (isfinite(low) && isfinite(high))
        sl_table_printf(t, "%s to %s", sl_unit_format(from, sizeof(from), low, unit),
                        sl_unit_format(to, sizeof(to), high, unit));
    else
        sl_table_text(t, "-");
}

static void note_unit(const struct sl_report *report, struct sl_table *t, const char *more)
{
    snprintf(t->note, sizeof(t->note), "Unit: %s.%s", sl_unit_words(unit_of(report)), more);
}

void sl_report_facts(const struct sl_report *report, struct sl_table *out)
{
    static const char *const heads[] = {"What", "Value", NULL};
    sl_table_init(out, "conditions", "What was measured", heads);
    for (size_t i = 0; i < report->fact_count; i++) {
        sl_table_text(out, report->facts[i].name);
        sl_table_text(out, report->facts[i].value);
    }
}

void sl_report_artifacts(const struct sl_report *report, struct sl_table *out)
{
    static const char *const heads[] = {"What", "Files", NULL};
    sl_table_init(out, "artifacts", "Generated artifacts", heads);
    for (size_t i = 0; i < report->artifact_count; i++) {
        sl_table_text(out, report->artifacts[i].name);
        sl_table_text(out, report->artifacts[i].value);
    }
}

static void put_figures_row(struct sl_table *t, const char *name, double off, double on, int unit,
                            bool ratio)
{
    sl_table_text(t, name);
    put_figure(t, off, unit);
    put_figure(t, on, unit);
    if (ratio)
        sl_table_ratio(t, off, on, 3);
    else
        sl_table_text(t, "");
}

/* Quantiles only where both samples reach them (statistics.md D-06). */
static void put_quantiles(struct sl_table *out, const struct sl_statistics *off,
                          const struct sl_statistics *on, int unit)
{
    size_t n = off->n < on->n ? off->n : on->n;
    put_figures_row(out, "Median", off->median, on->median, unit, true);
    put_figures_row(out, "Mean", off->mean, on->mean, unit, true);
    put_figures_row(out, "Min", (double)off->min, (double)on->min, unit, true);
    put_figures_row(out, "Max", (double)off->max, (double)on->max, unit, true);
    if (n >= 20)
        put_figures_row(out, "p90", off->p90, on->p90, unit, true);
    if (n >= 50)
        put_figures_row(out, "p95", off->p95, on->p95, unit, true);
    if (n >= 200)
        put_figures_row(out, "p99", off->p99, on->p99, unit, true);
    put_figures_row(out, "Std Dev", off->stddev, on->stddev, unit, false);
}

void sl_report_figures(const struct sl_report *report, struct sl_table *out)
{
    char sides[2][SIDE_BYTES];
    const char *const heads[] = {"End to end, per run", side_head(sides[0], report, 0, ""),
                                 side_head(sides[1], report, 1, ""), ">Ratio", NULL};
    const struct sl_statistics *off = &report->comparison->baseline->latency;
    const struct sl_statistics *on = &report->comparison->candidate->latency;
    int unit = unit_of(report);
    char title[64];
    snprintf(title, sizeof(title), "%s comparison%s",
             unit == SL_TRACE_INSTRUCTIONS ? "Instruction" : "Latency",
             imported(report) ? "" : " (SME2-On vs SME2-Off)");
    sl_table_init(out, "figures", title, heads);
    note_unit(report, out, "");
    if (off->n > 0 && on->n > 0 && off->min == off->max && on->min == on->max)
        put_figures_row(out, "Every run the same", off->median, on->median, unit, true);
    else
        put_quantiles(out, off, on, unit);
    sl_table_text(out, "Runs measured");
    sl_table_printf(out, "%zu", off->n);
    sl_table_printf(out, "%zu", on->n);
    sl_table_text(out, "");
}

/* How many times less the whole would be without the cost: Amdahl's limit. */
static void put_limit(struct sl_table *t, const struct sl_comparison *c, double cost)
{
    if (cost > 0 && cost < c->whole_candidate)
        sl_table_printf(t, "%.2fx", c->whole_candidate / (c->whole_candidate - cost));
    else
        sl_table_text(t, "-");
}

/* The parts of a category, under it. */
static void put_parts(const struct sl_report *report, bool ranges, int category,
                      struct sl_table *out)
{
    const struct sl_comparison *c = report->comparison->comparison;
    struct sl_part parts[SL_PARTS_MAX];
    size_t count = sl_parts_compare(&report->comparison->baseline->attribution,
                                    &report->comparison->candidate->attribution, parts);
    for (size_t i = 0; i < count; i++) {
        const struct sl_part *part = &parts[i];
        if (part->category != category)
            continue;
        sl_table_part(out, part->name);
        put_figure(out, part->baseline, c->unit);
        sl_table_share(out, part->baseline / c->whole_baseline);
        put_figure(out, part->candidate, c->unit);
        sl_table_share(out, part->candidate / c->whole_candidate);
        put_figure(out, part->candidate - part->baseline, c->unit);
        if (ranges)
            sl_table_text(out, "-");
        sl_table_ratio(out, part->baseline, part->candidate, 3);
        put_limit(out, c, part->candidate);
    }
}

void sl_report_shift(const struct sl_report *report, struct sl_table *out)
{
    char sides[2][SIDE_BYTES];
    const char *const off = side_head(sides[0], report, 0, "");
    const char *const on = side_head(sides[1], report, 1, "");
    const char *const heads[] = {"Category",    off,      ">Share",   on,  ">Share",
                                 ">Difference", ">Ratio", ">If free", NULL};
    const char *const timed[] = {"Category",    off,           ">Share", on,         ">Share",
                                 ">Difference", ">Its range*", ">Ratio", ">If free", NULL};
    const struct sl_comparison *c = report->comparison->comparison;
    bool ranges = isfinite(c->whole_low);
    bool origin = report->comparison->baseline->attribution.by_origin &&
                  report->comparison->candidate->attribution.by_origin;
    struct sl_category_shift all = {.delta_low = c->whole_low, .delta_high = c->whole_high};
    char more[448];
    sl_table_init(out, "categories", "Operator category breakdown", ranges ? timed : heads);
    out->fixed = true;
    snprintf(
        more, sizeof(more),
        " Mean per run; own work only, so the categories sum to end to end, and parts to "
        "their category. If free: so many times less all would be if that cost nothing. "
        "Categories are by %s%s%s",
        origin ? "origin: the model's node." : "name: what the file calls an operator.",
        sl_parts_tell_packing(&report->comparison->baseline->attribution,
                              &report->comparison->candidate->attribution)
            ? " Packing inside: instructions that lay operands out; the parts beside it are "
              "without them."
            : " What convolutions and products spend on packing is told apart where both sides "
              "are counted runs of our own kernels.",
        ranges ? " *Interval of the difference." : "");
    note_unit(report, out, more);
    for (int k = 0; k <= SL_CATEGORY_COUNT; k++) {
        const struct sl_category_shift *s = k < SL_CATEGORY_COUNT ? &c->categories[k] : &all;
        if (k < SL_CATEGORY_COUNT && s->baseline == 0 && s->candidate == 0)
            continue;
        sl_table_text(out, k < SL_CATEGORY_COUNT ? sl_category_name(k) : "End to end");
        put_figure(out, s->baseline, c->unit);
        sl_table_share(out, s->share_baseline);
        put_figure(out, s->candidate, c->unit);
        sl_table_share(out, s->share_candidate);
        put_figure(out, s->delta, c->unit);
        if (ranges)
            put_range(out, s->delta_low, s->delta_high, c->unit);
        sl_table_ratio(out, s->baseline, s->candidate, 3);
        put_limit(out, c, k < SL_CATEGORY_COUNT ? s->candidate : 0);
        put_parts(report, ranges, k, out);
        all.baseline += s->baseline;
        all.candidate += s->candidate;
        all.delta += s->delta;
        all.share_baseline += s->share_baseline;
        all.share_candidate += s->share_candidate;
    }
}

void sl_report_operators(const struct sl_report *report, size_t most, struct sl_table *out)
{
    char sides[2][SIDE_BYTES];
    const char *const off = side_head(sides[0], report, 0, "");
    const char *const on = side_head(sides[1], report, 1, "");
    const char *const heads[] = {"Operator", "Category", off, on, ">Difference", ">Ratio", NULL};
    const char *const timed[] = {"Operator",    "Category",    off,      on,  ">Difference",
                                 ">Its range*", ">Changed at", ">Ratio", NULL};
    const struct sl_comparison *c = report->comparison->comparison;
    bool ranges = c->operator_count > 0 && isfinite(c->operators[0].q);
    char more[256] = " Mean per run, own work, largest first.";
    sl_table_init(out, "operators", "Operators", ranges ? timed : heads);
    if (c->operator_count > most)
        snprintf(more, sizeof(more), " Mean per run, own work; the %zu largest of %zu.", most,
                 c->operator_count);
    if (ranges)
        snprintf(more + strlen(more), sizeof(more) - strlen(more),
                 " *Interval of the difference. 'Changed at' is the false-discovery rate at which "
                 "the operator counts as changed; up to 5 %% is convincing.");
    note_unit(report, out, more);
    for (size_t i = 0; i < c->operator_count && i < most; i++) {
        const struct sl_operator_shift *row = &c->operators[i];
        const struct sl_operator *op = row->candidate ? row->candidate : row->baseline;
        sl_table_cell(out, op->name, op->name_len);
        sl_table_text(out, sl_category_name(op->category));
        put_figure(out, row->baseline ? row->baseline_cost : NAN, c->unit);
        put_figure(out, row->candidate ? row->candidate_cost : NAN, c->unit);
        put_figure(out, row->candidate_cost - row->baseline_cost, c->unit);
        if (ranges) {
            put_range(out, row->delta_low, row->delta_high, c->unit);
            sl_table_share(out, row->q);
        }
        sl_table_ratio(out, row->baseline_cost, row->candidate_cost, 3);
    }
}

void sl_report_steps(const struct sl_report *report, struct sl_table *out)
{
    static const char *const heads[] = {"Step", "Rule", ">Saves", NULL};
    struct sl_next_step steps[SL_NEXT_STEPS_MAX];
    size_t count = sl_next_steps_find(report->comparison, steps);
    sl_table_init(out, "steps", "Next steps", heads);
    snprintf(out->note, sizeof(out->note),
             "What saves most first; shares are of end to end, and savings do not add up.");
    for (size_t i = 0; count > 1 && i < count; i++) {
        sl_table_text(out, steps[i].text);
        sl_table_text(out, steps[i].rule);
        sl_table_share(out, steps[i].saves);
    }
}

void sl_report_proof(const struct sl_report *report, struct sl_table *out)
{
    char sides[3][SIDE_BYTES];
    const char *const heads[] = {"Operator", side_head(sides[0], report, 0, "Kernel, ") + 1,
                                 side_head(sides[1], report, 1, "Kernel, ") + 1,
                                 side_head(sides[2], report, 1, "Proof of SME2, ") + 1, NULL};
    const struct sl_comparison *c = report->comparison->comparison;
    bool tell = sl_sme2_names_tell(&report->comparison->baseline->attribution);
    char lost[200] = "";
    sl_table_init(out, "kernels", "Kernels and proof of SME2 use", heads);
    bool any = sl_sme2_lost_text(c, &report->comparison->policies, lost, sizeof(lost));
    snprintf(
        out->note, sizeof(out->note),
        "%s%sexecuted: the run's record names an SME2 kernel, or the name says operands packed "
        "for SME; log-available: XNNPACK's log has one. All operators that could use SME2.",
        lost, any ? ". " : "");
    for (size_t i = 0; i < c->operator_count; i++) {
        const struct sl_operator_shift *row = &c->operators[i];
        const struct sl_operator *op = row->candidate ? row->candidate : row->baseline;
        if (!sl_sme2_matters(op))
            continue;
        sl_table_cell(out, op->name, op->name_len);
        sl_table_text(out, row->baseline && row->baseline->kernel ? row->baseline->kernel : "-");
        const char *kernel = NULL;
        const char *evidence =
            row->candidate
                ? sl_sme2_evidence_of(row->candidate, report->comparison->log, tell, &kernel)
                : "-";
        if (row->candidate)
            evidence =
                sl_sme2_evidence_by(row->candidate, report->comparison->policies.now, evidence);
        sl_table_text(out, kernel ? kernel : "-");
        sl_table_text(out, evidence);
    }
}

static void put_runs(struct sl_table *t, const struct sl_attribution *a, const char *side)
{
    for (size_t i = 0; i < a->run_count; i++) {
        const struct sl_attribution_run *run = &a->runs[i];
        sl_table_text(t, side);
        sl_table_printf(t, "%u", run->run);
        if (run->pair == UINT32_MAX)
            sl_table_text(t, "-");
        else
            sl_table_printf(t, "%u", run->pair);
        sl_table_text(t, run->cold     ? "cold, not in the figures"
                         : run->warmup ? "warm-up, not in the figures"
                                       : "measured");
        put_figure(t, (double)run->end_to_end, a->unit);
    }
}

void sl_report_runs(const struct sl_report *report, struct sl_table *out)
{
    static const char *const heads[] = {"Side", ">Run", ">Pair", "Kind", ">End to end", NULL};
    sl_table_init(out, "runs", "Every run", heads);
    note_unit(report, out, "");
    put_runs(out, &report->comparison->baseline->attribution, sl_report_side(report, 0));
    put_runs(out, &report->comparison->candidate->attribution, sl_report_side(report, 1));
}

/* "fewer-instructions: ExecuTorch, SME2 on executes 2x fewer instructions than SME2 off, at SVL 512
 * (not speed)" */
static void say_counted(const struct sl_report *report, const char *whose, char *out, size_t size)
{
    const struct sl_comparison *c = report->comparison->comparison;
    unsigned bits = report->comparison->svl_bits;
    char svl[32] = "";
    if (bits > 0)
        snprintf(svl, sizeof(svl), ", at SVL %u", bits);
    if (c->ratio == 1)
        snprintf(out, size, "%s: %sexecutes as many instructions%s", sl_verdict_name(c), whose,
                 svl);
    else
        snprintf(out, size, "%s: %s%s executes %.3fx %s instructions than %s%s (not speed)",
                 sl_verdict_name(c), whose, sl_report_side(report, 1), fmax(c->ratio, 1 / c->ratio),
                 c->ratio > 1 ? "fewer" : "more", sl_report_side(report, 0), svl);
}

void sl_report_verdict(const struct sl_report *report, char *out, size_t size)
{
    const struct sl_comparison *c = report->comparison->comparison;
    char of[2 * sizeof(report->names[0]) + 8], whose[40] = "";
    if (sl_comparison_whose(report->comparison))
        snprintf(whose, sizeof(whose), "%s, ", sl_comparison_whose(report->comparison));
    snprintf(of, sizeof(of), "%s / %s", sl_report_side(report, 0),
             imported(report) ? sl_report_side(report, 1) : "on");
    if (c->verdict == SL_VERDICT_WRONG)
        snprintf(out, size, "wrong: %sthe outputs differ, so no ratio counts", whose);
    else if (!isfinite(c->ratio))
        snprintf(out, size, "%s", sl_verdict_name(c));
    else if (c->unit == SL_TRACE_INSTRUCTIONS && c->method == SL_METHOD_EXACT)
        say_counted(report, whose, out, size);
    else if (isfinite(c->low))
        snprintf(out, size, "%s: %s%.3fx, %s; %g %% interval %.3f to %.3f from %zu %s",
                 sl_verdict_name(c), whose, c->ratio, of, 100 * c->confidence, c->low, c->high,
                 c->blocks,
                 c->method == SL_METHOD_PAIRED      ? "interleaved pairs"
                 : c->method == SL_METHOD_PROCESSES ? "processes"
                                                    : "runs, unpaired");
    else
        snprintf(out, size, "%s: %s%.3fx, %s; no interval", sl_verdict_name(c), whose, c->ratio,
                 of);
}

void sl_report_title(const struct sl_report *report, char *out, size_t size)
{
    if (imported(report))
        snprintf(out, size, "%s against %s", sl_report_side(report, 0), sl_report_side(report, 1));
    else
        snprintf(out, size, "SME2 off against on");
}

void sl_report_conditions(const struct sl_report *report, char *out, size_t size)
{
    bool counted = unit_of(report) == SL_TRACE_INSTRUCTIONS;
    if (imported(report) && !report->comparison->emulated)
        snprintf(out, size, "Imported: what the figures were measured on is not recorded.");
    else if (!report->comparison->emulated)
        snprintf(out, size, "Measured on the CPU itself; figures are time.");
    else
        snprintf(out, size, "%s",
                 counted ? "Emulated CPU, counted: the figures are executed instructions. They "
                           "are exact counts, not time."
                         : "Emulated CPU: these times mean nothing and no verdict is drawn from "
                           "them.");
}
