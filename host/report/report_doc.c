/* host/report/report_doc.c: a run's report as a document. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/analysis/agreement.h"
#include "host/analysis/comparison.h"
#include "host/analysis/verdict.h"
#include "host/report/analysis.h"
#include "host/report/comparison.h"
#include "host/report/doc.h"
#include "host/report/element_type.h"
#include "host/report/next_step.h"
#include "host/report/plot.h"
#include "host/report/plugin_figures.h"
#include "host/report/reach_report.h"
#include "host/report/report.h"
#include "host/report/run_estimates.h"
#include "host/report/source_lines.h"
#include "host/report/style.h"
#include "host/report/table.h"

enum { PAGE_OPERATORS = 100, TICKET_OPERATORS = 30, SENTENCE_BYTES = 320 };

/* Sections of a page that few read: they are folded at first. */
static const char *const folded[] = {"work", "runs", "conditions", "artifacts"};

typedef void (*plot_fn)(struct sl_markup *m, const struct sl_report *report);

static bool is_page(const struct sl_doc *doc)
{
    return doc->medium == SL_DOC_PAGE;
}

static void put_table(struct sl_doc *doc, const struct sl_report *report, plot_fn plot,
                      struct sl_table *table)
{
    bool fold = false;
    for (size_t i = 0; i < sizeof(folded) / sizeof(folded[0]); i++)
        fold = fold || strcmp(folded[i], table->id) == 0;
    sl_doc_say(doc, fold ? SL_DOC_FOLDED : SL_DOC_HEADING, table->id, "%s", table->title);
    if (plot && is_page(doc))
        plot(sl_doc_figure(doc), report);
    sl_doc_table(doc, table);
}

static void put_step(struct sl_doc *doc, const struct sl_report *report)
{
    struct sl_next_step step;
    sl_next_step_find(report->comparison, &step);
    sl_doc_say(doc, SL_DOC_STEP, NULL, "%s", step.text);
    sl_doc_put(doc, SL_TONE_RULE, "%s", step.rule);
}

static void put_agreement(struct sl_doc *doc, const char *what, const struct sl_agreement *a)
{
    char more[SL_AGREEMENT_TEXT_BYTES];
    if (!a) {
        sl_doc_say(doc, SL_DOC_ITEM, NULL, "%s: not compared", what);
        return;
    }
    sl_doc_say(doc, SL_DOC_ITEM, NULL, "%s: ", what);
    sl_doc_put(doc, a->agree ? SL_TONE_PLAIN : SL_TONE_STRONG, a->agree ? "agree" : "differ");
    sl_doc_put(doc, SL_TONE_PLAIN, "; largest difference %.3g, %.3g of the peak (up to %.0e)%s",
               a->max_abs, a->max_rel, a->tolerance, sl_agreement_more_text(a, more));
}

/* A ticket has the conditions among the reasons, a page below them all. */
static void put_conditions(struct sl_doc *doc, const struct sl_report *report, bool page)
{
    char text[SENTENCE_BYTES];
    if (is_page(doc) != page)
        return;
    sl_report_conditions(report, text, sizeof(text));
    sl_doc_say(doc, page ? SL_DOC_NOTE : SL_DOC_ITEM,
               report->comparison->emulated ? "banner" : "note", "%s", text);
}

/* A fact that a page has at first sight; nothing where it is not known. */
static void put_fact(struct sl_doc *doc, const char *name, const char *value)
{
    if (value && value[0])
        sl_doc_say(doc, SL_DOC_FACT, name, "%s", value);
}

/* The verdict's grounds and the next step stand right below it, before all that explains it. */
static void put_first_screen(struct sl_doc *doc, const struct sl_report *report)
{
    char text[SENTENCE_BYTES];
    if (!is_page(doc))
        return;
    put_fact(doc, "Device", report->device);
    const char *vectors = NULL;
    for (size_t i = 0; i < report->fact_count; i++)
        if (strcmp(report->facts[i].name, SL_REPORT_VECTORS) == 0)
            vectors = report->facts[i].value;
    snprintf(text, sizeof(text), "%u bits", report->comparison->svl_bits);
    put_fact(doc, SL_REPORT_VECTORS, report->comparison->svl_bits > 0 ? text : vectors);
    sl_element_types(&report->comparison->baseline->attribution, text, sizeof(text));
    put_fact(doc, "Type", text);
    put_fact(doc, "Threads", report->threads);
    put_fact(doc, "Runtime", sl_comparison_whose(report->comparison));
    put_step(doc, report);
}

