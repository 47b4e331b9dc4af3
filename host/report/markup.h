/* host/report/markup.h: writes text that other programs read as markup; the first failure sticks.
 */
#pragma once

#include <stddef.h>

struct sl_buf;

struct sl_markup {
    struct sl_buf *out; /* borrowed */
    int error;          /* 0, SL_E_LIMIT or -ENOMEM */
};

/* Appends by a printf format, as it is. */
__attribute__((format(printf, 2, 3))) void sl_markup_put(struct sl_markup *m, const char *format,
                                                         ...);

/* Appends bytes as they are. */
void sl_markup_raw(struct sl_markup *m, const void *bytes, size_t len);

/* Appends a text as XML and HTML take it, in content and in quoted attributes; what is no UTF-8
 * and no character of XML comes out as '?'. */
void sl_markup_text(struct sl_markup *m, const char *text);

/* Appends a text as a cell of a Markdown table: on one line, nothing in it is markup. */
void sl_markup_md(struct sl_markup *m, const char *text);
