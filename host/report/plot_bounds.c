/* host/report/plot_bounds.c */
#include <stdio.h>
#include <string.h>

#include "host/analysis/estimate.h"
#include "host/report/comparison.h"
#include "host/report/markup.h"
#include "host/report/plot.h"
#include "host/report/report.h"
#include "host/report/run_estimates.h"
#include "host/report/svg.h"

enum { BAR_HEIGHT = 20, PROFILE_HEIGHT = 74, LEGEND_ROW = 20 };

static const double LEFT = 40, RIGHT = 440; /* pixels */
static const double LEAST = 0.005;          /* share that is shown */

/* Blue and green is the unit's work, grey and brown the core's, red and violet what waits. */
static const char *fill_of(int bound)
{
    static const char *const fills[SL_BOUND_COUNT] = {
        [SL_BOUND_OUTER] = "#0072b2",       [SL_BOUND_ZA_MAC] = "#56b4e9",
        [SL_BOUND_VECTOR] = "#009e73",      [SL_BOUND_ZA_MOVE] = "#7fcdbb",
        [SL_BOUND_UNIT_MEMORY] = "#2c5f4f", [SL_BOUND_NEON] = "#6b6b6b",
        [SL_BOUND_CORE_MEMORY] = "#a6761d", [SL_BOUND_FRONT_END] = "#b8b8b8",
        [SL_BOUND_DEPENDENCE] = "#cc79a7",  [SL_BOUND_MEMORY] = "#d55e00",
        [SL_BOUND_SWITCH] = "#e69f00",      [SL_BOUND_HAND_OVER] = "#882255"};
    return fills[bound];
}

static void put_bar(struct sl_markup *m, const struct cJSON *estimates, size_t index, int side,
                    double y)
{
    double x = LEFT;
    sl_svg_label(m, 0, y + 15, "start", side ? "on" : "off");
    for (int b = 0; b < SL_BOUND_COUNT; b++) {
        double width = sl_report_estimates_share(estimates, index, side, b) * (RIGHT - LEFT);
        if (width > 0)
            sl_svg_rect(m, x, y, width, BAR_HEIGHT, fill_of(b));
        x += width;
    }
}

static bool is_shown(const struct cJSON *estimates, size_t profiles, int bound)
{
    for (size_t i = 0; i < profiles; i++)
        for (int side = 0; side < 2; side++)
            if (sl_report_estimates_share(estimates, i, side, bound) >= LEAST)
                return true;
    return false;
}

/* Names beside their colours, two in a row; returns how high they are, and draws them where `m` is
 * there. */
static int put_legend(struct sl_markup *m, const struct cJSON *estimates, size_t profiles, double y)
{
    int count = 0;
    for (int b = 0; b < SL_BOUND_COUNT; b++) {
        if (!is_shown(estimates, profiles, b))
            continue;
        double x = count % 2 ? (double)SL_SVG_WIDTH / 2 : 0, at = y + LEGEND_ROW * (count / 2);
        if (m) {
            sl_svg_rect(m, x, at, 14, 14, fill_of(b));
            sl_svg_label(m, x + 19, at + 12, "start", sl_bound_name(b));
        }
        count++;
    }
    return LEGEND_ROW * ((count + 1) / 2);
}

void sl_plot_bounds(struct sl_markup *m, const struct sl_report *report)
{
    const struct cJSON *estimates = report->comparison->estimates;
    size_t profiles = 0;
    if (!sl_report_estimates_any(estimates))
        return;
    while (sl_report_estimates_profile(estimates, profiles))
        profiles++;
    int bars = PROFILE_HEIGHT * (int)profiles;
    sl_svg_open(m, bars + put_legend(NULL, estimates, profiles, 0),
                "What the estimated time is spent on");
    for (size_t i = 0; i < profiles; i++) {
        char title[96];
        double y = (double)PROFILE_HEIGHT * (double)i;
        snprintf(title, sizeof(title), "%.60s, estimated: share of each side's own time",
                 sl_report_estimates_profile(estimates, i));
        sl_svg_label(m, 0, y + 14, "start", title);
        put_bar(m, estimates, i, 0, y + 22);
        put_bar(m, estimates, i, 1, y + 46);
    }
    put_legend(m, estimates, profiles, bars);
    sl_markup_put(m, "</svg>\n");
}
