/* host/report/analysis_text.c */
#include "host/report/analysis_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/format/sltrace.h"
#include "host/analysis/movement.h"
#include "host/report/analysis.h"
#include "host/report/reach_report.h"
#include "host/report/record_join.h"
#include "host/report/style.h"
#include "host/report/unit.h"

enum { FIGURE_COLUMNS = 10, SHARE_COLUMNS = 8, CATEGORY_COLUMNS = 14 };

struct page {
    struct sl_buf *out;
    const struct sl_style *style;
    const struct sl_analysis *analysis;
    size_t width;
    double runs, whole; /* measured runs, and their end to end together */
    int error;          /* the first failure sticks */
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

static void figure(struct page *p, double value)
{
    char text[32];
    sl_unit_format(text, sizeof(text), value, p->analysis->attribution.unit);
    cell(p, text, FIGURE_COLUMNS, true);
}

static void share(struct page *p, double part)
{
    char text[32] = "-";
    if (p->whole != 0.0)
        snprintf(text, sizeof(text), "%.1f %%", 100.0 * part / p->whole);
    cell(p, text, SHARE_COLUMNS, true);
}

static void put_head(struct page *p)
{
    const struct sl_attribution *a = &p->analysis->attribution;
    char text[SL_TEXT_SIZE];
    size_t warmups = a->run_count - a->measured_count;
    snprintf(text, sizeof(text), "%s", p->analysis->file);
    note(p, sl_style_put(p->out, p->style, SL_TONE_STRONG, text));
    note(p, sl_buf_printf(p->out, "\n"));
    snprintf(text, sizeof(text), "%zu run%s", a->measured_count, a->measured_count == 1 ? "" : "s");
    if (warmups > 0)
        snprintf(text + strlen(text), 64, " and %zu warm-up%s, not counted", warmups,
                 warmups == 1 ? "" : "s");
    snprintf(text + strlen(text), 128, "; figures are %s, per run (mean)",
             sl_unit_caption(a->unit));
    note(p, sl_style_wrap(p->out, p->style, 0, text));
    note(p, sl_style_wrap(
                p->out, p->style, 0,
                a->by_origin ? "categories are by origin: the serialized node an operator came from"
                             : "categories are by name: what the file calls an operator"));
    note(p, sl_buf_printf(p->out, "\n"));
}

static void put_named(struct page *p, const char *name, double value)
{
    char text[32];
    sl_unit_format(text, sizeof(text), value, p->analysis->attribution.unit);
    note(p, sl_buf_printf(p->out, "%s %s  ", name, text));
}

/* Where the runs themselves show that warm-up ended, and whether they lie in two heaps. */
static void put_steadiness(struct page *p)
{
    const struct sl_steadiness *s = &p->analysis->steadiness;
    const struct sl_attribution *a = &p->analysis->attribution;
    char low[32];
    char high[32];
    char text[256];
    if (s->state == SL_STEADINESS_UNSTEADY)
        note(p, sl_buf_printf(p->out,
                              "Steadiness  never steady: the last of %zu changes is at run "
                              "%u\n",
                              s->change_count, a->runs[s->from].run));
    else if (p->analysis->warming > 0)
        note(p,
             sl_buf_printf(p->out,
                           "Steadiness  the first %zu measured runs are warm-up still; "
                           "from there median %s\n",
                           p->analysis->warming,
                           sl_unit_format(low, sizeof(low), p->analysis->steady.median, a->unit)));
    if (s->mode_count == 2) {
        snprintf(text, sizeof(text),
                 "Two modes   %zu runs around %s and %zu around %s: one figure hides them",
                 s->modes[0].count, sl_unit_format(low, sizeof(low), s->modes[0].median, a->unit),
                 s->modes[1].count,
                 sl_unit_format(high, sizeof(high), s->modes[1].median, a->unit));
        note(p, sl_style_wrap(p->out, p->style, 0, text));
    }
}

/* Quantiles only where the sample reaches them (statistics.md D-06). */
static void put_latency(struct page *p)
{
    const struct sl_statistics *s = &p->analysis->latency;
    const struct sl_attribution *a = &p->analysis->attribution;
    note(p, sl_buf_printf(p->out, "End to end  "));
    put_named(p, "median", s->median);
    put_named(p, "mean", s->mean);
    if (isfinite(s->cv_percent))
        note(p, sl_buf_printf(p->out, "CV %.2f %%  ", s->cv_percent));
    note(p, sl_buf_printf(p->out, "outliers %zu\n            ", s->outlier_count));
    put_named(p, "min", (double)s->min);
    put_named(p, "max", (double)s->max);
    if (s->n >= 20)
        put_named(p, "p90", s->p90);
    if (s->n >= 50)
        put_named(p, "p95", s->p95);
    if (s->n >= 200)
        put_named(p, "p99", s->p99);
    if (a->has_program_load) {
        note(p, sl_style_end_line(p->out));
        note(p, sl_buf_printf(p->out, "Loading     "));
        put_named(p, "total", (double)a->program_load);
    }
    note(p, sl_style_end_line(p->out));
    put_steadiness(p);
    note(p, sl_style_end_line(p->out));
}

/* The parts of Data Movement under it, where there are any. */
static void put_movement(struct page *p)
{
    int64_t totals[SL_MOVEMENT_COUNT];
    char text[SL_TEXT_SIZE];
    sl_movement_totals(&p->analysis->attribution, totals);
    for (int i = 0; i < SL_MOVEMENT_COUNT; i++) {
        if (totals[i] == 0)
            continue;
        snprintf(text, sizeof(text), "  %s", sl_movement_name(i));
        cell(p, text, CATEGORY_COLUMNS, false);
        figure(p, (double)totals[i] / p->runs);
        share(p, (double)totals[i]);
        note(p, sl_buf_printf(p->out, "\n"));
    }
}

static void put_categories(struct page *p)
{
    const struct sl_attribution *a = &p->analysis->attribution;
    size_t bar = p->width - CATEGORY_COLUMNS - FIGURE_COLUMNS - SHARE_COLUMNS - 2;
    for (int c = 0; c < SL_CATEGORY_COUNT; c++) {
        double sum = 0;
        for (size_t i = 0; i < a->run_count; i++)
            sum += a->runs[i].warmup ? 0.0 : (double)a->runs[i].categories[c];
        cell(p, sl_category_name(c), CATEGORY_COLUMNS, false);
        figure(p, sum / p->runs);
        share(p, sum);
        note(p, sl_buf_printf(p->out, "  "));
        note(p,
             sl_style_bar(p->out, p->style, SL_TONE_GOOD, p->whole == 0 ? 0 : sum / p->whole, bar));
        note(p, sl_style_end_line(p->out));
        if (c == SL_CATEGORY_MOVEMENT)
            put_movement(p);
    }
    cell(p, "end to end", CATEGORY_COLUMNS, false);
    figure(p, p->whole / p->runs);
    share(p, p->whole);
    note(p, sl_buf_printf(p->out, "\n\n"));
}

static void put_operators(struct page *p)
{
    const struct sl_attribution *a = &p->analysis->attribution;
    char text[SL_TEXT_SIZE];
    size_t name = p->width - 6 - CATEGORY_COLUMNS - FIGURE_COLUMNS - SHARE_COLUMNS - 1;
    cell(p, "operator (own work)", name, false);
    note(p, sl_buf_printf(p->out, " "));
    cell(p, "category", CATEGORY_COLUMNS, false);
    cell(p, "a run", 6, true);
    cell(p, "cost", FIGURE_COLUMNS, true);
    cell(p, "share", SHARE_COLUMNS, true);
    note(p, sl_buf_printf(p->out, "\n"));
    for (size_t i = 0; i < a->operator_count && i < p->style->operators; i++) {
        const struct sl_operator *op = &a->operators[i];
        cell(p, sl_text_copy(text, op->name, op->name_len), name, false);
        note(p, sl_buf_printf(p->out, " "));
        cell(p, sl_category_name(op->category), CATEGORY_COLUMNS, false);
        snprintf(text, sizeof(text), "%u", op->instances);
        cell(p, text, 6, true);
        figure(p, (double)op->total / p->runs);
        share(p, (double)op->total);
        note(p, sl_buf_printf(p->out, "\n"));
        if (op->kernel) {
            snprintf(text, sizeof(text), "  %.250s", op->kernel);
            sl_text_fit(text, p->width);
            note(p, sl_style_put(p->out, p->style, SL_TONE_FAINT, text));
            note(p, sl_buf_printf(p->out, "\n"));
        }
    }
    if (a->operator_count > p->style->operators)
        note(p,
             sl_buf_printf(p->out, "... and %zu more\n", a->operator_count - p->style->operators));
}

static void put_findings(struct page *p)
{
    const struct sl_attribution *a = &p->analysis->attribution;
    char text[SL_TEXT_SIZE];
    for (size_t i = 0; i < a->operator_count; i++) {
        const struct sl_operator *op = &a->operators[i];
        if (!op->known)
            note(p, sl_buf_printf(p->out, "note: no rule knows \"%s\"; it counts as %s\n",
                                  sl_text_copy(text, op->name, op->name_len),
                                  sl_category_name(op->category)));
    }
    for (size_t i = 0; i < a->warning_count; i++) {
        note(p, sl_style_put(p->out, p->style, SL_TONE_BAD, "warning:"));
        snprintf(text, sizeof(text), " %s", a->warnings[i]);
        note(p, sl_style_wrap(p->out, p->style, 8, text));
    }
}

int sl_analysis_text(struct sl_buf *out, const struct sl_style *style,
                     const struct sl_analysis *analysis)
{
    const struct sl_attribution *a = &analysis->attribution;
    struct page p = {.out = out, .style = style, .analysis = analysis};
    p.width = (size_t)sl_style_width(style);
    p.runs = a->measured_count > 0 ? (double)a->measured_count : NAN;
    for (size_t i = 0; i < a->run_count; i++)
        p.whole += a->runs[i].warmup ? 0.0 : (double)a->runs[i].end_to_end;
    put_head(&p);
    if (a->measured_count > 0) {
        put_latency(&p);
        put_categories(&p);
        put_operators(&p);
    }
    if (analysis->record)
        note(&p, sl_record_text(out, style, analysis, analysis->record));
    if (analysis->reach)
        note(&p, sl_reach_text(out, style, analysis->reach, a->unit));
    put_findings(&p);
    return p.error;
}
