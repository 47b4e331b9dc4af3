/* host/report/plot.c */
#include "host/report/plot.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/format/sltrace.h"
#include "host/analysis/comparison.h"
#include "host/report/analysis.h"
#include "host/report/comparison.h"
#include "host/report/markup.h"
#include "host/report/report.h"
#include "host/report/svg.h"
#include "host/report/text.h"
#include "host/report/unit.h"

enum { ROW = 30, WATERFALL_ROWS = 12, MAX_DOTS = 2000 };

static const char gain_fill[] = "#0072b2";
static const char loss_fill[] = "#d55e00";

static const char *axis_words(const struct sl_report *report)
{
    const struct sl_comparison_report *r = report->comparison;
    if (r->comparison->unit == SL_TRACE_INSTRUCTIONS)
        return "executed instructions per run";
    return r->emulated ? "time per run on an emulated CPU: means nothing" : "time per run";
}

/* A side's name left of its bar or of its axis. */
static void put_side(struct sl_markup *m, double y, const struct sl_report *report, int side)
{
    char name[SL_TEXT_SIZE];
    const char *whole = sl_report_side(report, side);
    sl_text_copy(name, whole, strlen(whole));
    sl_text_fit(name, 9);
    sl_svg_label(m, 0, y, "start", name);
}

static const double BAR_LEFT = 70, BAR_RIGHT = 384; /* pixels */

/* One stacked bar for a whole of `full`. */
static void put_bar(struct sl_markup *m, const struct sl_comparison *c, bool candidate, double y,
                    double full)
{
    double x = BAR_LEFT;
    for (int k = 0; k < SL_CATEGORY_COUNT; k++) {
        const struct sl_category_shift *s = &c->categories[k];
        double cost = fmax(candidate ? s->candidate : s->baseline, 0);
        double width = full > 0 ? cost / full * (BAR_RIGHT - BAR_LEFT) : 0;
        const char *name = sl_category_name(k);
        if (width <= 0)
            continue;
        sl_svg_rect(m, x, y, width, 24, sl_svg_category_fill(k));
        if (width > 9.0 * (double)strlen(name) + 6)
            sl_markup_put(m, "<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\">%s</text>\n", x + 5, y + 17,
                          sl_svg_category_ink(k), name);
        x += width;
    }
}

void sl_plot_categories(struct sl_markup *m, const struct sl_report *report)
{
    const struct sl_comparison *c = report->comparison->comparison;
    double whole[2] = {0, 0};
    char text[48];
    for (int k = 0; k < SL_CATEGORY_COUNT; k++) {
        whole[0] += fmax(c->categories[k].baseline, 0);
        whole[1] += fmax(c->categories[k].candidate, 0);
    }
    double full = fmax(whole[0], whole[1]);
    sl_svg_open(m, 196 + SL_SVG_LEGEND_HEIGHT, "Categories of both sides");
    sl_svg_label(m, 0, 14, "start", axis_words(report));
    for (int i = 0; i < 2; i++) {
        double y = 24 + i * ROW;
        put_side(m, y + 17, report, i);
        put_bar(m, c, i == 1, y, full);
        double end = BAR_LEFT + (full > 0 ? whole[i] / full * (BAR_RIGHT - BAR_LEFT) : 0);
        sl_svg_label(m, end + 6, y + 17, "start",
                     sl_unit_format(text, sizeof(text), whole[i], c->unit));
    }
    sl_svg_label(m, 0, 114, "start", "share of each variant's own whole");
    for (int i = 0; i < 2; i++) {
        double y = 124 + i * ROW;
        put_side(m, y + 17, report, i);
        put_bar(m, c, i == 1, y, whole[i]);
        sl_svg_label(m, BAR_RIGHT + 6, y + 17, "start", "100 %");
    }
    sl_svg_category_legend(m, 196);
    sl_markup_put(m, "</svg>\n");
}

static double delta_of(const struct sl_operator_shift *row)
{
    return row->candidate_cost - row->baseline_cost;
}

static int larger_change_first(const void *a, const void *b)
{
    const struct sl_operator_shift *const *x = a;
    const struct sl_operator_shift *const *y = b;
    double dx = fabs(delta_of(*x));
    double dy = fabs(delta_of(*y));
    return dx > dy ? -1 : dx < dy ? 1 : (*x > *y) - (*x < *y);
}

static const double STEP = 38, BAR = 14; /* pixels: a name above each bar */

