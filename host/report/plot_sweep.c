/* host/report/plot_sweep.c: how off and on scale with threads. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/analysis/comparison.h"
#include "host/analysis/sweep.h"
#include "host/report/combined.h"
#include "host/report/comparison.h"
#include "host/report/markup.h"
#include "host/report/report.h"
#include "host/report/svg.h"
#include "host/report/unit.h"

static const double LEFT = 76, RIGHT = 336, PANEL = 200; /* pixels */

struct frame {
    const struct sl_sweep *s;
    double top, high;
};

static double x_of(const struct frame *f, size_t i)
{
    double first = f->s->points[0].threads;
    double span = f->s->points[f->s->count - 1].threads - first;
    return LEFT + 20 + (f->s->points[i].threads - first) / span * (RIGHT - LEFT - 40);
}

static double y_of(const struct frame *f, double value)
{
    return f->top + PANEL - 40 - value / f->high * (PANEL - 70);
}

static double cost_of(const struct sl_sweep_point *p, int side)
{
    return side == 0 ? p->baseline : p->candidate;
}

/* The number of threads at which both take as long, if one was found between two points. */
static void put_crossover(struct sl_markup *m, const struct frame *f)
{
    const struct sl_sweep *s = f->s;
    double first = s->points[0].threads, span = s->points[s->count - 1].threads - first;
    double x = LEFT + 20 + (s->crossover - first) / span * (RIGHT - LEFT - 40);
    char text[48];
    if (s->crossing != SL_SWEEP_CROSSES || !isfinite(s->crossover))
        return;
    sl_markup_put(
        m, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"currentColor\" stroke-dasharray=\"2 3\"/>\n", x,
        f->top + 28, f->top + PANEL - 40);
    snprintf(text, sizeof(text), "equal at %.1f", s->crossover);
    sl_svg_label(m, x + 4, f->top + PANEL - 46, "start", text);
}

static void put_sides(struct sl_markup *m, const struct frame *f)
{
    const struct sl_sweep *s = f->s;
    const struct sl_sweep_point *last = &s->points[s->count - 1];
    double xs[SL_SWEEP_MAX_POINTS], ys[SL_SWEEP_MAX_POINTS], ends[2];
    char texts[2][48];
    const char *const labels[] = {texts[0], texts[1]};
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < s->count; i++) {
            xs[i] = x_of(f, i);
            ys[i] = y_of(f, cost_of(&s->points[i], side));
        }
        sl_svg_series(m, side, xs, ys, s->count);
        ends[side] = ys[s->count - 1];
        snprintf(texts[side], sizeof(texts[side]), "%s, %.2fx as fast", side == 0 ? "off" : "on",
                 side == 0 ? last->baseline_scaling : last->candidate_scaling);
    }
    sl_svg_pair(m, RIGHT + 8, ends, labels);
}

static void put_panel(struct sl_markup *m, const struct sl_combined *combined, size_t index,
                      const struct sl_sweep *s, double top)
{
    struct frame f = {s, top, 0};
    const struct sl_report *report = &combined->reports[index];
    char text[160];
    for (size_t i = 0; i < s->count; i++)
        f.high = fmax(f.high, fmax(s->points[i].baseline, s->points[i].candidate));
    snprintf(text, sizeof(text), "%.30s: end to end by threads%s", report->model,
             report->comparison->emulated ? " (emulated)" : "");
    sl_svg_label(m, 0, top + 14, "start", text);
    sl_markup_put(m, "<path d=\"M%.1f %.1fV%.1fH%.1f\" fill=\"none\" stroke=\"#888\"/>\n", LEFT,
                  top + 28, top + PANEL - 40, RIGHT);
    sl_svg_label(m, LEFT - 8, top + PANEL - 36, "end", "0");
    sl_svg_label(m, LEFT - 8, top + 36, "end",
                 sl_unit_format(text, sizeof(text), f.high, report->comparison->comparison->unit));
    for (size_t i = 0; i < s->count; i++) {
        if (i > 0 && i + 1 < s->count && x_of(&f, i) - x_of(&f, i - 1) < 18)
            continue;
        snprintf(text, sizeof(text), "%g", s->points[i].threads);
        sl_svg_label(m, x_of(&f, i), top + PANEL - 22, "middle", text);
    }
    put_crossover(m, &f);
    put_sides(m, &f);
}

void sl_plot_sweeps(struct sl_markup *m, const struct sl_combined *combined)
{
    struct sl_sweep s;
    double top = 0;
    sl_svg_open(m, (int)(PANEL * (double)sl_combined_sweep_count(combined)) + 4,
                "End to end on several numbers of threads");
    for (size_t i = 0; i < combined->count; i++) {
        if (!sl_combined_sweep(combined, i, &s))
            continue;
        put_panel(m, combined, i, &s, top);
        top += PANEL;
    }
    sl_markup_put(m, "</svg>\n");
}
