/* host/report/table.h: a table of texts, made once and shown as Markdown, as HTML or on a
 * terminal. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "common/base/buf.h"

struct sl_markup;
struct sl_style;

/* A column on a terminal. */
struct sl_table_column {
    int width; /* columns; 0: what the others leave */
    int gap;   /* spaces before it */
};

enum { SL_TABLE_MAX_COLUMNS = 16 };

struct sl_table {
    const char *id;       /* static text */
    char title[96];       /* of any texts: not for markup as it is */
    char note[640];       /* unit and meaning of the figures */
    size_t columns, rows; /* the head is row 0 */
    bool right[SL_TABLE_MAX_COLUMNS], flexible[SL_TABLE_MAX_COLUMNS];
    struct sl_table_column widths[SL_TABLE_MAX_COLUMNS]; /* where it is made for a terminal */
    bool headless;                                       /* no head is shown there */
    bool fixed;          /* rows depend on their order: on a page they are not sorted */
    struct sl_buf cells; /* texts one after the other, each terminated; a first byte below a space
                            is a bar's, a line's, a part's or a link's */
    int error;           /* 0, SL_E_LIMIT or -ENOMEM: sticks */
};

/* `heads` are titles of columns; those of figures begin with '>', those that are cut first where a
 * terminal is narrow with '~'; ends with NULL, after SL_TABLE_MAX_COLUMNS at most. */
void sl_table_init(struct sl_table *table, const char *id, const char *title,
                   const char *const *heads);
/* For a terminal: a width for each column; without them columns are as wide as their cells. */
void sl_table_widths(struct sl_table *table, const struct sl_table_column *widths);
void sl_table_fini(struct sl_table *table);

bool sl_table_is_empty(const struct sl_table *table); /* nothing below its head */

/* Adds the next cell; rows fill from left to right. `len` bytes of any text. */
void sl_table_cell(struct sl_table *table, const char *text, size_t len);
void sl_table_text(struct sl_table *table, const char *text);
void sl_table_put(struct sl_table *table, const char *text); /* NULL and "": "-" */
__attribute__((format(printf, 2, 3))) void sl_table_printf(struct sl_table *table,
                                                           const char *format, ...);

/* A figure with its unit; a part of a whole as "12.3 %"; baseline over candidate as "1.23x", above
 * 1 where the candidate is better. "-" for what is not known. */
void sl_table_figure(struct sl_table *table, double value, int unit);
void sl_table_share(struct sl_table *table, double share);
void sl_table_ratio(struct sl_table *table, double baseline, double candidate, int decimals);
void sl_table_interval(struct sl_table *table, double low, double high); /* "0.950 to 1.050" */

/* The first cell of a row that is a part of the last row that is none. */
void sl_table_part(struct sl_table *table, const char *name);

/* A text that leads somewhere on a page of HTML: `href` is a path of ours, encoded
 * (host/spec/url.h). Elsewhere the text alone is shown. */
void sl_table_link(struct sl_table *table, const char *href, const char *text);

/* On terminals alone: a cell drawn as a bar of `share`, and a line of its own between rows. `tone`
 * is of host/report/style.h. */
void sl_table_bar(struct sl_table *table, int tone, double share);
__attribute__((format(printf, 3, 4))) void sl_table_line(struct sl_table *table, int tone,
                                                         const char *format, ...);

void sl_table_md(struct sl_markup *m, const struct sl_table *table);
void sl_table_html(struct sl_markup *m, const struct sl_table *table);
/* Returns 0, SL_E_LIMIT or -ENOMEM. */
int sl_table_show(struct sl_buf *out, const struct sl_style *style, const struct sl_table *table);
