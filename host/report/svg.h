/* host/report/svg.h: what plots are drawn with: as narrow as a phone, one typeface, colours that
 * the colour-blind tell apart and that show on light and dark pages. */
#pragma once

#include <stddef.h>

struct sl_markup;

/* Letters are 13 units high: of a page 390 pixels wide 10 of its pixels. */
enum { SL_SVG_WIDTH = 460 };

/* `title` is static and no markup; end with "</svg>". */
void sl_svg_open(struct sl_markup *m, int height, const char *title);
/* Any text on the line at y; `anchor` is "start", "middle" or "end". */
void sl_svg_label(struct sl_markup *m, double x, double y, const char *anchor, const char *text);
/* The same at the start of a line, readable where lines of a grid run behind it. */
void sl_svg_label_over(struct sl_markup *m, double x, double y, const char *text);
void sl_svg_rect(struct sl_markup *m, double x, double y, double width, double height,
                 const char *fill);

/* The ink, the mark and the line of a side, 0 the baseline: its colour, a hollow diamond or a disc,
 * its points joined by a dashed or a whole line. */
const char *sl_svg_side_ink(int side);
void sl_svg_mark(struct sl_markup *m, int side, double x, double y);
void sl_svg_series(struct sl_markup *m, int side, const double *xs, const double *ys, size_t count);
/* A text for each of two heights near x, moved apart where they would touch. */
void sl_svg_pair(struct sl_markup *m, double x, const double ys[2], const char *const texts[2]);

/* The colour of a category's area (enum sl_category), and of letters on it. */
const char *sl_svg_category_fill(int category);
const char *sl_svg_category_ink(int category);
/* Names and colours of all categories in two rows below y. */
enum { SL_SVG_LEGEND_HEIGHT = 40 };
void sl_svg_category_legend(struct sl_markup *m, double y);