static void put_verdict(struct sl_doc *doc, const struct sl_report *report)
{
    const struct sl_comparison *c = report->comparison->comparison;
    char text[SENTENCE_BYTES];
    sl_report_title(report, text, sizeof(text));
    sl_doc_say(doc, SL_DOC_TITLE, NULL, "%s: %.300s", text, report->model);
    if (!is_page(doc))
        sl_doc_say(doc, SL_DOC_HEADING, "summary", "Summary");
    sl_report_verdict(report, text, sizeof(text));
    sl_doc_say(doc, SL_DOC_VERDICT, sl_verdict_name(c), "%s", text);
    put_first_screen(doc, report);
    for (size_t i = 0; i < c->reason_count; i++)
        sl_doc_say(doc, SL_DOC_ITEM, NULL, "because %s", c->reasons[i]);
    put_conditions(doc, report, false);
    if (isfinite(c->sign_low) && c->low != c->sign_low)
        sl_doc_say(doc, SL_DOC_ITEM, NULL, "exact interval by signs: %.3f to %.3f", c->sign_low,
                   c->sign_high);
    if (c->method != SL_METHOD_EXACT)
        sl_doc_say(doc, SL_DOC_ITEM, NULL, "method %s, %u resamples, seed %llu",
                   sl_comparison_method_name(c->method), c->iterations,
                   (unsigned long long)c->seed);
    put_agreement(doc, "Outputs, on against off", report->comparison->agreement);
    put_agreement(doc, "Outputs, off against the portable kernels", report->off_portable);
    put_agreement(doc, "Outputs, on against the portable kernels", report->on_portable);
    if (report->off_expected)
        put_agreement(doc, "Outputs, off against the expected ones", report->off_expected);
    if (report->on_expected)
        put_agreement(doc, "Outputs, on against the expected ones", report->on_expected);
    put_conditions(doc, report, true);
}

/* The headroom in words. */
static void put_reach_words(struct sl_doc *doc, const struct sl_analysis *candidate)
{
    char text[SENTENCE_BYTES];
    sl_reach_words(candidate->reach, candidate->attribution.unit, text, sizeof(text));
    sl_doc_say(doc, SL_DOC_SENTENCE, NULL, "%s. %s", text, candidate->reach->note);
}

static void put_reach(struct sl_doc *doc, const struct sl_analysis *candidate, size_t most)
{
    struct sl_table table;
    if (!candidate->reach)
        return;
    sl_reach_table(candidate->reach, candidate->attribution.unit, most, &table);
    sl_doc_say(doc, SL_DOC_HEADING, table.id, "%s", table.title);
    if (is_page(doc))
        put_reach_words(doc, candidate);
    sl_doc_table(doc, &table);
    if (!is_page(doc))
        put_reach_words(doc, candidate);
}

static void put_warnings(struct sl_doc *doc, const struct sl_analysis *analysis, const char *side)
{
    for (size_t i = 0; i < analysis->attribution.warning_count; i++)
        sl_doc_say(doc, is_page(doc) ? SL_DOC_SENTENCE : SL_DOC_ITEM, NULL, "%s, %s: %s",
                   is_page(doc) ? "Warning" : "warning", side, analysis->attribution.warnings[i]);
}

static void put_end(struct sl_doc *doc, const struct sl_report *report)
{
    struct sl_table table;
    sl_report_steps(report, &table);
    bool several = !sl_table_is_empty(&table);
    sl_doc_say(doc, SL_DOC_HEADING, "next", several ? "Next steps" : "Next step");
    if (several)
        sl_doc_table(doc, &table);
    else
        put_step(doc, report);
    if (!several)
        sl_table_fini(&table);
    put_warnings(doc, report->comparison->baseline, sl_report_side(report, 0));
    put_warnings(doc, report->comparison->candidate, sl_report_side(report, 1));
    sl_doc_say(doc, SL_DOC_HEADING, "reproduce", "How to reproduce");
    if (report->command)
        sl_doc_say(doc, SL_DOC_COMMAND, NULL, "%s", report->command);
    sl_doc_begin(doc, SL_DOC_SENTENCE, NULL);
    sl_doc_put(doc, SL_TONE_CODE, "sme2lab validate DIR");
    sl_doc_put(doc, SL_TONE_PLAIN,
               " computes every number of this directory again from its ETDumps.");
}

