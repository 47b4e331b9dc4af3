/* host/report/doc_text.c: a document on a terminal. */
#include <string.h>

#include "host/report/doc.h"
#include "host/report/style.h"
#include "host/report/table.h"

struct terminal {
    struct sl_buf *out;
    const struct sl_style *style;
    const struct sl_doc *doc;
    int error; /* the first failure sticks */
};

static void note(struct terminal *t, int rc)
{
    if (t->error == 0 && rc < 0)
        t->error = rc;
}

static bool is_last(const struct sl_doc_block *block, size_t at)
{
    return at >= block->size;
}

/* The last text is broken between words; one that is alone keeps its indent. */
static void put_sentence(struct terminal *t, const struct sl_doc_block *block)
{
    const char *text;
    int tone;
    size_t used = 0;
    for (size_t at = 0; sl_doc_next_text(t->doc, block, &at, &tone, &text);) {
        size_t indent = used == 0 ? strspn(text, " ") : 0;
        if (!is_last(block, at)) {
            note(t, sl_style_put(t->out, t->style, tone, text));
            used += sl_text_columns(text);
            continue;
        }
        note(t, sl_buf_append(t->out, text, indent));
        note(t, sl_style_wrap(t->out, t->style, used + indent, 2, text + indent));
    }
}

static void put_step(struct terminal *t, const struct sl_doc_block *block)
{
    struct sl_buf words;
    const char *text;
    int tone;
    sl_buf_init(&words, 1 << 16);
    note(t, sl_buf_printf(&words, "next: "));
    for (size_t at = 0; sl_doc_next_text(t->doc, block, &at, &tone, &text);)
        note(t, sl_buf_printf(&words, tone == SL_TONE_RULE ? " (rule %s)" : "%s", text));
    if (t->error == 0)
        note(t, sl_style_wrap(t->out, t->style, 0, 2, (const char *)words.data));
    sl_buf_fini(&words);
}

static void put_line(struct terminal *t, const struct sl_doc_block *block)
{
    bool strong = block->kind == SL_DOC_TITLE || block->kind == SL_DOC_HEADING;
    size_t width = (size_t)sl_style_width(t->style);
    size_t used = 0;
    const char *text;
    int tone;
    for (size_t at = 0; sl_doc_next_text(t->doc, block, &at, &tone, &text);) {
        size_t columns = sl_text_columns(text);
        bool breaks = block->kind == SL_DOC_VERDICT && used > 0 && used + columns > width;
        if (breaks) { /* between its texts alone: each keeps its tone */
            note(t, sl_style_end_line(t->out));
            note(t, sl_buf_printf(t->out, "  "));
        }
        used = (breaks ? 2 : used) + columns;
        note(t, sl_style_put(t->out, t->style, strong ? SL_TONE_STRONG : tone, text));
    }
    note(t, sl_style_end_line(t->out));
}

static void put_block(struct terminal *t, const struct sl_doc_block *block)
{
    switch (block->kind) {
    case SL_DOC_TABLE:
        note(t, sl_table_show(t->out, t->style, block->table));
        break;
    case SL_DOC_FIGURE:
    case SL_DOC_LINKS:
        break;
    case SL_DOC_STEP:
        put_step(t, block);
        break;
    case SL_DOC_ITEM:
    case SL_DOC_SENTENCE:
    case SL_DOC_NOTE:
        put_sentence(t, block);
        break;
    default:
        put_line(t, block);
    }
}

int sl_doc_text(struct sl_buf *out, const struct sl_style *style, const struct sl_doc *doc)
{
    struct terminal t = {.out = out, .style = style, .doc = doc, .error = doc->error};
    for (size_t i = 0; i < doc->count && t.error == 0; i++)
        put_block(&t, &doc->blocks[i]);
    return t.error;
}