struct waterfall {
    struct sl_markup *m;
    int unit;
    double scale; /* pixels a unit */
    double y, at; /* next row; where the last one ended */
};

static double pixel(const struct waterfall *w, double value)
{
    return value * w->scale;
}

static void put_total(struct waterfall *w, const char *name, double value)
{
    char text[48];
    sl_svg_label(w->m, 0, w->y + 12, "start", name);
    sl_svg_rect(w->m, 0, w->y + 17, value * w->scale, BAR, "#6b6b6b");
    sl_svg_label(w->m, pixel(w, value) + 6, w->y + 29, "start",
                 sl_unit_format(text, sizeof(text), value, w->unit));
    w->at = value;
    w->y += STEP;
}

static void put_step(struct waterfall *w, const char *name, double delta)
{
    char label[SL_TEXT_SIZE];
    char text[48];
    char figure[64];
    double low = fmin(w->at, w->at + delta);
    double high = fmax(w->at, w->at + delta);
    snprintf(label, sizeof(label), "%s", name);
    sl_text_fit(label, 60);
    sl_svg_label(w->m, 0, w->y + 12, "start", label);
    sl_svg_rect(w->m, pixel(w, low), w->y + 17, fmax((high - low) * w->scale, 2), BAR,
                delta > 0 ? loss_fill : gain_fill);
    sl_unit_format(text, sizeof(text), fabs(delta), w->unit);
    snprintf(figure, sizeof(figure), "%s%s",
             delta > 0   ? "+"
             : delta < 0 ? "\xe2\x88\x92"
                         : "",
             text);
    sl_svg_label(w->m, pixel(w, high) + 6, w->y + 29, "start", figure);
    w->at += delta;
    w->y += STEP;
}

/* Rows that change anything, as many as there is room for. */
static size_t shown_rows(const struct sl_comparison *c, const struct sl_operator_shift **rows)
{
    size_t shown = 0;
    while (shown < c->operator_count && shown < WATERFALL_ROWS && delta_of(rows[shown]) != 0)
        shown++;
    return shown;
}

static void put_steps(struct waterfall *w, const struct sl_comparison *c,
                      const struct sl_operator_shift **rows, double last)
{
    char name[SL_TEXT_SIZE];
    size_t shown = shown_rows(c, rows);
    for (size_t i = 0; i < shown; i++) {
        const struct sl_operator *op = rows[i]->candidate ? rows[i]->candidate : rows[i]->baseline;
        put_step(w, sl_text_copy(name, op->name, op->name_len), delta_of(rows[i]));
    }
    if (c->operator_count > shown) {
        snprintf(name, sizeof(name), "%zu others together", c->operator_count - shown);
        put_step(w, name, last - w->at);
    }
}

void sl_plot_waterfall(struct sl_markup *m, const struct sl_report *report)
{
    const struct sl_comparison *c = report->comparison->comparison;
    size_t n = c->operator_count;
    double whole[2] = {0, 0};
    const struct sl_operator_shift **rows =
        sl_calloc(n ? n : 1, sizeof(struct sl_operator_shift *));
    if (!rows) {
        m->error = m->error ? m->error : -12;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        rows[i] = &c->operators[i];
        whole[0] += rows[i]->baseline_cost;
        whole[1] += rows[i]->candidate_cost;
    }
    qsort(rows, n, sizeof(struct sl_operator_shift *), larger_change_first);
    size_t shown = shown_rows(c, rows);
    double full = fmax(fmax(whole[0], whole[1]), 1);
    /* Losses before gains could reach past both ends: leave room for all that grows. */
    for (size_t i = 0; i < n; i++)
        full += fmax(delta_of(rows[i]), 0);
    sl_svg_open(m, (int)(20 + STEP * (double)(shown + 2 + (n > shown)) + 28),
                "From the first side to the second, operator by operator");
    sl_svg_label(m, 0, 14, "start", axis_words(report));
    struct waterfall w = {.m = m, .unit = c->unit, .scale = (SL_SVG_WIDTH - 86) / full, .y = 24};
    put_total(&w, sl_report_side(report, 0), whole[0]);
    put_steps(&w, c, rows, whole[1]);
    put_total(&w, sl_report_side(report, 1), whole[1]);
    sl_svg_rect(m, 0, w.y + 4, 14, 14, gain_fill);
    sl_svg_label(m, 19, w.y + 16, "start", "costs less");
    sl_svg_rect(m, 140, w.y + 4, 14, 14, loss_fill);
    sl_svg_label(m, 159, w.y + 16, "start", "costs more");
    sl_markup_put(m, "</svg>\n");
    sl_free(rows);
}

