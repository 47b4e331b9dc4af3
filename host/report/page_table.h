/* host/report/page_table.h: a table of texts, made once and shown as Markdown or HTML. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "common/base/buf.h"

struct sl_markup;

enum { SL_PAGE_TABLE_MAX_COLUMNS = 10 };

struct sl_page_table {
    const char *id, *title; /* static texts */
    char note[320];         /* unit and meaning of the figures */
    size_t columns, rows;   /* the head is row 0 */
    bool right[SL_PAGE_TABLE_MAX_COLUMNS];
    struct sl_buf cells; /* texts one after the other, each terminated */
    int error;           /* 0, SL_E_LIMIT or -ENOMEM: sticks */
};

/* `heads` are titles of columns, those of figures begin with '>'; ends with NULL. */
void sl_page_table_init(struct sl_page_table *table, const char *id, const char *title,
                        const char *const *heads);
void sl_page_table_fini(struct sl_page_table *table);

/* Adds the next cell; rows fill from left to right. `len` bytes of any text. */
void sl_page_table_cell(struct sl_page_table *table, const char *text, size_t len);
void sl_page_table_text(struct sl_page_table *table, const char *text);
__attribute__((format(printf, 2, 3))) void sl_page_table_printf(struct sl_page_table *table,
                                                                const char *format, ...);

void sl_page_table_md(struct sl_markup *m, const struct sl_page_table *table);
void sl_page_table_html(struct sl_markup *m, const struct sl_page_table *table);
