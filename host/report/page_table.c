/* host/report/page_table.c */
#include "host/report/page_table.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "host/report/markup.h"
#include "host/report/text.h"

#define MAX_CELL_BYTES ((size_t)1 << 28)

void sl_page_table_init(struct sl_page_table *table, const char *id, const char *title,
                        const char *const *heads)
{
    *table = (struct sl_page_table){.id = id, .title = title};
    sl_buf_init(&table->cells, MAX_CELL_BYTES);
    for (; heads[table->columns]; table->columns++)
        table->right[table->columns] = heads[table->columns][0] == '>';
    for (size_t i = 0; i < table->columns; i++)
        sl_page_table_text(table, heads[i] + (table->right[i] ? 1 : 0));
    table->rows = 1;
}

void sl_page_table_fini(struct sl_page_table *table)
{
    sl_buf_fini(&table->cells);
}

void sl_page_table_cell(struct sl_page_table *table, const char *text, size_t len)
{
    char clean[SL_TEXT_SIZE];
    sl_text_copy(clean, text, len);
    if (table->error == 0)
        table->error = sl_buf_append(&table->cells, clean, strlen(clean) + 1);
}

void sl_page_table_text(struct sl_page_table *table, const char *text)
{
    sl_page_table_cell(table, text, strlen(text));
}

void sl_page_table_printf(struct sl_page_table *table, const char *format, ...)
{
    char text[SL_TEXT_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    sl_page_table_text(table, text);
}

/* Whole rows only; what an error cut off is not shown. */
static const char *next_cell(const struct sl_page_table *table, size_t *at)
{
    const char *cell = (const char *)table->cells.data + *at;
    *at += strlen(cell) + 1;
    return cell;
}

static void put_rule(struct sl_markup *m, const struct sl_page_table *table)
{
    for (size_t i = 0; i < table->columns; i++)
        sl_markup_put(m, "|%s", table->right[i] ? "---:" : "---");
    sl_markup_put(m, "|\n");
}

void sl_page_table_md(struct sl_markup *m, const struct sl_page_table *table)
{
    size_t at = 0;
    size_t row = 0;
    if (m->error == 0)
        m->error = table->error;
    if (table->note[0])
        sl_markup_put(m, "%s\n\n", table->note);
    while (m->error == 0 && at < table->cells.size) {
        for (size_t i = 0; i < table->columns && at < table->cells.size; i++) {
            sl_markup_put(m, "| ");
            sl_markup_md(m, next_cell(table, &at));
            sl_markup_put(m, " ");
        }
        sl_markup_put(m, "|\n");
        if (row++ == 0)
            put_rule(m, table);
    }
    sl_markup_put(m, "\n");
}

enum { WHOLE_WORD = 14, LONGEST_PIECE = 14 }; /* bytes */

/* A text whose long words may be broken where they have joints, so that short ones stay whole in a
 * narrow column. */
static void put_breakable(struct sl_markup *m, const char *text)
{
    char piece[LONGEST_PIECE + 5];
    while (*text) {
        size_t word = strcspn(text, " ");
        size_t len = strcspn(text, " _/,=");
        len += text[len] != '\0';
        len = word <= WHOLE_WORD ? word + (text[word] != '\0') : len;
        len = len > LONGEST_PIECE ? LONGEST_PIECE : len;
        while (len < sizeof(piece) - 1 && ((unsigned char)text[len] & 0xc0) == 0x80)
            len++; /* not within a character */
        snprintf(piece, sizeof(piece), "%.*s", (int)len, text);
        sl_markup_text(m, piece);
        text += len;
        if (*text && piece[len - 1] != ' ')
            sl_markup_put(m, "<wbr>");
    }
}

void sl_page_table_html(struct sl_markup *m, const struct sl_page_table *table)
{
    size_t at = 0;
    size_t row = 0;
    if (m->error == 0)
        m->error = table->error;
    if (table->note[0]) {
        sl_markup_put(m, "<p class=\"note\">");
        sl_markup_text(m, table->note);
        sl_markup_put(m, "</p>\n");
    }
    sl_markup_put(m, "<div class=\"wide\"><table>\n<thead>");
    while (m->error == 0 && at < table->cells.size) {
        sl_markup_put(m, "<tr>");
        for (size_t i = 0; i < table->columns && at < table->cells.size; i++) {
            sl_markup_put(m, "<%s%s>", row == 0 ? "th" : "td",
                          table->right[i] ? " class=\"r\"" : "");
            if (table->right[i])
                sl_markup_text(m, next_cell(table, &at));
            else
                put_breakable(m, next_cell(table, &at));
            sl_markup_put(m, "</%s>", row == 0 ? "th" : "td");
        }
        sl_markup_put(m, "</tr>%s\n", row == 0 ? "</thead>\n<tbody>" : "");
        row++;
    }
    sl_markup_put(m, "</tbody></table></div>\n");
}
