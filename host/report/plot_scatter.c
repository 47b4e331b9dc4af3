/* host/report/plot_scatter.c: what operators cost against their multiply-accumulates. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/format/operands.h"
#include "common/format/sltrace.h"
#include "host/analysis/attribution.h"
#include "host/analysis/comparison.h"
#include "host/analysis/reach.h"
#include "host/report/analysis.h"
#include "host/report/comparison.h"
#include "host/report/markup.h"
#include "host/report/plot.h"
#include "host/report/report.h"
#include "host/report/svg.h"
#include "host/report/table.h"
#include "host/report/text.h"
#include "host/report/unit.h"

enum { MAX_POINTS = 2000 };
static const double LEFT = 56, RIGHT = 436, TOP = 34, BOTTOM = 334; /* pixels */

/* An operator of either side or of both; `cost` is NAN where a side has none. */
struct point {
    const struct sl_reach_row *row;
    double macs, cost[2];
};

struct scatter {
    struct sl_reach sides[2];
    struct point *points; /* owned; largest multiply-accumulates first as the file has them */
    size_t count;
    double low[2], high[2];   /* powers of ten: multiply-accumulates, cost */
    double best_rate[2];      /* multiply-accumulates a unit of cost */
    double without[2], whole; /* share of each side's cost that has none */
};

/* The same operator of the other side: of equal operands and kind, and not taken yet. */
static struct point *find_partner(struct scatter *s, size_t first, const struct sl_reach_row *row)
{
    for (size_t i = 0; i < first; i++) {
        struct point *p = &s->points[i];
        if (!isfinite(p->cost[1]) &&
            memcmp(p->row->at->operands, row->at->operands, sizeof(*row->at->operands)) == 0 &&
            p->row->at->origin && row->at->origin &&
            strcmp(p->row->at->origin, row->at->origin) == 0)
            return p;
    }
    return NULL;
}

static void add_side(struct scatter *s, int side)
{
    const struct sl_reach *reach = &s->sides[side];
    size_t first = s->count;
    double with = 0;
    for (size_t i = 0; i < reach->count; i++) {
        const struct sl_reach_row *row = &reach->rows[i];
        struct point *p = side == 1 ? find_partner(s, first, row) : NULL;
        if (row->work.macs == 0 || !(row->now > 0))
            continue;
        with += row->now;
        if (!p && s->count == MAX_POINTS)
            continue;
        if (!p) {
            p = &s->points[s->count++];
            *p = (struct point){row, (double)row->work.macs, {NAN, NAN}};
        }
        p->cost[side] = row->now;
        s->best_rate[side] = fmax(s->best_rate[side], p->macs / row->now);
    }
    s->without[side] = reach->whole > 0 ? 1 - with / reach->whole : NAN;
}

static void find_range(struct scatter *s)
{
    for (int axis = 0; axis < 2; axis++) {
        s->low[axis] = INFINITY;
        s->high[axis] = -INFINITY;
    }
    for (size_t i = 0; i < s->count; i++) {
        const struct point *p = &s->points[i];
        s->low[0] = fmin(s->low[0], floor(log10(p->macs)));
        s->high[0] = fmax(s->high[0], ceil(log10(p->macs)));
        for (int side = 0; side < 2; side++) {
            if (!isfinite(p->cost[side]))
                continue;
            s->low[1] = fmin(s->low[1], floor(log10(p->cost[side])));
            s->high[1] = fmax(s->high[1], ceil(log10(p->cost[side])));
        }
    }
    for (int axis = 0; axis < 2; axis++)
        s->high[axis] = fmax(s->high[axis], s->low[axis] + 1);
}

static int make(const struct sl_report *report, struct scatter *s)
{
    const struct sl_comparison_report *c = report->comparison;
    *s = (struct scatter){.count = 0};
    int rc = sl_reach_list(&c->baseline->attribution, &s->sides[0]);
    if (rc == 0)
        rc = sl_reach_list(&c->candidate->attribution, &s->sides[1]);
    s->points = rc == 0 ? sl_calloc(MAX_POINTS, sizeof(*s->points)) : NULL;
    if (!s->points)
        return -ENOMEM;
    for (int side = 0; side < 2; side++)
        add_side(s, side);
    find_range(s);
    return 0;
}

