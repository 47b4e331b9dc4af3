/* host/report/table.c */
#include "host/report/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/report/markup.h"
#include "host/report/style.h"
#include "host/report/text.h"
#include "host/report/unit.h"

#define MAX_CELL_BYTES ((size_t)1 << 28)

void sl_table_init(struct sl_table *table, const char *id, const char *title,
                   const char *const *heads)
{
    *table = (struct sl_table){.id = id};
    snprintf(table->title, sizeof(table->title), "%s", title);
    sl_buf_init(&table->cells, MAX_CELL_BYTES);
    for (; heads[table->columns]; table->columns++) {
        const char *head = heads[table->columns];
        bool right = head[0] == '>', flexible = head[0] == '~';
        table->right[table->columns] = right;
        table->flexible[table->columns] = flexible;
        sl_table_text(table, head + (right || flexible ? 1 : 0));
    }
    table->rows = 1;
}

void sl_table_widths(struct sl_table *table, const struct sl_table_column *widths)
{
    memcpy(table->widths, widths, table->columns * sizeof(*widths));
}

void sl_table_fini(struct sl_table *table)
{
    sl_buf_fini(&table->cells);
}

void sl_table_cell(struct sl_table *table, const char *text, size_t len)
{
    char clean[SL_TEXT_SIZE];
    sl_text_copy(clean, text, len);
    if (table->error == 0)
        table->error = sl_buf_append(&table->cells, clean, strlen(clean) + 1);
}

void sl_table_text(struct sl_table *table, const char *text)
{
    sl_table_cell(table, text, strlen(text));
}

void sl_table_put(struct sl_table *table, const char *text)
{
    sl_table_text(table, text && *text ? text : "-");
}

