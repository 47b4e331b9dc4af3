/* host/report/markup.c */
#include "host/report/markup.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/utf8.h"

enum { PIECE_BYTES = 2048 };

void sl_markup_put(struct sl_markup *m, const char *format, ...)
{
    char piece[PIECE_BYTES];
    va_list args;
    if (m->error < 0)
        return;
    va_start(args, format);
    int len = vsnprintf(piece, sizeof(piece), format, args);
    va_end(args);
    if (len > 0)
        m->error = sl_buf_append(m->out, piece, len < PIECE_BYTES ? (size_t)len : PIECE_BYTES - 1);
}

void sl_markup_raw(struct sl_markup *m, const void *bytes, size_t len)
{
    if (m->error == 0)
        m->error = sl_buf_append(m->out, bytes, len);
}

/* Bytes of the valid UTF-8 character at `at`; 0 if there is none or XML has none such. */
static size_t character_at(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t len = sl_utf8_length(at);
    if (len == 1)
        return at[0] >= 0x20 || at[0] == '\n' || at[0] == '\t' ? 1 : 0;
    if (len == 3 && at[0] == 0xef && at[1] == 0xbf && at[2] > 0xbd) /* U+FFFE and U+FFFF */
        return 0;
    return len;
}

static const char *entity_of(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    default:
        return NULL;
    }
}

void sl_markup_text(struct sl_markup *m, const char *text)
{
    while (*text && m->error == 0) {
        const char *entity = entity_of(*text);
        size_t len = character_at(text);
        if (entity)
            sl_markup_raw(m, entity, strlen(entity));
        else
            sl_markup_raw(m, len ? text : "?", len ? len : 1);
        text += len ? len : 1;
    }
}

void sl_markup_md(struct sl_markup *m, const char *text)
{
    while (*text && m->error == 0) {
        size_t len = character_at(text);
        if (*text == '\n' || *text == '\t')
            sl_markup_raw(m, " ", 1);
        else if (strchr("|*`<>[]\\", *text))
            sl_markup_put(m, "\\%c", *text);
        else
            sl_markup_raw(m, len ? text : "?", len ? len : 1);
        text += len ? len : 1;
    }
}
