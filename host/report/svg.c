/* host/report/svg.c */
#include "host/report/svg.h"

#include <math.h>
#include <string.h>

#include "host/analysis/category.h"
#include "host/report/markup.h"

/* Okabe and Ito's colours, dark enough for print; letters on them are black or white. */
static const struct {
    const char *fill, *ink;
} palette[SL_CATEGORY_COUNT] = {{"#0072b2", "#fff"}, {"#e69f00", "#000"}, {"#009e73", "#000"},
                                {"#cc79a7", "#000"}, {"#b8b8b8", "#000"}, {"#6b6b6b", "#fff"}};

void sl_svg_open(struct sl_markup *m, int height, const char *title)
{
    sl_markup_put(m,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" "
                  "style=\"background:#fff\" color=\"#111\" font-family=\"system-ui,sans-serif\" "
                  "font-size=\"13\" fill=\"currentColor\">\n"
                  "<title>%s</title>\n",
                  SL_SVG_WIDTH, height, title);
}

void sl_svg_label(struct sl_markup *m, double x, double y, const char *anchor, const char *text)
{
    sl_markup_put(m, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    sl_markup_text(m, text);
    sl_markup_put(m, "</text>\n");
}

void sl_svg_label_over(struct sl_markup *m, double x, double y, const char *text)
{
    sl_markup_put(m,
                  "<text x=\"%.1f\" y=\"%.1f\" stroke=\"#fff\" stroke-width=\"4\" "
                  "paint-order=\"stroke\">",
                  x, y);
    sl_markup_text(m, text);
    sl_markup_put(m, "</text>\n");
}

void sl_svg_rect(struct sl_markup *m, double x, double y, double width, double height,
                 const char *fill)
{
    sl_markup_put(m,
                  "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" fill=\"%s\" "
                  "stroke=\"#fff\" stroke-width=\"1\"/>\n",
                  x, y, fmax(width, 0), height, fill);
}

const char *sl_svg_side_ink(int side)
{
    return side == 0 ? "#b86e00" : "#0072b2";
}

void sl_svg_mark(struct sl_markup *m, int side, double x, double y)
{
    if (side == 0)
        sl_markup_put(m,
                      "<path d=\"M%.1f %.1fl5 5l-5 5l-5 -5z\" fill=\"none\" "
                      "stroke=\"%s\" stroke-width=\"1.8\"/>\n",
                      x, y - 5, sl_svg_side_ink(0));
    else
        sl_markup_put(m,
                      "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\" fill=\"%s\" "
                      "fill-opacity=\".8\"/>\n",
                      x, y, sl_svg_side_ink(1));
}

void sl_svg_series(struct sl_markup *m, int side, const double *xs, const double *ys, size_t count)
{
    sl_markup_put(m, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s d=\"",
                  sl_svg_side_ink(side), side == 0 ? " stroke-dasharray=\"6 3\"" : "");
    for (size_t i = 0; i < count; i++)
        sl_markup_put(m, "%c%.1f %.1f", i == 0 ? 'M' : 'L', xs[i], ys[i]);
    sl_markup_put(m, "\"/>\n");
    for (size_t i = 0; i < count; i++)
        sl_svg_mark(m, side, xs[i], ys[i]);
}

void sl_svg_pair(struct sl_markup *m, double x, const double ys[2], const char *const texts[2])
{
    double missing = fmax(16 - fabs(ys[0] - ys[1]), 0) / 2;
    int upper = ys[1] < ys[0];
    sl_svg_label(m, x, ys[upper] - missing + 4, "start", texts[upper]);
    sl_svg_label(m, x, ys[!upper] + missing + 4, "start", texts[!upper]);
}

const char *sl_svg_category_fill(int category)
{
    return palette[category].fill;
}

const char *sl_svg_category_ink(int category)
{
    return palette[category].ink;
}

void sl_svg_category_legend(struct sl_markup *m, double y)
{
    double at = 0;
    for (int k = 0; k < SL_CATEGORY_COUNT; k++) {
        double width = 36 + 7.4 * (double)strlen(sl_category_name(k));
        if (at > 0 && at + width > (double)SL_SVG_WIDTH) {
            at = 0;
            y += 20;
        }
        sl_svg_rect(m, at, y, 14, 14, palette[k].fill);
        sl_svg_label(m, at + 19, y + 12, "start", sl_category_name(k));
        at += width;
    }
}
