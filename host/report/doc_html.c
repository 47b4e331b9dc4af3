/* host/report/doc_html.c: a document as one page. */
#include <stdio.h>

#include "common/base/digest.h"
#include "host/report/doc.h"
#include "host/report/style.h"
#include "host/report/table.h"

/* page.css, page.js and live.js, put in by the build (scripts/cmake/SlEmbed.cmake). */
extern const unsigned char sl_page_css[], sl_page_js[], sl_live_js[];
extern const unsigned long sl_page_css_size, sl_page_js_size, sl_live_js_size;

struct page {
    struct sl_markup m;
    const struct sl_doc *doc;
    bool in_section, in_verdict;
    const char *list; /* element of the list that is open in the verdict; NULL: none */
    int next;         /* kind of the block behind this one; -1: none */
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

static void put_script(struct sl_markup *m, const void *script, size_t size)
{
    sl_markup_put(m, "<script>");
    sl_markup_raw(m, script, size);
    sl_markup_put(m, "</script>\n");
}

/* Names a script that may run. */
static void allow_script(struct sl_markup *m, const void *script, size_t size)
{
    char hash[SL_SHA256_BASE64_SIZE];
    sl_sha256_base64(script, size, hash);
    sl_markup_put(m, " 'sha256-%s'", hash);
}

/* Nothing but the page's own scripts may run, whatever texts of files have in them. */
static void put_policy(struct page *p)
{
    sl_markup_put(&p->m, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
                         "'none'; style-src 'unsafe-inline'; script-src");
    allow_script(&p->m, sl_page_js, sl_page_js_size);
    if (p->doc->live)
        allow_script(&p->m, sl_live_js, sl_live_js_size);
    sl_markup_put(&p->m, "%s\">\n", p->doc->live ? "; connect-src 'self'" : "");
}

static void put_title(struct page *p, const struct sl_doc_block *block)
{
    sl_markup_put(&p->m,
                  "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n");
    put_policy(p);
    sl_markup_put(&p->m, "<title>");
    put_texts(p, block);
    sl_markup_put(&p->m, "</title>\n<style>\n");
    sl_markup_raw(&p->m, sl_page_css, sl_page_css_size);
    sl_markup_put(&p->m, "</style></head>\n<body>\n<h1>");
    put_texts(p, block);
    sl_markup_put(&p->m, "</h1>\n");
}

static void end_list(struct page *p)
{
    if (p->list)
        sl_markup_put(&p->m, "</%s>", p->list);
    p->list = NULL;
}

static bool belongs_to_verdict(int kind)
{
    return kind == SL_DOC_FACT || kind == SL_DOC_STEP || kind == SL_DOC_ITEM;
}

static bool begins_section(int kind)
{
    return kind == SL_DOC_HEADING || kind == SL_DOC_FOLDED;
}

/* Ends what the block does not belong to. */
static void leave(struct page *p, int kind)
{
    if (p->in_verdict && !belongs_to_verdict(kind)) {
        end_list(p);
        sl_markup_put(&p->m, "</div>\n");
        p->in_verdict = false;
    }
    if (p->in_section && begins_section(kind)) {
        sl_markup_put(&p->m, "</details></section>\n");
        p->in_section = false;
    }
}

static void put_heading(struct page *p, const struct sl_doc_block *block)
{
    sl_markup_put(&p->m, "<section id=\"%s\"><details%s><summary><h2>", block->name,
                  block->kind == SL_DOC_FOLDED ? "" : " open");
    put_texts(p, block);
    sl_markup_put(&p->m, "</h2></summary>\n");
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

static void begin_list(struct page *p, const char *element)
{
    if (p->list != element) {
        end_list(p);
        sl_markup_put(&p->m, "<%s>\n", element);
    }
    p->list = element;
}

static void put_item(struct page *p, const struct sl_doc_block *block)
{
    static const char items[] = "ul", facts[] = "dl";
    bool fact = block->kind == SL_DOC_FACT;
    begin_list(p, fact ? facts : items);
    if (fact)
        sl_markup_put(&p->m, "<dt>%s</dt><dd>", block->name);
    else
        sl_markup_put(&p->m, "<li>");
    put_texts(p, block);
    sl_markup_put(&p->m, fact ? "</dd>\n" : "</li>\n");
}

/* Among the facts of the verdict a step is what to do about it. */
static void put_step(struct page *p, const struct sl_doc_block *block)
{
    if (p->in_verdict)
        end_list(p);
    sl_markup_put(&p->m, p->in_verdict ? "<p class=\"step\"><b>Next:</b> " : "<p>");
    put_texts(p, block);
    sl_markup_put(&p->m, "</p>\n");
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

static void put_links(struct page *p, const struct sl_doc_block *block)
{
    const char *href, *name;
    int tone;
    sl_markup_put(&p->m, "<nav>");
    for (size_t at = 0; sl_doc_next_text(p->doc, block, &at, &tone, &href) &&
                        sl_doc_next_text(p->doc, block, &at, &tone, &name);) {
        sl_markup_put(&p->m, "<a href=\"");
        sl_markup_text(&p->m, href);
        sl_markup_put(&p->m, "\">");
        sl_markup_text(&p->m, name);
        sl_markup_put(&p->m, "</a> ");
    }
    sl_markup_put(&p->m, "</nav>\n");
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
    case SL_DOC_FOLDED:
        put_heading(p, block);
        break;
    case SL_DOC_VERDICT:
        put_verdict(p, block);
        break;
    case SL_DOC_FACT:
    case SL_DOC_ITEM:
        put_item(p, block);
        break;
    case SL_DOC_STEP:
        put_step(p, block);
        break;
    case SL_DOC_COMMAND:
        put_paragraph(p, block, "pre");
        break;
    case SL_DOC_LINKS:
        put_links(p, block);
        break;
    case SL_DOC_TABLE:
        sl_table_html(&p->m, block->table);
        break;
    case SL_DOC_FIGURE:
        sl_markup_raw(&p->m, p->doc->figures.data + block->first, block->size);
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
    put_script(&page.m, sl_page_js, sl_page_js_size);
    if (doc->live)
        put_script(&page.m, sl_live_js, sl_live_js_size);
    sl_markup_put(&page.m, "</body></html>\n");
    return page.m.error;
}
