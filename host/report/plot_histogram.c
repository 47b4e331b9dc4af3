/* host/report/plot_histogram.c: how often which end to end was measured, both sides on one scale.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/report/analysis.h"
#include "host/report/comparison.h"
#include "host/report/markup.h"
#include "host/report/plot.h"
#include "host/report/report.h"
#include "host/report/svg.h"
#include "host/report/text.h"
#include "host/report/unit.h"

enum { BINS = 48, FEWEST_RUNS = 20 };
static const double BIN_COUNT = BINS;
static const double LEFT = 70, RIGHT = 450, PANEL = 84; /* pixels */

struct scale {
    double low, high;
};

static void widen(struct scale *s, const struct sl_statistics *latency)
{
    s->low = fmin(s->low, (double)latency->min);
    s->high = fmax(s->high, (double)latency->max);
}

static double pixel(const struct scale *s, double value)
{
    return LEFT + (value - s->low) / (s->high - s->low) * (RIGHT - LEFT);
}

bool sl_plot_histogram_wanted(const struct sl_report *report)
{
    const struct sl_comparison_report *r = report->comparison;
    struct scale s = {INFINITY, -INFINITY};
    widen(&s, &r->baseline->latency);
    widen(&s, &r->candidate->latency);
    return r->baseline->latency.n >= FEWEST_RUNS && r->candidate->latency.n >= FEWEST_RUNS &&
           s.high > s.low;
}

static void count_bins(const struct sl_attribution *a, const struct scale *s, size_t bins[BINS])
{
    memset(bins, 0, BINS * sizeof(*bins));
    for (size_t i = 0; i < a->run_count; i++) {
        double at = ((double)a->runs[i].end_to_end - s->low) / (s->high - s->low) * BIN_COUNT;
        if (!a->runs[i].warmup)
            bins[at >= BIN_COUNT ? BINS - 1 : at > 0 ? (size_t)at : 0]++;
    }
}

static void put_panel(struct sl_markup *m, const struct sl_report *report, int side,
                      const struct scale *s, double top)
{
    const struct sl_analysis *a =
        side == 0 ? report->comparison->baseline : report->comparison->candidate;
    size_t bins[BINS];
    size_t most = 1;
    char name[SL_TEXT_SIZE];
    const char *whole = sl_report_side(report, side);
    double bottom = top + PANEL;
    count_bins(&a->attribution, s, bins);
    for (size_t i = 0; i < BINS; i++)
        most = bins[i] > most ? bins[i] : most;
    sl_text_copy(name, whole, strlen(whole));
    sl_text_fit(name, 9);
    sl_svg_label(m, 0, bottom - PANEL / 2, "start", name);
    for (size_t i = 0; i < BINS; i++) {
        double height = (double)bins[i] / (double)most * (PANEL - 8);
        if (bins[i] > 0)
            sl_svg_rect(m, LEFT + (double)i * (RIGHT - LEFT) / BIN_COUNT, bottom - height,
                        (RIGHT - LEFT) / BIN_COUNT, height, side == 0 ? "#e69f00" : "#0072b2");
    }
    snprintf(name, sizeof(name), "%zu run%s", most, most == 1 ? "" : "s");
    sl_svg_label(m, LEFT - 6, top + 14, "end", name);
    sl_markup_put(m, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#888\"/>\n", LEFT, bottom, RIGHT);
    sl_markup_put(
        m, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"currentColor\" stroke-dasharray=\"5 4\"/>\n",
        pixel(s, a->latency.median), top, bottom);
}

void sl_plot_histogram(struct sl_markup *m, const struct sl_report *report)
{
    const struct sl_comparison_report *r = report->comparison;
    struct scale s = {INFINITY, -INFINITY};
    int unit = r->baseline->attribution.unit;
    char text[48];
    if (!sl_plot_histogram_wanted(report))
        return;
    widen(&s, &r->baseline->latency);
    widen(&s, &r->candidate->latency);
    sl_svg_open(m, 252, "How often which end to end was measured");
    sl_svg_label(m, 0, 14, "start", "measured runs by their end to end; dashed: median");
    put_panel(m, report, 0, &s, 26);
    put_panel(m, report, 1, &s, 126);
    for (int i = 0; i <= 4; i++) {
        double value = s.low + (s.high - s.low) * i / 4;
        sl_svg_label(m, pixel(&s, value), 230, i == 4 ? "end" : "middle",
                     sl_unit_format(text, sizeof(text), value, unit));
    }
    sl_markup_put(m, "</svg>\n");
}
