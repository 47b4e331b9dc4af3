/* host/report/plot_combined.c: the ratios and the category shares of many comparisons. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/analysis/comparison.h"
#include "host/analysis/verdict.h"
#include "host/report/combined.h"
#include "host/report/comparison.h"
#include "host/report/markup.h"
#include "host/report/report.h"
#include "host/report/svg.h"
#include "host/report/text.h"

enum { LABEL_COLUMNS = 60, MAX_ROWS = 200, TEXT_BYTES = 512 };
static const double LEFT = 20, RIGHT = 380, ROW = 44; /* pixels; a label above each */

/* Logarithmic: the same factor is the same distance. */
struct scale {
    double low, high; /* powers of two; LEFT and RIGHT */
};

static double pixel(const struct scale *s, double ratio)
{
    double at = (log2(ratio) - s->low) / (s->high - s->low);
    return LEFT + fmin(fmax(at, 0), 1) * (RIGHT - LEFT);
}

static size_t shown(const struct sl_combined *combined)
{
    return combined->count < MAX_ROWS ? combined->count : MAX_ROWS;
}

static void put_label(struct sl_markup *m, const struct sl_combined *combined, size_t i, double y)
{
    char label[TEXT_BYTES];
    sl_combined_label(combined, i, label, sizeof(label));
    sl_text_fit(label, LABEL_COLUMNS);
    sl_svg_label_over(m, 0, y, label);
}

static struct scale find_scale(const struct sl_combined *combined)
{
    struct scale s = {0, 1};
    for (size_t i = 0; i < combined->count; i++) {
        const struct sl_comparison *c = combined->reports[i].comparison->comparison;
        const double ends[] = {c->ratio, c->low, c->high};
        for (size_t k = 0; k < 3; k++) {
            if (!(isfinite(ends[k]) && ends[k] > 0))
                continue;
            s.low = fmin(s.low, floor(log2(ends[k])));
            s.high = fmax(s.high, ceil(log2(ends[k])));
        }
    }
    s.low = fmax(s.low, -10);
    s.high = fmin(s.high, 10);
    return s;
}

static void put_grid(struct sl_markup *m, const struct scale *s, double bottom)
{
    char text[32];
    double step = s->high - s->low > 10 ? 2 : 1;
    for (double power = s->low; power <= s->high; power += step) {
        double x = pixel(s, exp2(power));
        sl_markup_put(m, "<path d=\"M%.1f 24V%.1f\" stroke=\"#888\" stroke-opacity=\"%s\"/>\n", x,
                      bottom, power == 0 ? "1" : ".35");
        snprintf(text, sizeof(text), power < 0 ? "1/%gx" : "%gx", exp2(fabs(power)));
        sl_svg_label(m, x, bottom + 16, "middle", text);
    }
}

static void put_ratio(struct sl_markup *m, const struct scale *s, const struct sl_comparison *c,
                      double y)
{
    char text[64];
    bool better = c->ratio >= 1;
    double x = pixel(s, c->ratio);
    if (!(isfinite(c->ratio) && c->ratio > 0)) {
        sl_svg_label(m, LEFT + 6, y + 5, "start", sl_verdict_name(c));
        return;
    }
    if (isfinite(c->low) && c->low > 0)
        sl_markup_put(m,
                      "<path d=\"M%.1f %.1fH%.1f\" stroke=\"currentColor\" stroke-width=\"2\"/>\n",
                      pixel(s, c->low), y, pixel(s, c->high));
    if (better)
        sl_markup_put(m, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"6\" fill=\"#0072b2\"/>\n", x, y);
    else
        sl_markup_put(m, "<path d=\"M%.1f %.1fl6 6l6 -6l-6 -6z\" fill=\"#d55e00\"/>\n", x - 6, y);
    snprintf(text, sizeof(text), "%.2fx", c->ratio);
    sl_svg_label(m, RIGHT + 14, y + 5, "start", text);
}

void sl_plot_ratios(struct sl_markup *m, const struct sl_combined *combined)
{
    struct scale s = find_scale(combined);
    size_t rows = shown(combined);
    double bottom = 30 + ROW * (double)rows;
    sl_svg_open(m, (int)bottom + 44, "Ratio of each comparison with its interval");
    sl_svg_label(m, 0, 14, "start", "baseline / candidate; right of 1x the candidate takes less");
    put_grid(m, &s, bottom);
    for (size_t i = 0; i < rows; i++) {
        double y = 58 + ROW * (double)i;
        put_label(m, combined, i, y - 14);
        put_ratio(m, &s, combined->reports[i].comparison->comparison, y);
    }
    sl_svg_label(m, 0, bottom + 36, "start",
                 "disc: less; diamond: more; line: interval, none where counts are exact");
    sl_markup_put(m, "</svg>\n");
}

static void put_share_bar(struct sl_markup *m, const struct sl_comparison *c, bool candidate,
                          double y)
{
    double x = LEFT;
    for (int k = 0; k < SL_CATEGORY_COUNT; k++) {
        const struct sl_category_shift *s = &c->categories[k];
        double share = candidate ? s->share_candidate : s->share_baseline;
        double width = isfinite(share) ? fmax(share, 0) * (RIGHT - LEFT) : 0;
        if (width > 0)
            sl_svg_rect(m, x, y, width, 16, sl_svg_category_fill(k));
        x += width;
    }
}

void sl_plot_shares(struct sl_markup *m, const struct sl_combined *combined)
{
    size_t rows = shown(combined);
    double bottom = 10 + 66 * (double)rows;
    sl_svg_open(m, (int)bottom + SL_SVG_LEGEND_HEIGHT,
                "Category shares of both sides of each comparison");
    for (size_t i = 0; i < rows; i++) {
        const struct sl_comparison *c = combined->reports[i].comparison->comparison;
        double y = 22 + 66 * (double)i;
        put_label(m, combined, i, y - 6);
        put_share_bar(m, c, false, y);
        put_share_bar(m, c, true, y + 18);
        const struct sl_comparison_report *report = combined->reports[i].comparison;
        sl_svg_label(m, RIGHT + 6, y + 13, "start", report->baseline_level);
        sl_svg_label(m, RIGHT + 6, y + 31, "start", report->candidate_level);
    }
    sl_svg_category_legend(m, bottom);
    sl_markup_put(m, "</svg>\n");
}
