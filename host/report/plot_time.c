/* host/report/plot_time.c: both sides over the time of one run. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/analysis/comparison.h"
#include "host/analysis/sustained.h"
#include "host/report/analysis.h"
#include "host/report/comparison.h"
#include "host/report/markup.h"
#include "host/report/plot.h"
#include "host/report/report.h"
#include "host/report/svg.h"
#include "host/report/unit.h"

static const double LEFT = 76, RIGHT = 382, TOP = 30, BOTTOM = 190; /* pixels */

struct frame {
    const struct sl_sustained *s;
    double high;
    bool clocked; /* seconds are known, else pieces are counted */
};

static double x_of(const struct frame *f, size_t i)
{
    const struct sl_sustained_piece *last = &f->s->pieces[f->s->count - 1];
    double at = f->clocked ? f->s->pieces[i].seconds / last->seconds
                           : (double)i / (double)(f->s->count - 1);
    return LEFT + at * (RIGHT - LEFT);
}

static double y_of(const struct frame *f, double value)
{
    return BOTTOM - value / f->high * (BOTTOM - TOP);
}

static void put_axes(struct sl_markup *m, const struct frame *f, int unit)
{
    char text[48];
    const struct sl_sustained_piece *last = &f->s->pieces[f->s->count - 1];
    sl_markup_put(m, "<path d=\"M%.1f %.1fV%.1fH%.1f\" fill=\"none\" stroke=\"#888\"/>\n", LEFT,
                  TOP, BOTTOM, RIGHT);
    sl_svg_label(m, LEFT - 8, BOTTOM + 4, "end", "0");
    sl_svg_label(m, LEFT - 8, TOP + 8, "end", sl_unit_format(text, sizeof(text), f->high, unit));
    sl_svg_label(m, LEFT, BOTTOM + 18, "middle", f->clocked ? "0 s" : "piece 1");
    if (f->clocked)
        snprintf(text, sizeof(text), "%.1f s", last->seconds);
    else
        snprintf(text, sizeof(text), "piece %zu", f->s->count);
    sl_svg_label(m, RIGHT, BOTTOM + 18, "middle", text);
}

static void put_sides(struct sl_markup *m, const struct frame *f, const struct sl_report *report)
{
    double xs[SL_SUSTAINED_PIECES], ys[SL_SUSTAINED_PIECES], ends[2];
    char kept[2][32], text[96];
    const char *const texts[] = {kept[0], kept[1]};
    size_t last = f->s->count - 1;
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < f->s->count; i++) {
            xs[i] = x_of(f, i);
            ys[i] = y_of(f, f->s->pieces[i].medians[side]);
        }
        sl_svg_series(m, side, xs, ys, f->s->count);
        ends[side] = ys[last];
        snprintf(kept[side], sizeof(kept[side]), "%.1f %%", 100 * f->s->kept[side]);
        snprintf(text, sizeof(text), "%.24s", sl_report_side(report, side));
        sl_svg_mark(m, side, 12 + SL_SVG_WIDTH / 2 * side, BOTTOM + 38);
        sl_svg_label(m, 26 + SL_SVG_WIDTH / 2 * side, BOTTOM + 42, "start", text);
    }
    sl_svg_pair(m, RIGHT + 12, ends, texts);
}

void sl_plot_time(struct sl_markup *m, const struct sl_report *report)
{
    const struct sl_comparison_report *c = report->comparison;
    struct sl_sustained s;
    struct frame f = {.s = &s};
    if (c->comparison->method != SL_METHOD_PAIRED ||
        sl_sustained_make(&c->baseline->attribution, &c->candidate->attribution, &s) < 0 ||
        s.count < 2)
        return;
    f.clocked = isfinite(s.pieces[0].seconds) && s.pieces[s.count - 1].seconds > 0;
    for (size_t i = 0; i < s.count; i++)
        f.high = fmax(f.high, fmax(s.pieces[i].medians[0], s.pieces[i].medians[1]));
    if (!(f.high > 0))
        return;
    f.high *= 1.05;
    sl_svg_open(m, (int)BOTTOM + 62, "Both sides over the time of the run");
    sl_svg_label(m, 0, 14, "start",
                 c->emulated ? "medians of tenths of the run; emulated: means nothing"
                             : "medians of tenths of the run, in its order");
    put_axes(m, &f, c->comparison->unit);
    put_sides(m, &f, report);
    sl_svg_label(m, SL_SVG_WIDTH, 14, "end", "speed kept");
    sl_markup_put(m, "</svg>\n");
}
