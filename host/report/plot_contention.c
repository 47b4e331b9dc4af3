/* host/report/plot_contention.c: threads by processes as heat maps: how off and on slow down, and
 * what becomes of their ratio. Each cell has its number: no colour has to be read. */
#include <math.h>
#include <stdio.h>

#include "host/analysis/contention.h"
#include "host/report/combined.h"
#include "host/report/markup.h"
#include "host/report/report.h"
#include "host/report/svg.h"
#include "host/report/text.h"

enum { PANELS = 3, NAME_COLUMNS = 60 };
static const double LEFT = 60, WIDTH = 380, ROW = 30, HEAD = 56, FOOT = 50; /* pixels */

static double value_of(const struct sl_contention_cell *cell, int panel)
{
    const double values[PANELS] = {cell->baseline_slowdown, cell->candidate_slowdown,
                                   cell->point.ratio};
    return values[panel];
}

/* Blue where SME2 gains, orange where it loses or where more time is taken: doublings up to four
 * times are as many shades. */
static void fill_of(double value, int panel, char out[8], bool *out_dark)
{
    double doublings = fmin(fabs(log2(value)) / 2, 1);
    bool blue = panel == PANELS - 1 ? value >= 1 : value < 1;
    const double ends[2][3] = {{213, 94, 0}, {0, 114, 178}};
    unsigned channels[3];
    for (int i = 0; i < 3; i++)
        channels[i] = (unsigned)(255 + doublings * (ends[blue][i] - 255));
    snprintf(out, 8, "#%02x%02x%02x", channels[0] & 255, channels[1] & 255, channels[2] & 255);
    *out_dark = doublings > 0.6;
}

static void put_cell(struct sl_markup *m, const struct sl_contention_cell *cell, int panel,
                     double x, double y, double width)
{
    char fill[8], text[24];
    bool dark = false;
    double value = cell->measured ? value_of(cell, panel) : NAN;
    if (!(isfinite(value) && value > 0)) {
        sl_svg_rect(m, x, y, width, ROW, "#eee");
        sl_svg_label(m, x + width / 2, y + 20, "middle", "-");
        return;
    }
    fill_of(value, panel, fill, &dark);
    sl_svg_rect(m, x, y, width, ROW, fill);
    snprintf(text, sizeof(text), "%.2f", value);
    sl_markup_put(m, "<g fill=\"%s\">", dark ? "#fff" : "#111");
    sl_svg_label(m, x + width / 2, y + 20, "middle", text);
    sl_markup_put(m, "</g>\n");
}

static void put_panel(struct sl_markup *m, const struct sl_contention *map, int panel, double top)
{
    static const char *const titles[PANELS] = {"off: times as long", "on: times as long",
                                               "ratio off / on"};
    double width = WIDTH / (double)map->process_count;
    char text[32];
    sl_svg_label(m, LEFT, top + HEAD - 24, "start", titles[panel]);
    for (size_t k = 0; k < map->process_count; k++) {
        snprintf(text, sizeof(text), "%g", map->processes[k]);
        sl_svg_label(m, LEFT + width * ((double)k + 0.5), top + HEAD - 6, "middle", text);
    }
    sl_svg_label(m, LEFT - 10, top + HEAD - 6, "end", "threads");
    for (size_t row = 0; row < map->thread_count; row++) {
        double y = top + HEAD + ROW * (double)row;
        snprintf(text, sizeof(text), "%g", map->threads[row]);
        sl_svg_label(m, LEFT - 10, y + 20, "end", text);
        for (size_t k = 0; k < map->process_count; k++)
            put_cell(m, &map->cells[row][k], panel, LEFT + width * (double)k, y, width);
    }
}

static double panel_height(const struct sl_contention *map)
{
    return HEAD - 14 + ROW * (double)map->thread_count;
}

static void put_map(struct sl_markup *m, const struct sl_report *report,
                    const struct sl_contention *map)
{
    char text[2 * SL_COMBINED_NAME_BYTES], name[SL_COMBINED_NAME_BYTES];
    double foot = panel_height(map) * (double)PANELS + 14;
    sl_svg_open(m, (int)(foot + FOOT), "Contention: threads by processes");
    sl_combined_base(report, false, name);
    snprintf(text, sizeof(text), "%.100s: %.100s", report->model, name);
    sl_text_fit(text, NAME_COLUMNS);
    sl_svg_label(m, 0, 14, "start", text);
    for (int panel = 0; panel < PANELS; panel++)
        put_panel(m, map, panel, panel_height(map) * panel);
    sl_svg_label(m, 0, foot + 20, "start", "columns: processes that run the model at a time");
    sl_svg_label(m, 0, foot + 38, "start",
                 "orange: longer, or SME2 slower; blue: shorter, or SME2 faster");
    sl_markup_put(m, "</svg>\n");
}

void sl_plot_contention(struct sl_markup *m, const struct sl_combined *combined)
{
    struct sl_contention map;
    for (size_t i = 0; i < combined->count; i++) {
        if (sl_combined_contention(combined, i, &map))
            put_map(m, &combined->reports[i], &map);
    }
}
