/* host/report/record_table.h: records of the daemon as a table for people, by the columns that have
 * a place in one (host/spec/records.inc). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct sl_columns;
struct sl_table;

/* Puts the cell of `column` itself and returns true, or leaves it to the column's kind. */
typedef bool (*sl_record_cell_fn)(struct sl_table *table, const void *record, const char *column);

/* A new table of `count` borrowed records. `own` may be NULL. End it with sl_table_fini(). */
void sl_record_table(struct sl_table *out, const char *id, const struct sl_columns *columns,
                     const void *records, size_t count, sl_record_cell_fn own);
