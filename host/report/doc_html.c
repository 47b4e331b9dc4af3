/* host/report/doc_html.c: a document as one page. */
#include <stdio.h>

#include "host/report/doc.h"
#include "host/report/style.h"
#include "host/report/table.h"

static const char style[] =
    ":root{color-scheme:light}"
    "body{font:15px/1.5 system-ui,sans-serif;color:#111;background:#fff;max-width:60rem;"
    "margin:2rem auto;padding:0 1rem}"
    "h1{font-size:1.5rem;line-height:1.25;margin:0 0 1rem;overflow-wrap:anywhere}"
    "h2{font-size:1.15rem;margin:2.2rem 0 .4rem}"
    ".verdict{border:1px solid #bbb;border-left:8px solid #555;padding:.7rem 1rem;margin:0 0 1rem}"
    ".verdict strong{font-size:1.25rem}.verdict ul{margin:.5rem 0 0;padding-left:1.2rem}"
    ".faster,.equivalent{border-left-color:#0072b2}.slower,.wrong{border-left-color:#d55e00}"
    ".banner{background:#fff4d6;border:1px solid #c79a00;padding:.5rem 1rem;margin:0 0 1rem}"
    ".note{color:#444;font-size:.87rem;margin:.2rem 0 .5rem}";
static const char style_of_tables[] =
    "table{border-collapse:collapse;width:100%;font-size:.87rem}.wide{overflow-x:auto}"
    "th,td{text-align:left;padding:.28rem .6rem;border-bottom:1px solid #ddd;vertical-align:top;"
    "overflow-wrap:break-word}"
    "th{border-bottom:2px solid #555;white-space:nowrap}"
    ".r{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}"
    "svg{width:100%;height:auto;margin:.5rem 0 .8rem}"
    "pre{background:#f4f4f4;padding:.7rem;white-space:pre-wrap;overflow-wrap:anywhere;"
    "font-size:.85rem}"
    "details summary{cursor:pointer;color:#333;margin:.3rem 0}"
    "@media print{body{margin:0;max-width:none;font-size:11pt}h2{break-after:avoid}"
    "svg,tr{break-inside:avoid}}";

struct page {
    struct sl_markup m;
    const struct sl_doc *doc;
    bool in_section, in_verdict, in_list;
    int next; /* kind of the block behind this one; -1: none */
};

static void put_texts(struct page *p, const struct sl_doc_block *block)
{
    static const struct {
        const char *before, *after;
    } frames[] = {[SL_TONE_PLAIN] = {"", ""},
                  [SL_TONE_STRONG] = {"<b>", "</b>"},
                  [SL_TONE_GOOD] = {"<b>", "</b>"},
                  [SL_TONE_BAD] = {"<b>", "</b>"},
                  [SL_TONE_FAINT] = {"<span class=\"note\">", "</span>"},
                  [SL_TONE_CODE] = {"<code>", "</code>"},
                  [SL_TONE_RULE] = {". <span class=\"note\">(rule ", ")</span>"}};
    const char *text;
    int tone;
    for (size_t at = 0; sl_doc_next_text(p->doc, block, &at, &tone, &text);) {
        sl_markup_put(&p->m, "%s", frames[tone].before);
        sl_markup_text(&p->m, text);
        sl_markup_put(&p->m, "%s", frames[tone].after);
    }
}

static void put_title(struct page *p, const struct sl_doc_block *block)
{
    sl_markup_put(&p->m, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                         "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
                         "'none'; style-src 'unsafe-inline'\">\n<title>");
    put_texts(p, block);
    sl_markup_put(&p->m, "</title>\n<style>%s", style);
    sl_markup_put(&p->m, "%s</style></head>\n<body>\n<h1>", style_of_tables);
    put_texts(p, block);
    sl_markup_put(&p->m, "</h1>\n");
}

/* Ends what the block does not belong to. */
static void leave(struct page *p, int kind)
{
    if (p->in_verdict && kind != SL_DOC_ITEM) {
        sl_markup_put(&p->m, "%s</div>\n", p->in_list ? "</ul>" : "");
        p->in_verdict = p->in_list = false;
    }
    if (p->in_section && kind == SL_DOC_HEADING) {
        sl_markup_put(&p->m, "</section>\n");
        p->in_section = false;
    }
}

static void put_heading(struct page *p, const struct sl_doc_block *block)
{
    sl_markup_put(&p->m, "<section id=\"%s\"><h2>", block->name);
    put_texts(p, block);
    sl_markup_put(&p->m, "</h2>%s", p->next == SL_DOC_STEP ? "" : "\n");
    p->in_section = true;
}

static void put_verdict(struct page *p, const struct sl_doc_block *block)
{
    sl_markup_put(&p->m, "<div class=\"verdict%s%s\"><strong>", block->name ? " " : "",
                  block->name ? block->name : "");
    put_texts(p, block);
    sl_markup_put(&p->m, "</strong>");
    p->in_verdict = true;
}

static void put_item(struct page *p, const struct sl_doc_block *block)
{
    sl_markup_put(&p->m, "%s<li>", p->in_list ? "" : "<ul>\n");
    put_texts(p, block);
    sl_markup_put(&p->m, "</li>\n");
    p->in_list = true;
}

static void put_paragraph(struct page *p, const struct sl_doc_block *block, const char *element)
{
    sl_markup_put(&p->m, "<%s", element);
    if (block->name)
        sl_markup_put(&p->m, " class=\"%s\"", block->name);
    sl_markup_put(&p->m, ">");
    put_texts(p, block);
    sl_markup_put(&p->m, "</%s>%s", element, p->next < 0 ? "" : "\n");
}

static void put_block(struct page *p, const struct sl_doc_block *block)
{
    if (block->kind == SL_DOC_LINE && block->size == 0)
        return;
    leave(p, block->kind);
    switch (block->kind) {
    case SL_DOC_TITLE:
        put_title(p, block);
        break;
    case SL_DOC_HEADING:
        put_heading(p, block);
        break;
    case SL_DOC_VERDICT:
        put_verdict(p, block);
        break;
    case SL_DOC_ITEM:
        put_item(p, block);
        break;
    case SL_DOC_COMMAND:
        put_paragraph(p, block, "pre");
        break;
    case SL_DOC_TABLE:
        sl_table_html(&p->m, block->table);
        break;
    case SL_DOC_FIGURE:
        if (p->m.error == 0)
            p->m.error = sl_buf_append(p->m.out, p->doc->figures.data + block->first, block->size);
        break;
    default:
        put_paragraph(p, block, "p");
    }
}

int sl_doc_html(struct sl_buf *out, const struct sl_doc *doc)
{
    struct page page = {.m = {.out = out}, .doc = doc};
    if (doc->error < 0 || doc->drawing.error < 0) /* a block may lack its table */
        return doc->error < 0 ? doc->error : doc->drawing.error;
    for (size_t i = 0; i < doc->count; i++) {
        page.next = i + 1 < doc->count ? doc->blocks[i + 1].kind : -1;
        put_block(&page, &doc->blocks[i]);
    }
    leave(&page, SL_DOC_HEADING);
    sl_markup_put(&page.m, "</body></html>\n");
    return page.m.error;
}