void sl_table_printf(struct sl_table *table, const char *format, ...)
{
    char text[SL_TEXT_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    sl_table_text(table, text);
}

void sl_table_figure(struct sl_table *table, double value, int unit)
{
    char text[48];
    sl_table_text(table, sl_unit_format(text, sizeof(text), value, unit));
}

void sl_table_share(struct sl_table *table, double share)
{
    if (isfinite(share))
        sl_table_printf(table, "%.1f %%", 100 * share);
    else
        sl_table_text(table, "-");
}

void sl_table_ratio(struct sl_table *table, double baseline, double candidate, int decimals)
{
    if (baseline > 0 && candidate > 0)
        sl_table_printf(table, "%.*fx", decimals, baseline / candidate);
    else
        sl_table_text(table, "-");
}

void sl_table_interval(struct sl_table *table, double low, double high)
{
    if (isfinite(low))
        sl_table_printf(table, "%.3f to %.3f", low, high);
    else
        sl_table_text(table, "-");
}

/* The first byte of cells that are drawn; texts have no such bytes. Their tone follows. */
enum { BAR = 1, LINE, PART, LINK };

static void put_drawn(struct sl_table *table, char kind, int tone, const char *text)
{
    const char head[] = {kind, (char)('0' + tone)};
    if (table->error == 0)
        table->error = sl_buf_append(&table->cells, head, sizeof(head));
    sl_table_text(table, text);
}

void sl_table_bar(struct sl_table *table, int tone, double share)
{
    char text[40];
    snprintf(text, sizeof(text), "%.17g", share);
    put_drawn(table, BAR, tone, text);
}

void sl_table_line(struct sl_table *table, int tone, const char *format, ...)
{
    char text[SL_TEXT_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    put_drawn(table, LINE, tone, text);
}

void sl_table_part(struct sl_table *table, const char *name)
{
    put_drawn(table, PART, 0, name);
}

/* The path ends with a blank, which no encoded path has. */
void sl_table_link(struct sl_table *table, const char *href, const char *text)
{
    char mark = LINK;
    if (table->error == 0)
        table->error = sl_buf_append(&table->cells, &mark, 1);
    if (table->error == 0)
        table->error = sl_buf_printf(&table->cells, "%s ", href);
    sl_table_put(table, text);
}

/* The text of a cell that is not drawn. */
static const char *text_of(const char *cell)
{
    return cell[0] == LINK ? strchr(cell, ' ') + 1 : cell[0] == PART ? cell + 2 : cell;
}

/* Whole rows only; what an error cut off is not shown. */
static const char *next_cell(const struct sl_table *table, size_t *at)
{
    const char *cell = (const char *)table->cells.data + *at;
    *at += strlen(cell) + 1;
    return cell;
}

bool sl_table_is_empty(const struct sl_table *table)
{
    size_t at = 0;
    for (size_t i = 0; i < table->columns && at < table->cells.size; i++)
        next_cell(table, &at);
    return at == table->cells.size;
}

static void put_rule(struct sl_markup *m, const struct sl_table *table)
{
    for (size_t i = 0; i < table->columns; i++)
        sl_markup_put(m, "|%s", table->right[i] ? "---:" : "---");
    sl_markup_put(m, "|\n");
}

void sl_table_md(struct sl_markup *m, const struct sl_table *table)
{
    size_t at = 0;
    size_t row = 0;
    if (m->error == 0)
        m->error = table->error;
    if (table->note[0])
        sl_markup_put(m, "%s\n\n", table->note);
    while (m->error == 0 && at < table->cells.size) {
        for (size_t i = 0; i < table->columns && at < table->cells.size; i++) {
            const char *cell = next_cell(table, &at);
            sl_markup_put(m, "| %s", cell[0] == PART ? "of which " : "");
            sl_markup_md(m, text_of(cell));
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
        size_t len = strcspn(text, " _/,=-");
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

static void put_html_cell(struct sl_markup *m, const char *cell, bool right)
{
    const char *text = text_of(cell);
    char href[SL_TEXT_SIZE];
    bool link = cell[0] == LINK;
    if (link) {
        snprintf(href, sizeof(href), "%.*s", (int)(text - cell - 2), cell + 1);
        sl_markup_put(m, "<a href=\"");
        sl_markup_text(m, href);
        sl_markup_put(m, "\">");
    }
    if (right)
        sl_markup_text(m, text);
    else
        put_breakable(m, text);
    sl_markup_put(m, link ? "</a>" : "");
}

void sl_table_html(struct sl_markup *m, const struct sl_table *table)
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
    sl_markup_put(m, "<div class=\"wide\"><table%s>\n<thead>",
                  table->fixed ? "" : " class=\"free\"");
    while (m->error == 0 && at < table->cells.size) {
        bool part = table->cells.data[at] == PART;
        sl_markup_put(m, "<tr%s>", part ? " class=\"part\"" : "");
        for (size_t i = 0; i < table->columns && at < table->cells.size; i++) {
            sl_markup_put(m, "<%s%s>", row == 0 ? "th" : "td",
                          table->right[i] ? " class=\"r\"" : "");
            put_html_cell(m, next_cell(table, &at), table->right[i]);
            sl_markup_put(m, "</%s>", row == 0 ? "th" : "td");
        }
        sl_markup_put(m, "</tr>%s\n", row == 0 ? "</thead>\n<tbody>" : "");
        row++;
    }
    sl_markup_put(m, "</tbody></table></div>\n");
}

enum { GAP = 2, LEAST_FLEXIBLE = 8, PART_INDENT = 2 };

static bool has_widths(const struct sl_table *table)
{
    for (size_t i = 0; i < table->columns; i++)
        if (table->widths[i].width > 0)
            return true;
    return false;
}

/* As wide as the cells. */
static void measure(const struct sl_table *table, struct sl_table_column *columns)
{
    size_t i = 0;
    for (size_t at = 0; at < table->cells.size; i++) {
        struct sl_table_column *column = &columns[i % table->columns];
        const char *cell = next_cell(table, &at);
        int width = (int)sl_text_columns(text_of(cell)) + (cell[0] == PART ? PART_INDENT : 0);
        column->width = width > column->width ? width : column->width;
        column->gap = i % table->columns > 0 ? GAP : 0;
    }
}

/* Columns of the terminal that are left over; below 0: that are missing. */
static int left_over(const struct sl_table *table, const struct sl_table_column *columns,
                     const struct sl_style *style)
{
    int left = sl_style_width(style);
    for (size_t i = 0; i < table->columns; i++)
        left -= columns[i].width + columns[i].gap;
    return left;
}

/* Takes what is missing from the widest flexible column, one by one. */
static void shrink(const struct sl_table *table, struct sl_table_column *columns, int missing)
{
    for (; missing > 0; missing--) {
        struct sl_table_column *widest = NULL;
        for (size_t i = 0; i < table->columns; i++)
            if (table->flexible[i] && columns[i].width > LEAST_FLEXIBLE &&
                (!widest || columns[i].width > widest->width))
                widest = &columns[i];
        if (!widest)
            return;
        widest->width--;
    }
}

/* The columns as they are drawn; the one without a width takes what is left. */
static void fit(const struct sl_table *table, const struct sl_style *style,
                struct sl_table_column columns[SL_TABLE_MAX_COLUMNS])
{
    memcpy(columns, table->widths, sizeof(table->widths));
    if (!has_widths(table)) {
        measure(table, columns);
        shrink(table, columns, -left_over(table, columns, style));
        return;
    }
    int left = left_over(table, columns, style);
    for (size_t i = 0; i < table->columns; i++)
        if (columns[i].width == 0)
            columns[i].width = left > 0 ? left : 0;
}

static int show_line(struct sl_buf *out, const struct sl_style *style, const char *cell)
{
    char text[SL_TEXT_SIZE];
    snprintf(text, sizeof(text), "%s", cell + 2);
    sl_text_fit(text, (size_t)sl_style_width(style));
    int rc = sl_style_put(out, style, cell[1] - '0', text);
    return rc < 0 ? rc : sl_buf_append(out, "\n", 1);
}

static int show_cell(struct sl_buf *out, const struct sl_style *style, const char *cell,
                     size_t width, bool right)
{
    char part[SL_TEXT_SIZE + PART_INDENT];
    if (cell[0] == BAR)
        return sl_style_bar(out, style, cell[1] - '0', strtod(cell + 2, NULL), width);
    if (cell[0] != PART)
        return sl_style_cell(out, text_of(cell), width, right);
    snprintf(part, sizeof(part), "%*s%s", PART_INDENT, "", text_of(cell));
    return sl_style_cell(out, part, width, right);
}

/* A row, without what stands at its end empty; *at moves on. */
static int show_row(struct sl_buf *out, const struct sl_style *style, const struct sl_table *table,
                    const struct sl_table_column *columns, size_t *at)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < table->columns && *at < table->cells.size; i++) {
        const char *cell = next_cell(table, at);
        size_t width = (size_t)columns[i].width;
        if (cell[0] == LINE)
            return show_line(out, style, cell);
        rc = sl_buf_printf(out, "%*s", columns[i].gap, "");
        if (rc == 0)
            rc = show_cell(out, style, cell, width, table->right[i]);
    }
    return rc < 0 ? rc : sl_style_end_line(out);
}

/* The titles; strong where columns are as wide as their cells. */
static int show_head(struct sl_buf *out, const struct sl_style *style, const struct sl_table *table,
                     const struct sl_table_column *columns, size_t *at)
{
    struct sl_buf line;
    sl_buf_init(&line, MAX_CELL_BYTES);
    int rc = show_row(&line, style, table, columns, at);
    if (rc == 0 && !table->headless) {
        line.data[line.size - 1] = '\0'; /* the line's end */
        rc = sl_style_put(out, style, has_widths(table) ? SL_TONE_PLAIN : SL_TONE_STRONG,
                          (const char *)line.data);
        rc = rc < 0 ? rc : sl_buf_append(out, "\n", 1);
    }
    sl_buf_fini(&line);
    return rc;
}

int sl_table_show(struct sl_buf *out, const struct sl_style *style, const struct sl_table *table)
{
    struct sl_table_column columns[SL_TABLE_MAX_COLUMNS];
    size_t at = 0;
    int rc = table->error;
    if (rc < 0)
        return rc;
    fit(table, style, columns);
    rc = show_head(out, style, table, columns, &at);
    while (rc == 0 && at < table->cells.size)
        rc = show_row(out, style, table, columns, &at);
    return rc;
}
