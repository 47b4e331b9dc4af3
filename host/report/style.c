/* host/report/style.c */
#include "host/report/style.h"

#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"

int sl_style_width(const struct sl_style *style)
{
    if (style->width < SL_STYLE_MIN_WIDTH)
        return SL_STYLE_MIN_WIDTH;
    return style->width > SL_STYLE_MAX_WIDTH ? SL_STYLE_MAX_WIDTH : style->width;
}

int sl_style_put(struct sl_buf *out, const struct sl_style *style, int tone, const char *text)
{
    static const char *const codes[] = {"", "\033[1m", "\033[32m", "\033[31m", "\033[2m", "", ""};
    if (!style->color || codes[tone][0] == '\0')
        return sl_buf_append(out, text, strlen(text));
    return sl_buf_printf(out, "%s%s\033[0m", codes[tone], text);
}

int sl_style_cell(struct sl_buf *out, const char *text, size_t columns, bool right)
{
    char fitted[SL_TEXT_SIZE];
    sl_text_copy(fitted, text, strlen(text));
    sl_text_fit(fitted, columns);
    int pad = (int)(columns - sl_text_columns(fitted));
    return right ? sl_buf_printf(out, "%*s%s", pad, "", fitted)
                 : sl_buf_printf(out, "%s%*s", fitted, pad, "");
}

/* A bar to an eighth of a column. */
static int put_blocks(struct sl_buf *out, const struct sl_style *style, int tone, double share,
                      size_t columns)
{
    static const char *const blocks[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
    enum { BLOCK_BYTES = 3 };
    char marks[SL_STYLE_MAX_WIDTH * BLOCK_BYTES + 1] = "";
    size_t all = 8 * columns, len = 0, used = 0;
    double wanted = share * (double)all + 0.5;
    size_t eighths = !(share > 0) ? 0 : share >= 1 ? all : wanted < 1 ? 1 : (size_t)wanted;
    for (; eighths > 0; used++, len += BLOCK_BYTES) {
        size_t here = eighths < 8 ? eighths : 8;
        memcpy(marks + len, blocks[here], BLOCK_BYTES);
        eighths -= here;
    }
    marks[len] = '\0';
    int rc = sl_style_put(out, style, tone, marks);
    return rc < 0 ? rc : sl_buf_printf(out, "%*s", (int)(columns - used), "");
}

int sl_style_bar(struct sl_buf *out, const struct sl_style *style, int tone, double share,
                 size_t columns)
{
    char marks[SL_STYLE_MAX_WIDTH + 1];
    if (columns > SL_STYLE_MAX_WIDTH)
        columns = SL_STYLE_MAX_WIDTH;
    if (style->unicode)
        return put_blocks(out, style, tone, share, columns);
    double wanted = share * (double)columns + 0.5;
    size_t filled = !(share > 0) ? 0 : share >= 1 ? columns : wanted < 1 ? 1 : (size_t)wanted;
    memset(marks, '#', filled);
    marks[filled] = '\0';
    int rc = sl_style_put(out, style, tone, marks);
    return rc < 0 ? rc : sl_buf_printf(out, "%*s", (int)(columns - filled), "");
}

int sl_style_end_line(struct sl_buf *out)
{
    while (out->size > 0 && out->data[out->size - 1] == ' ')
        out->size--;
    return sl_buf_append(out, "\n", 1);
}

int sl_style_wrap(struct sl_buf *out, const struct sl_style *style, size_t used, int indent,
                  const char *text)
{
    size_t width = (size_t)sl_style_width(style);
    int rc = 0;
    for (bool first = true; rc == 0 && *text; first = false) {
        size_t len = strcspn(text, " ");
        if (!first && used + 1 + len > width) {
            rc = sl_buf_printf(out, "\n%*s", indent, "");
            used = (size_t)indent;
            first = true;
        }
        if (rc == 0)
            rc = sl_buf_printf(out, "%s%.*s", first ? "" : " ", (int)len, text);
        used += len + (first ? 0 : 1);
        text += len + strspn(text + len, " ");
    }
    return rc < 0 ? rc : sl_buf_append(out, "\n", 1);
}