static const double AXIS = 86, RIGHT = SL_SVG_WIDTH; /* pixels: left of it the figures */

struct panel {
    struct sl_markup *m;
    const struct sl_attribution *a;
    double top, low, high; /* pixels; range of the figures */
};

static double dot_y(const struct panel *p, double value)
{
    double span = p->high - p->low;
    return span > 0 ? p->top + 96 - (value - p->low) / span * 80 : p->top + 56;
}

static void put_dots(const struct panel *p)
{
    size_t n = p->a->run_count;
    size_t step = n / MAX_DOTS + 1;
    for (size_t i = 0; i < n; i += step) {
        const struct sl_attribution_run *run = &p->a->runs[i];
        double x = n > 1 ? AXIS + 10 + (RIGHT - 20 - AXIS) * (double)i / (double)(n - 1)
                         : (RIGHT + AXIS) / 2;
        double y = dot_y(p, (double)run->end_to_end);
        if (run->warmup)
            sl_markup_put(p->m,
                          "<rect x=\"%.1f\" y=\"%.1f\" width=\"9\" height=\"9\" fill=\"none\" "
                          "stroke=\"#d55e00\" stroke-width=\"2\"/>\n",
                          x - 4.5, y - 4.5);
        else
            sl_markup_put(p->m,
                          "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\" fill=\"#0072b2\" "
                          "fill-opacity=\".75\"/>\n",
                          x, y);
    }
}

static void put_panel(struct sl_markup *m, const struct sl_report *report, int side, double top)
{
    const struct sl_analysis *analysis =
        side == 0 ? report->comparison->baseline : report->comparison->candidate;
    char text[96];
    struct panel p = {.m = m, .a = &analysis->attribution, .top = top};
    double median = analysis->latency.median;
    for (size_t i = 0; i < p.a->run_count; i++) {
        double value = (double)p.a->runs[i].end_to_end;
        p.low = i == 0 ? value : fmin(p.low, value);
        p.high = i == 0 ? value : fmax(p.high, value);
    }
    put_side(m, top + 60, report, side);
    sl_markup_put(m, "<path d=\"M%.1f %.1fV%.1fH%d\" fill=\"none\" stroke=\"#888\"/>\n", AXIS,
                  top + 6, top + 106, SL_SVG_WIDTH);
    if (p.high > p.low)
        sl_svg_label(m, AXIS - 6, top + 20, "end",
                     sl_unit_format(text, sizeof(text), p.high, p.a->unit));
    sl_svg_label(m, AXIS - 6, p.high > p.low ? top + 100 : top + 80, "end",
                 sl_unit_format(text, sizeof(text), p.low, p.a->unit));
    if (isfinite(median))
        sl_markup_put(m,
                      "<path d=\"M%.1f %.1fH%d\" stroke=\"currentColor\" "
                      "stroke-dasharray=\"5 4\"/>\n",
                      AXIS, dot_y(&p, median), SL_SVG_WIDTH);
    put_dots(&p);
}

void sl_plot_runs(struct sl_markup *m, const struct sl_report *report)
{
    sl_svg_open(m, 318, "Every run in its order");
    sl_svg_label(m, 0, 14, "start", axis_words(report));
    put_panel(m, report, 0, 22);
    put_panel(m, report, 1, 136);
    sl_svg_label(m, 0, 262, "start", "runs in the order of the file; each panel has its own scale");
    sl_markup_put(m, "<circle cx=\"6\" cy=\"282\" r=\"4.5\" fill=\"#0072b2\"/>\n");
    sl_svg_label(m, 16, 287, "start", "measured");
    sl_markup_put(m, "<rect x=\"101\" y=\"278\" width=\"9\" height=\"9\" fill=\"none\" "
                     "stroke=\"#d55e00\" stroke-width=\"2\"/>\n");
    sl_svg_label(m, 116, 287, "start", "warm-up, not in the figures");
    sl_markup_put(m, "<path d=\"M0 304H30\" stroke=\"currentColor\" stroke-dasharray=\"5 4\"/>\n");
    sl_svg_label(m, 38, 309, "start", "median of the measured");
    sl_markup_put(m, "</svg>\n");
}
