/* host/report/style.h: how tables for people are drawn. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "host/report/text.h"

struct sl_buf;

struct sl_style {
    int width;        /* columns of the terminal; no line is wider, down to SL_STYLE_MIN_WIDTH */
    bool color;       /* SGR sequences may be used */
    size_t operators; /* rows of operators at most */
    bool unicode;     /* bars of block characters instead of '#' */
};

enum { SL_STYLE_MIN_WIDTH = 60, SL_STYLE_MAX_WIDTH = 160 };
enum sl_style_tone {
    SL_TONE_PLAIN,
    SL_TONE_STRONG,
    SL_TONE_GOOD,
    SL_TONE_BAD,
    SL_TONE_FAINT,
    SL_TONE_CODE, /* to be typed */
    SL_TONE_RULE  /* the name of the rule that a sentence comes from */
};

/* The width that tables take. */
int sl_style_width(const struct sl_style *style);

/* Appends `text` in a tone. Returns as sl_buf_append(). */
int sl_style_put(struct sl_buf *out, const struct sl_style *style, int tone, const char *text);

/* Appends `text` fitted and padded to `columns`; right-aligned if `right`. */
int sl_style_cell(struct sl_buf *out, const char *text, size_t columns, bool right);

/* Appends a bar of `share` (0..1, cut to that) of `columns`, padded to `columns`. A share above 0
 * shows at least one mark. */
int sl_style_bar(struct sl_buf *out, const struct sl_style *style, int tone, double share,
                 size_t columns);

/* Ends a line; spaces at its end are taken back. */
int sl_style_end_line(struct sl_buf *out);

/* Appends `text` broken between words to lines of the style's width, later lines indented by
 * `indent`, and ends the last. `used` columns of the first line are taken already. */
int sl_style_wrap(struct sl_buf *out, const struct sl_style *style, size_t used, int indent,
                  const char *text);
