/* host/cli/table.h: a list of rows that fits the terminal. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "common/base/buf.h"

struct sl_cli;

enum { SL_TABLE_MAX_COLUMNS = 10, SL_TABLE_MIN_FLEXIBLE = 8 };

struct sl_table_column {
    const char *title; /* borrowed */
    bool right;        /* numbers */
    bool flexible;     /* cut first where the terminal is narrow */
};

struct sl_table {
    const struct sl_table_column *columns; /* borrowed */
    size_t count, cells;
    size_t widths[SL_TABLE_MAX_COLUMNS]; /* in columns of the terminal */
    struct sl_buf text;                  /* owned: the cells, each terminated */
    int error;                           /* the first failure, kept */
};

void sl_table_init(struct sl_table *table, const struct sl_table_column *columns, size_t count);
/* The next cell, row by row. Text of others is made fit for a terminal; NULL and "" become "-". */
void sl_table_put(struct sl_table *table, const char *text);
__attribute__((format(printf, 2, 3))) void sl_table_printf(struct sl_table *table,
                                                           const char *format, ...);
/* Appends the table to `out` and ends it. `none` is the sentence for a table without rows. 0 or the
 * first failure. */
int sl_table_finish(struct sl_table *table, int width, bool color, const char *none,
                    struct sl_buf *out);
/* The same, onto standard output; an exit code. */
int sl_table_show(struct sl_table *table, const struct sl_cli *cli, const char *none);
