/* host/report/doc.h: what a report says, before it is shown: headings, sentences, tables, figures.
 * A content is written down once; doc_md.c, doc_html.c and doc_text.c show it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "common/base/buf.h"
#include "host/report/markup.h"

struct sl_table;
struct sl_style;

/* The medium: a ticket is short Markdown, a page has everything with its figures. */
enum sl_doc_medium { SL_DOC_TICKET, SL_DOC_PAGE, SL_DOC_TERMINAL };

enum sl_doc_kind {
    SL_DOC_TITLE,    /* of the whole */
    SL_DOC_HEADING,  /* begins a section; its name is the section's, for links */
    SL_DOC_FOLDED,   /* the same; on a page it is folded at first */
    SL_DOC_VERDICT,  /* what came out; its name is the verdict's; facts, a step, items may follow */
    SL_DOC_FACT,     /* what it is of, at first sight: its name is what the text is */
    SL_DOC_ITEM,     /* of a list */
    SL_DOC_SENTENCE, /* a paragraph */
    SL_DOC_LINE,     /* the same, but not broken on a terminal; without texts a gap there */
    SL_DOC_NOTE,     /* a condition of all that follows; named "note" or "banner" */
    SL_DOC_STEP,     /* what to do next: the sentence, then the rule that says so */
    SL_DOC_COMMAND,  /* to be copied */
    SL_DOC_LINKS,    /* where to go from here: texts in pairs (sl_doc_link()); not on a terminal */
    SL_DOC_TABLE,
    SL_DOC_FIGURE
};

struct sl_doc_block {
    int kind;
    const char *name;       /* static; NULL: none */
    size_t first, size;     /* bytes of the document's texts, or of its figures */
    struct sl_table *table; /* owned */
};

struct sl_doc {
    int medium;
    bool live; /* a page of the daemon's: its script reads the page again when the lab changes */
    struct sl_doc_block *blocks; /* owned */
    size_t count, capacity;
    struct sl_buf texts;      /* each a byte of tone, then its characters and '\0' */
    struct sl_buf figures;    /* SVG */
    struct sl_markup drawing; /* into the figures */
    int error;                /* 0, SL_E_LIMIT or -ENOMEM: sticks */
};

void sl_doc_init(struct sl_doc *doc, int medium);
void sl_doc_fini(struct sl_doc *doc);

/* Begins a block; texts go to the block begun last. `tone` is of host/report/style.h. */
void sl_doc_begin(struct sl_doc *doc, int kind, const char *name);
__attribute__((format(printf, 3, 4))) void sl_doc_put(struct sl_doc *doc, int tone,
                                                      const char *format, ...);
/* A block of one plain text. */
__attribute__((format(printf, 4, 5))) void sl_doc_say(struct sl_doc *doc, int kind,
                                                      const char *name, const char *format, ...);
/* A link of a block of links: a path of ours, encoded (host/spec/url.h), and its name. */
void sl_doc_link(struct sl_doc *doc, const char *href, const char *name);
/* Moves a table in. */
void sl_doc_table(struct sl_doc *doc, struct sl_table *table);
/* A figure to draw. */
struct sl_markup *sl_doc_figure(struct sl_doc *doc);

/* The text of a block at *at, which moves on; false behind the last. */
bool sl_doc_next_text(const struct sl_doc *doc, const struct sl_doc_block *block, size_t *at,
                      int *out_tone, const char **out_text);

/* Each returns 0, SL_E_LIMIT or -ENOMEM, the document's own error too. */
int sl_doc_md(struct sl_buf *out, const struct sl_doc *doc);
/* One page that needs no other file and, unless it is live, no network; a script of its own sorts
 * and searches tables, without which it says all the same. */
int sl_doc_html(struct sl_buf *out, const struct sl_doc *doc);
/* On a terminal; figures are left out. */
int sl_doc_text(struct sl_buf *out, const struct sl_style *style, const struct sl_doc *doc);
