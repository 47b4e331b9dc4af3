/* host/report/combined_doc.c: many comparisons as a document. */
#include "host/report/combined.h"
#include "host/report/doc.h"
#include "host/report/runtime_gap.h"
#include "host/report/runtime_outputs.h"
#include "host/report/table.h"

enum { TEXT_BYTES = 512 };

static void put_gaps(const struct sl_combined *combined, struct sl_table *out)
{
    sl_runtime_gap_table(combined->reports, combined->count, out);
}

static size_t count_gaps(const struct sl_combined *combined)
{
    return sl_runtime_gap_count(combined->reports, combined->count);
}

static void put_outputs(const struct sl_combined *combined, struct sl_table *out)
{
    sl_runtime_outputs_table(combined->reports, combined->count, out);
}

static size_t count_outputs(const struct sl_combined *combined)
{
    return sl_runtime_outputs_count(combined->reports, combined->count);
}

/* Sections, and how many comparisons each is of; NULL: of all. */
static const struct section {
    void (*table)(const struct sl_combined *combined, struct sl_table *out);
    size_t (*count)(const struct sl_combined *combined);
    void (*plot)(struct sl_markup *m, const struct sl_combined *combined);
} sections[] = {
    {sl_combined_figures, NULL, sl_plot_ratios},
    {sl_combined_processes_table, sl_combined_processes_count, NULL},
    {sl_combined_sweeps, sl_combined_sweep_count, sl_plot_sweeps},
    {sl_combined_contentions, sl_combined_contention_count, sl_plot_contention},
    {sl_combined_costs, sl_combined_cost_count, NULL},
    {sl_combined_plugins, sl_combined_plugins_count, NULL},
    {put_gaps, count_gaps, NULL},
    {put_outputs, count_outputs, NULL},
    {sl_combined_shares, NULL, sl_plot_shares},
    {sl_combined_steps, NULL, NULL},
};

static void fill(struct sl_doc *doc, const struct sl_combined *combined)
{
    struct sl_table table;
    char text[TEXT_BYTES];
    sl_combined_summary(combined, text, sizeof(text));
    sl_doc_say(doc, SL_DOC_TITLE, NULL, "Combined report");
    sl_doc_say(doc, SL_DOC_VERDICT, NULL, "%s", text);
    for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
        if (sections[i].count && sections[i].count(combined) == 0)
            continue;
        sections[i].table(combined, &table);
        sl_doc_say(doc, SL_DOC_HEADING, table.id, "%s", table.title);
        if (sections[i].plot && doc->medium == SL_DOC_PAGE)
            sections[i].plot(sl_doc_figure(doc), combined);
        sl_doc_table(doc, &table);
    }
}

static int show(struct sl_buf *out, const struct sl_combined *combined, int medium)
{
    struct sl_doc doc;
    sl_doc_init(&doc, medium);
    fill(&doc, combined);
    int rc = medium == SL_DOC_PAGE ? sl_doc_html(out, &doc) : sl_doc_md(out, &doc);
    sl_doc_fini(&doc);
    return rc;
}

int sl_combined_md(struct sl_buf *out, const struct sl_combined *combined)
{
    return show(out, combined, SL_DOC_TICKET);
}

int sl_combined_html(struct sl_buf *out, const struct sl_combined *combined)
{
    return show(out, combined, SL_DOC_PAGE);
}
