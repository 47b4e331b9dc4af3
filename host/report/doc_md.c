/* host/report/doc_md.c: a document as Markdown. */
#include "host/report/doc.h"
#include "host/report/style.h"
#include "host/report/table.h"

enum { COMMAND_BYTES = 1500 };

static void put_text(struct sl_markup *m, int tone, const char *text)
{
    bool rule = tone == SL_TONE_RULE;
    const char *around = tone == SL_TONE_STRONG ? "**" : rule || tone == SL_TONE_CODE ? "`" : "";
    sl_markup_put(m, "%s%s", rule ? ". (rule " : "", around);
    sl_markup_md(m, text);
    sl_markup_put(m, "%s%s", around, rule ? ")" : "");
}

static void put_texts(struct sl_markup *m, const struct sl_doc *doc,
                      const struct sl_doc_block *block)
{
    const char *text;
    int tone;
    for (size_t at = 0; sl_doc_next_text(doc, block, &at, &tone, &text);)
        if (block->kind == SL_DOC_COMMAND)
            sl_markup_put(m, "%.*s", COMMAND_BYTES, text);
        else
            put_text(m, tone, text);
}

static void put_links(struct sl_markup *m, const struct sl_doc *doc,
                      const struct sl_doc_block *block)
{
    const char *href, *name;
    int tone;
    for (size_t at = 0; sl_doc_next_text(doc, block, &at, &tone, &href) &&
                        sl_doc_next_text(doc, block, &at, &tone, &name);) {
        sl_markup_put(m, "[");
        sl_markup_md(m, name);
        sl_markup_put(m, "](%s) ", href);
    }
}

/* The text before and after a block; a paragraph's empty line comes with the next block. */
static const struct {
    const char *before, *after;
} frames[] = {
    [SL_DOC_TITLE] = {"# ", "\n\n"},     [SL_DOC_HEADING] = {"## ", "\n\n"},
    [SL_DOC_FOLDED] = {"## ", "\n\n"},   [SL_DOC_FACT] = {"- ", "\n"},
    [SL_DOC_VERDICT] = {"**", "**\n\n"}, [SL_DOC_ITEM] = {"- ", "\n"},
    [SL_DOC_SENTENCE] = {"", "\n"},      [SL_DOC_LINE] = {"", "\n"},
    [SL_DOC_NOTE] = {"", "\n"},          [SL_DOC_STEP] = {"", "\n"},
    [SL_DOC_COMMAND] = {"    ", "\n\n"}, [SL_DOC_LINKS] = {"", "\n\n"},
};

static bool leaves_line_open(int kind)
{
    return kind == SL_DOC_SENTENCE || kind == SL_DOC_LINE || kind == SL_DOC_NOTE ||
           kind == SL_DOC_STEP;
}

static bool is_listed(int kind)
{
    return kind == SL_DOC_ITEM || kind == SL_DOC_FACT;
}

int sl_doc_md(struct sl_buf *out, const struct sl_doc *doc)
{
    struct sl_markup m = {.out = out};
    if (doc->error < 0) /* a block may lack its table */
        return doc->error;
    for (size_t i = 0; i < doc->count; i++) {
        const struct sl_doc_block *block = &doc->blocks[i];
        int before = i > 0 ? doc->blocks[i - 1].kind : SL_DOC_TITLE;
        if (leaves_line_open(before) || (is_listed(before) && !is_listed(block->kind)))
            sl_markup_put(&m, "\n");
        if (block->kind == SL_DOC_FIGURE || (block->kind == SL_DOC_LINE && block->size == 0))
            continue;
        if (block->kind == SL_DOC_TABLE) {
            sl_table_md(&m, block->table);
            continue;
        }
        sl_markup_put(&m, "%s", frames[block->kind].before);
        if (block->kind == SL_DOC_FACT)
            sl_markup_put(&m, "%s: ", block->name);
        if (block->kind == SL_DOC_LINKS)
            put_links(&m, doc, block);
        else
            put_texts(&m, doc, block);
        sl_markup_put(&m, "%s", frames[block->kind].after);
    }
    return m.error;
}