static void fini(struct scatter *s)
{
    sl_reach_fini(&s->sides[0]);
    sl_reach_fini(&s->sides[1]);
    sl_free(s->points);
}

static bool any_shapes(const struct sl_attribution *a)
{
    for (size_t i = 0; i < a->position_count; i++) {
        const struct sl_position *at = &a->positions[i];
        if (at->operands && at->operands->macs > 0 && at->total > 0)
            return true;
    }
    return false;
}

bool sl_plot_scatter_wanted(const struct sl_report *report)
{
    return any_shapes(&report->comparison->baseline->attribution) ||
           any_shapes(&report->comparison->candidate->attribution);
}

static double x_of(const struct scatter *s, double macs)
{
    return LEFT + (log10(macs) - s->low[0]) / (s->high[0] - s->low[0]) * (RIGHT - LEFT);
}

static double y_of(const struct scatter *s, double cost)
{
    return BOTTOM - (log10(cost) - s->low[1]) / (s->high[1] - s->low[1]) * (BOTTOM - TOP);
}

/* A power of ten at its line: "100 k" of "100.0 k". */
static void format_tick(char *out, size_t size, double value, int unit)
{
    char text[32];
    sl_unit_format(text, sizeof(text), value, unit);
    const char *space = strchr(text, ' ');
    snprintf(out, size, "%.*s%s", (int)strcspn(text, ". "), text, space ? space : "");
}

static void put_grid(struct sl_markup *m, const struct scatter *s, int unit)
{
    char text[32];
    for (double power = s->low[0]; power <= s->high[0]; power += 1) {
        double x = x_of(s, pow(10, power));
        sl_markup_put(m, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"#888\" stroke-opacity=\".4\"/>\n", x,
                      TOP, BOTTOM);
        format_tick(text, sizeof(text), pow(10, power), SL_TRACE_INSTRUCTIONS);
        sl_svg_label(m, x, BOTTOM + 18, "middle", text);
    }
    for (double power = s->low[1]; power <= s->high[1]; power += 1) {
        double y = y_of(s, pow(10, power));
        sl_markup_put(m, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#888\" stroke-opacity=\".4\"/>\n",
                      LEFT, y, RIGHT);
        format_tick(text, sizeof(text), pow(10, power), unit);
        sl_svg_label(m, LEFT - 8, y + 4, "end", text);
    }
}

/* The side's best rate as a line: nothing of it lies below. */
static void put_rate(struct sl_markup *m, const struct scatter *s, int side)
{
    double rate = s->best_rate[side];
    double from = fmax(pow(10, s->low[0]), pow(10, s->low[1]) * rate);
    double to = fmin(pow(10, s->high[0]), pow(10, s->high[1]) * rate);
    if (rate > 0 && to > from)
        sl_markup_put(m,
                      "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"%s\" stroke-width=\"1.5\" "
                      "stroke-dasharray=\"%s\"/>\n",
                      x_of(s, from), y_of(s, from / rate), x_of(s, to), y_of(s, to / rate),
                      sl_svg_side_ink(side), side == 0 ? "2 4" : "7 4");
}

static void put_points(struct sl_markup *m, const struct scatter *s, int side)
{
    char name[SL_TEXT_SIZE];
    for (size_t i = 0; i < s->count; i++) {
        const struct point *p = &s->points[i];
        if (!isfinite(p->cost[side]))
            continue;
        sl_markup_put(m, "<g><title>");
        sl_markup_text(m, sl_text_copy(name, p->row->op->name, p->row->op->name_len));
        sl_markup_put(m, "</title>");
        sl_svg_mark(m, side, x_of(s, p->macs), y_of(s, p->cost[side]));
        sl_markup_put(m, "</g>\n");
    }
}

