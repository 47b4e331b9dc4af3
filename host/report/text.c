/* host/report/text.c */
#include "host/report/text.h"

#include <stdbool.h>
#include <string.h>

#include "common/base/utf8.h"

const char *sl_text_copy(char out[SL_TEXT_SIZE], const char *text, size_t len)
{
    size_t used = len < SL_TEXT_SIZE ? len : SL_TEXT_SIZE - 1;
    for (size_t i = 0; i < used; i++)
        out[i] = text[i] ? text[i] : '?';
    out[used] = '\0';
    sl_utf8_clean(out, "");
    return out;
}

static int begins_character(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

size_t sl_text_columns(const char *text)
{
    size_t columns = 0;
    for (; *text; text++)
        columns += begins_character(*text) ? 1 : 0;
    return columns;
}

void sl_text_fit(char *text, size_t columns)
{
    if (sl_text_columns(text) <= columns)
        return;
    size_t seen = 0;
    char *at = text;
    while (*at && (seen + 1 < columns || !begins_character(*at)))
        seen += begins_character(*at++) ? 1 : 0;
    if (columns > 0)
        *at++ = '~';
    *at = '\0';
}

void sl_text_parts(char *text, size_t columns)
{
    static const char more[] = " ...";
    size_t seen = 0, depth = 0;
    char *end = NULL, *blank = NULL;
    if (sl_text_columns(text) <= columns)
        return;
    for (char *at = text; *at && seen <= columns; at++) {
        bool stop = (strchr(".,;", *at) && at[1] == ' ') || (at[0] == ' ' && at[1] == '(');
        end = stop && depth == 0 ? at : end;
        blank = *at == ' ' && seen + strlen(more) <= columns ? at : blank;
        depth += *at == '(';
        depth -= *at == ')' && depth > 0;
        seen += begins_character(*at) ? 1 : 0;
    }
    if (end)
        *end = '\0';
    else if (blank) /* what is cut is longer */
        memcpy(blank, more, sizeof(more));
    else
        sl_text_fit(text, columns);
}
