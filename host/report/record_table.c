/* host/report/record_table.c */
#include "host/report/record_table.h"

#include <inttypes.h>

#include "host/records.h"
#include "host/report/table.h"
#include "host/report/time_text.h"
#include "host/spec/columns.h"

static void put_cell(struct sl_table *table, const struct sl_column *column, const void *value)
{
    char text[SL_TIME_TEXT_BYTES];
    switch (column->kind) {
    case SL_COLUMN_TIME:
        sl_table_text(table, sl_time_text(*(const uint64_t *)value, text));
        break;
    case SL_COLUMN_ID:
        if (*(const uint64_t *)value == 0)
            sl_table_put(table, NULL);
        else
            sl_table_printf(table, "%" PRIu64, *(const uint64_t *)value);
        break;
    case SL_COLUMN_U32:
        sl_table_printf(table, "%" PRIu32, *(const uint32_t *)value);
        break;
    case SL_COLUMN_INT:
        sl_table_printf(table, "%d", *(const int *)value);
        break;
    case SL_COLUMN_WORD:
        sl_table_put(table, column->word(*(const int *)value));
        break;
    case SL_COLUMN_FLAG:
        sl_table_put(table, *(const bool *)value ? "yes" : "no");
        break;
    case SL_COLUMN_MAYBE:
        sl_table_put(table, *(const int *)value == SL_MAYBE_YES  ? "yes"
                            : *(const int *)value == SL_MAYBE_NO ? "no"
                                                                 : NULL);
        break;
    case SL_COLUMN_REAL:
        if (*(const double *)value > 0)
            sl_table_printf(table, "%.3f", *(const double *)value);
        else
            sl_table_put(table, NULL);
        break;
    default:
        sl_table_put(table, value);
    }
}

void sl_record_table(struct sl_table *out, const char *id, const struct sl_columns *columns,
                     const void *records, size_t count, sl_record_cell_fn own)
{
    const char *heads[SL_TABLE_MAX_COLUMNS + 1] = {NULL};
    const struct sl_column *shown[SL_TABLE_MAX_COLUMNS];
    size_t width = 0;
    for (; width < SL_TABLE_MAX_COLUMNS && (shown[width] = sl_column_at(columns, width + 1));
         width++)
        heads[width] = shown[width]->head;
    sl_table_init(out, id, id, heads);
    for (size_t row = 0; row < count; row++) {
        const char *record = (const char *)records + row * columns->record_bytes;
        for (size_t i = 0; i < width; i++) {
            if (!own || !own(out, record, shown[i]->name))
                put_cell(out, shown[i], record + shown[i]->offset);
        }
    }
}