static void put_legend(struct sl_markup *m, const struct sl_report *report, const struct scatter *s,
                       int unit)
{
    const char *each = unit == SL_TRACE_INSTRUCTIONS ? "an instruction" : "a nanosecond";
    char text[256];
    for (int side = 0; side < 2; side++) {
        double y = BOTTOM + 64 + 22 * side;
        sl_svg_mark(m, side, 12, y - 4);
        snprintf(text, sizeof(text), "%.24s; dashed: best rate, %.3g MACs %s",
                 sl_report_side(report, side), s->best_rate[side], each);
        sl_svg_label(m, 26, y, "start", text);
    }
}

void sl_plot_scatter(struct sl_markup *m, const struct sl_report *report)
{
    struct scatter s;
    int unit = report->comparison->comparison->unit;
    int rc = make(report, &s);
    if (rc < 0)
        m->error = m->error ? m->error : rc;
    if (rc == 0 && s.count > 0) {
        sl_svg_open(m, (int)BOTTOM + 98, "Cost of operators against their multiply-accumulates");
        sl_svg_label(m, 0, 14, "start",
                     unit == SL_TRACE_INSTRUCTIONS ? "executed instructions of each operator, a run"
                                                   : "time of each operator, a run");
        put_grid(m, &s, unit);
        sl_svg_label(m, SL_SVG_WIDTH / 2, BOTTOM + 38, "middle",
                     "multiply-accumulates (MACs); both scales logarithmic, lower is better");
        for (int side = 0; side < 2; side++)
            put_rate(m, &s, side);
        for (int side = 0; side < 2; side++)
            put_points(m, &s, side);
        put_legend(m, report, &s, unit);
        sl_markup_put(m, "</svg>\n");
    }
    fini(&s);
}

static void put_cost(struct sl_table *t, double value, int unit)
{
    char text[32];
    sl_table_text(t, sl_unit_format(text, sizeof(text), value, unit));
}

static void put_rate_cell(struct sl_table *t, double macs, double cost)
{
    if (isfinite(cost))
        sl_table_printf(t, "%.4g", macs / cost);
    else
        sl_table_text(t, "-");
}

bool sl_report_scatter(const struct sl_report *report, size_t most, struct sl_table *out)
{
    struct scatter s;
    char off[112], on[112], rates[2][128], operands[SL_OPERANDS_WORDS_BYTES];
    int unit = report->comparison->comparison->unit;
    const char *each = unit == SL_TRACE_INSTRUCTIONS ? "instruction" : "ns";
    if (!sl_plot_scatter_wanted(report))
        return false;
    int rc = make(report, &s);
    snprintf(off, sizeof(off), ">%.100s", sl_report_side(report, 0));
    snprintf(on, sizeof(on), ">%.100s", sl_report_side(report, 1));
    for (int side = 0; side < 2; side++)
        snprintf(rates[side], sizeof(rates[side]), ">MACs/%s, %.100s", each,
                 sl_report_side(report, side));
    const char *const heads[] = {"Operator", "Operands", ">MACs",  off,
                                 on,         rates[0],   rates[1], NULL};
    sl_table_init(out, "work", "Cost against work", heads);
    snprintf(out->note, sizeof(out->note),
             "MACs: multiply-accumulates of one run. Operators without any are not listed: %.1f %% "
             "of end to end of the first side, %.1f %% of the second.%s",
             100 * s.without[0], 100 * s.without[1],
             s.count > most ? " The first ones of the run are." : "");
    out->error = out->error ? out->error : rc;
    for (size_t i = 0; rc == 0 && i < s.count && i < most; i++) {
        const struct point *p = &s.points[i];
        sl_table_cell(out, p->row->op->name, p->row->op->name_len);
        sl_table_text(out, sl_operands_words(p->row->at->operands, operands, sizeof(operands)));
        put_cost(out, p->macs, SL_TRACE_INSTRUCTIONS);
        for (int side = 0; side < 2; side++)
            put_cost(out, p->cost[side], unit);
        for (int side = 0; side < 2; side++)
            put_rate_cell(out, p->macs, p->cost[side]);
    }
    fini(&s);
    return true;
}
