/* host/report/doc.c */
#include "host/report/doc.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/utf8.h"
#include "host/report/style.h"
#include "host/report/table.h"

#define MAX_BYTES ((size_t)1 << 28)

void sl_doc_init(struct sl_doc *doc, int medium)
{
    *doc = (struct sl_doc){.medium = medium};
    sl_buf_init(&doc->texts, MAX_BYTES);
    sl_buf_init(&doc->figures, MAX_BYTES);
    doc->drawing = (struct sl_markup){.out = &doc->figures};
}

void sl_doc_fini(struct sl_doc *doc)
{
    for (size_t i = 0; i < doc->count; i++) {
        if (doc->blocks[i].table)
            sl_table_fini(doc->blocks[i].table);
        sl_free(doc->blocks[i].table);
    }
    sl_free(doc->blocks);
    sl_buf_fini(&doc->texts);
    sl_buf_fini(&doc->figures);
}

static void fail(struct sl_doc *doc, int rc)
{
    if (doc->error == 0 && rc < 0)
        doc->error = rc;
}

/* The block begun last ends where the next one begins. */
static void end_last(struct sl_doc *doc)
{
    if (doc->count == 0)
        return;
    struct sl_doc_block *last = &doc->blocks[doc->count - 1];
    last->size = (last->kind == SL_DOC_FIGURE ? doc->figures.size : doc->texts.size) - last->first;
}

void sl_doc_begin(struct sl_doc *doc, int kind, const char *name)
{
    end_last(doc);
    if (doc->error == 0 && doc->count == doc->capacity) {
        size_t capacity = doc->capacity ? 2 * doc->capacity : 32;
        void *blocks = sl_realloc(doc->blocks, capacity, sizeof(*doc->blocks));
        fail(doc, blocks ? 0 : -ENOMEM);
        doc->blocks = blocks ? blocks : doc->blocks;
        doc->capacity = blocks ? capacity : doc->capacity;
    }
    if (doc->error == 0)
        doc->blocks[doc->count++] = (struct sl_doc_block){
            .kind = kind,
            .name = name,
            .first = kind == SL_DOC_FIGURE ? doc->figures.size : doc->texts.size};
}

static void put(struct sl_doc *doc, int tone, const char *format, va_list args)
{
    char mark = (char)tone;
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, again);
    va_end(again);
    uint8_t *at;
    if (doc->error == 0)
        doc->error = sl_buf_append(&doc->texts, &mark, 1);
    if (doc->error == 0 && len >= 0)
        doc->error = sl_buf_extend(&doc->texts, (size_t)len + 1, &at);
    if (doc->error == 0 && len >= 0)
        vsnprintf((char *)at, (size_t)len + 1, format, args);
    if (doc->error == 0 && len >= 0)
        sl_utf8_clean((char *)at, "");
    end_last(doc);
}

void sl_doc_put(struct sl_doc *doc, int tone, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put(doc, tone, format, args);
    va_end(args);
}

void sl_doc_say(struct sl_doc *doc, int kind, const char *name, const char *format, ...)
{
    va_list args;
    sl_doc_begin(doc, kind, name);
    va_start(args, format);
    put(doc, SL_TONE_PLAIN, format, args);
    va_end(args);
}

void sl_doc_link(struct sl_doc *doc, const char *href, const char *name)
{
    sl_doc_put(doc, SL_TONE_PLAIN, "%s", href);
    sl_doc_put(doc, SL_TONE_PLAIN, "%s", name);
}

void sl_doc_table(struct sl_doc *doc, struct sl_table *table)
{
    struct sl_table *moved = sl_calloc(1, sizeof(*moved));
    sl_doc_begin(doc, SL_DOC_TABLE, NULL);
    fail(doc, moved ? table->error : -ENOMEM);
    if (doc->error == 0) {
        *moved = *table;
        doc->blocks[doc->count - 1].table = moved;
        return;
    }
    sl_table_fini(table);
    sl_free(moved);
}

struct sl_markup *sl_doc_figure(struct sl_doc *doc)
{
    sl_doc_begin(doc, SL_DOC_FIGURE, NULL);
    return &doc->drawing;
}

bool sl_doc_next_text(const struct sl_doc *doc, const struct sl_doc_block *block, size_t *at,
                      int *out_tone, const char **out_text)
{
    if (*at >= block->size)
        return false;
    const char *text = (const char *)doc->texts.data + block->first + *at;
    *out_tone = text[0];
    *out_text = text + 1;
    *at += strlen(text + 1) + 2;
    return true;
}
