/* host/cli/table.c */
#include "host/cli/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "host/cli/cli.h"
#include "host/cli/exit_code.h"
#include "host/report/style.h"

enum { MAX_TABLE_BYTES = 16 << 20, GAP = 2 };

void sl_table_init(struct sl_table *table, const struct sl_table_column *columns, size_t count)
{
    *table = (struct sl_table){.columns = columns, .count = count};
    sl_buf_init(&table->text, MAX_TABLE_BYTES);
    for (size_t i = 0; i < count; i++)
        table->widths[i] = sl_text_columns(columns[i].title);
}

void sl_table_put(struct sl_table *table, const char *text)
{
    char fit[SL_TEXT_SIZE];
    if (!text || !*text)
        text = "-";
    sl_text_copy(fit, text, strlen(text));
    size_t *width = &table->widths[table->cells++ % table->count];
    size_t columns = sl_text_columns(fit);
    *width = columns > *width ? columns : *width;
    int rc = sl_buf_append(&table->text, fit, strlen(fit) + 1);
    table->error = table->error ? table->error : rc;
}

void sl_table_printf(struct sl_table *table, const char *format, ...)
{
    char text[SL_TEXT_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    sl_table_put(table, text);
}

/* Takes columns of the terminal from the widest flexible column, one by one. */
static void shrink(struct sl_table *table, size_t width)
{
    size_t total = (table->count - 1) * GAP;
    for (size_t i = 0; i < table->count; i++)
        total += table->widths[i];
    while (total > width) {
        size_t *widest = NULL;
        for (size_t i = 0; i < table->count; i++) {
            if (table->columns[i].flexible && table->widths[i] > SL_TABLE_MIN_FLEXIBLE &&
                (!widest || table->widths[i] > *widest))
                widest = &table->widths[i];
        }
        if (!widest)
            return;
        --*widest;
        total--;
    }
}

static int put_row(const struct sl_table *table, const struct sl_style *style, int tone,
                   const char *const *texts, struct sl_buf *out)
{
    struct sl_buf line;
    sl_buf_init(&line, MAX_TABLE_BYTES);
    int rc = 0;
    for (size_t i = 0; i < table->count && rc == 0; i++) {
        if (i > 0)
            rc = sl_buf_append(&line, "  ", GAP);
        if (rc == 0)
            rc = sl_style_cell(&line, texts[i], table->widths[i], table->columns[i].right);
    }
    while (rc == 0 && line.size > 0 && line.data[line.size - 1] == ' ')
        line.data[--line.size] = '\0';
    if (rc == 0)
        rc = sl_style_put(out, style, tone, line.size > 0 ? (const char *)line.data : "");
    sl_buf_fini(&line);
    return rc == 0 ? sl_buf_append(out, "\n", 1) : rc;
}

int sl_table_finish(struct sl_table *table, int width, bool color, const char *none,
                    struct sl_buf *out)
{
    const struct sl_style style = {.width = width, .color = color};
    const char *texts[SL_TABLE_MAX_COLUMNS], *at = (const char *)table->text.data;
    int rc = table->error;
    if (rc == 0 && table->cells == 0)
        rc = sl_buf_printf(out, "%s\n", none);
    shrink(table, (size_t)sl_style_width(&style));
    for (size_t i = 0; i < table->count; i++)
        texts[i] = table->columns[i].title;
    if (rc == 0 && table->cells > 0)
        rc = put_row(table, &style, SL_TONE_STRONG, texts, out);
    for (size_t cell = 0; cell < table->cells && rc == 0; cell += table->count) {
        for (size_t i = 0; i < table->count; i++) {
            texts[i] = at;
            at += strlen(at) + 1;
        }
        rc = put_row(table, &style, SL_TONE_PLAIN, texts, out);
    }
    sl_buf_fini(&table->text);
    return rc;
}

int sl_table_show(struct sl_table *table, const struct sl_cli *cli, const char *none)
{
    struct sl_buf text;
    sl_buf_init(&text, MAX_TABLE_BYTES);
    int rc = sl_table_finish(table, cli->width, cli->color, none, &text);
    if (rc == 0)
        fwrite(text.data, 1, text.size, stdout);
    sl_buf_fini(&text);
    return sl_exit_for_error(rc);
}