static void put_facts(struct sl_doc *doc, const struct sl_report *report)
{
    struct sl_table table;
    sl_report_facts(report, &table);
    put_table(doc, report, NULL, &table);
}

/* Counted runs show what time the silicon would take, and what it is spent on. */
static void put_estimates(struct sl_doc *doc, const struct sl_report *report, size_t most)
{
    const struct cJSON *estimates = report->comparison->estimates;
    struct sl_table table;
    if (!sl_report_estimates_any(estimates))
        return;
    const struct sl_attribution *const names[2] = {&report->comparison->baseline->attribution,
                                                   &report->comparison->candidate->attribution};
    sl_report_estimates_table(estimates, names, false, &table);
    put_table(doc, report, NULL, &table);
    sl_report_estimates_bounds(estimates, false, &table);
    put_table(doc, report, sl_plot_bounds, &table);
    sl_report_estimates_threads(estimates, names, &table);
    put_table(doc, report, NULL, &table);
    for (size_t i = 0; sl_report_estimates_operators(estimates, i, most, false, &table); i++)
        put_table(doc, report, NULL, &table);
}

static void put_plugins(struct sl_doc *doc, const struct sl_report *report)
{
    const char *const sides[] = {sl_report_side(report, 0), sl_report_side(report, 1)};
    struct sl_table table;
    if (!sl_plugin_figures_any(report->comparison->plugins))
        return;
    sl_plugin_figures_table(report->comparison->plugins, sides, &table);
    put_table(doc, report, NULL, &table);
}

static void put_figures(struct sl_doc *doc, const struct sl_report *report)
{
    size_t most = is_page(doc) ? PAGE_OPERATORS : TICKET_OPERATORS;
    struct sl_table table;
    sl_report_figures(report, &table);
    put_table(doc, report, sl_plot_histogram, &table);
    sl_report_shift(report, &table);
    put_table(doc, report, sl_plot_categories, &table);
    sl_report_operators(report, most, &table);
    put_table(doc, report, sl_plot_waterfall, &table);
    const char *const names[] = {sl_report_side(report, 0), sl_report_side(report, 1)};
    if (sl_source_lines_table(report->comparison, names, &table))
        put_table(doc, report, NULL, &table);
    if (sl_report_scatter(report, most, &table))
        put_table(doc, report, sl_plot_scatter, &table);
    put_estimates(doc, report, most);
    put_plugins(doc, report);
    put_reach(doc, report->comparison->candidate, most);
    sl_report_proof(report, &table);
    put_table(doc, report, NULL, &table);
    if (sl_report_looks(report, &table))
        put_table(doc, report, NULL, &table);
    if (sl_report_sustained(report, &table))
        put_table(doc, report, sl_plot_time, &table);
}

/* A ticket says first what was measured; a page has room for every run. */
static void fill(struct sl_doc *doc, const struct sl_report *report)
{
    struct sl_table table;
    put_verdict(doc, report);
    if (!is_page(doc))
        put_facts(doc, report);
    put_figures(doc, report);
    if (is_page(doc)) {
        sl_report_runs(report, &table);
        put_table(doc, report, sl_plot_runs, &table);
        put_facts(doc, report);
    }
    if (report->artifact_count > 0) {
        sl_report_artifacts(report, &table);
        put_table(doc, report, NULL, &table);
    }
    put_end(doc, report);
}

static int show(struct sl_buf *out, const struct sl_report *report, int medium)
{
    struct sl_doc doc;
    sl_doc_init(&doc, medium);
    fill(&doc, report);
    int rc = medium == SL_DOC_PAGE ? sl_doc_html(out, &doc) : sl_doc_md(out, &doc);
    sl_doc_fini(&doc);
    return rc;
}

int sl_report_md(struct sl_buf *out, const struct sl_report *report)
{
    return show(out, report, SL_DOC_TICKET);
}

int sl_report_html(struct sl_buf *out, const struct sl_report *report)
{
    return show(out, report, SL_DOC_PAGE);
}
