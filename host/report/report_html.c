/* host/report/report_html.c: a report as one page. */
#include <math.h>
#include <stdio.h>

#include "common/base/buf.h"
#include "host/analysis/agreement.h"
#include "host/analysis/comparison.h"
#include "host/report/analysis.h"
#include "host/report/comparison.h"
#include "host/report/markup.h"
#include "host/report/next_step.h"
#include "host/report/page.h"
#include "host/report/page_table.h"
#include "host/report/plot.h"
#include "host/report/reach_report.h"
#include "host/report/report.h"

enum { HTML_OPERATORS = 100, SENTENCE_BYTES = 320 };

typedef void (*plot_fn)(struct sl_markup *m, const struct sl_report *report);

/* A section: title, plot if any, table; ends the table. */
static void put_section(struct sl_markup *m, const struct sl_report *report, plot_fn plot,
                        struct sl_page_table *table)
{
    sl_markup_put(m, "<section id=\"%s\"><h2>%s</h2>\n", table->id, table->title);
    if (plot)
        plot(m, report);
    sl_page_table_html(m, table);
    sl_markup_put(m, "</section>\n");
    sl_page_table_fini(table);
}

/* What the headroom comes to, in words. */
static void put_reach(struct sl_markup *m, const struct sl_report *report)
{
    const struct sl_analysis *candidate = report->comparison->candidate;
    char text[SENTENCE_BYTES];
    sl_reach_words(candidate->reach, candidate->attribution.unit, text, sizeof(text));
    sl_markup_put(m, "<p>");
    sl_markup_text(m, text);
    sl_markup_put(m, ". ");
    sl_markup_text(m, candidate->reach->note);
    sl_markup_put(m, "</p>\n");
}

static void put_agreement(struct sl_markup *m, const char *what, const struct sl_agreement *a)
{
    char odd[SL_AGREEMENT_TEXT_BYTES];
    if (a)
        sl_markup_put(m,
                      "<li>%s: %s; largest difference %.3g, %.3g of the peak (up to %.0e)%s</li>\n",
                      what, a->agree ? "agree" : "<b>differ</b>", a->max_abs, a->max_rel,
                      a->tolerance, sl_agreement_odd_text(a, odd));
    else
        sl_markup_put(m, "<li>%s: not compared</li>\n", what);
}

static void put_verdict(struct sl_markup *m, const struct sl_report *report)
{
    const struct sl_comparison *c = report->comparison->comparison;
    char text[SENTENCE_BYTES];
    sl_report_verdict(report, text, sizeof(text));
    sl_markup_put(m, "<div class=\"verdict %s\"><strong>", sl_verdict_name(c->verdict));
    sl_markup_text(m, text);
    sl_markup_put(m, "</strong><ul>\n");
    for (size_t i = 0; i < c->reason_count; i++) {
        sl_markup_put(m, "<li>because ");
        sl_markup_text(m, c->reasons[i]);
        sl_markup_put(m, "</li>\n");
    }
    if (isfinite(c->sign_low))
        sl_markup_put(m, "<li>exact interval by signs: %.3f to %.3f</li>\n", c->sign_low,
                      c->sign_high);
    if (c->method != SL_METHOD_EXACT)
        sl_markup_put(m, "<li>method %s, %u resamples, seed %llu</li>\n",
                      sl_comparison_method_name(c->method), c->iterations,
                      (unsigned long long)c->seed);
    put_agreement(m, "Outputs, on against off", report->comparison->agreement);
    put_agreement(m, "Outputs, off against the portable kernels", report->off_portable);
    put_agreement(m, "Outputs, on against the portable kernels", report->on_portable);
    sl_markup_put(m, "</ul></div>\n");
    sl_report_conditions(report, text, sizeof(text));
    sl_markup_put(m, "<p class=\"%s\">%s</p>\n", report->comparison->emulated ? "banner" : "note",
                  text);
}

static void put_head(struct sl_markup *m, const struct sl_report *report)
{
    char of[SENTENCE_BYTES];
    char title[2 * SENTENCE_BYTES];
    sl_report_title(report, of, sizeof(of));
    snprintf(title, sizeof(title), "%s: %.300s", of, report->model);
    sl_page_open(m, title);
    put_verdict(m, report);
}

static void put_warnings(struct sl_markup *m, const struct sl_analysis *analysis, const char *side)
{
    for (size_t i = 0; i < analysis->attribution.warning_count; i++) {
        sl_markup_put(m, "<p>Warning, ");
        sl_markup_text(m, side);
        sl_markup_put(m, ": ");
        sl_markup_text(m, analysis->attribution.warnings[i]);
        sl_markup_put(m, "</p>\n");
    }
}

static void put_end(struct sl_markup *m, const struct sl_report *report)
{
    struct sl_next_step step;
    sl_next_step_find(report->comparison, &step);
    sl_markup_put(m, "<section id=\"next\"><h2>Next step</h2><p>");
    sl_markup_text(m, step.text);
    sl_markup_put(m, ". <span class=\"note\">(rule %s)</span></p>\n", step.rule);
    put_warnings(m, report->comparison->baseline, sl_report_side(report, 0));
    put_warnings(m, report->comparison->candidate, sl_report_side(report, 1));
    sl_markup_put(m, "</section>\n<section id=\"reproduce\"><h2>How to reproduce</h2>\n");
    if (report->command) {
        sl_markup_put(m, "<pre>");
        sl_markup_text(m, report->command);
        sl_markup_put(m, "</pre>\n");
    }
    sl_markup_put(m, "<p><code>sme2lab validate DIR</code> computes every number of this directory "
                     "again from its ETDumps.</p></section>\n");
    sl_page_close(m);
}

int sl_report_html(struct sl_buf *out, const struct sl_report *report)
{
    struct sl_markup m = {.out = out};
    struct sl_page_table table;
    put_head(&m, report);
    sl_report_figures(report, &table);
    put_section(&m, report, sl_plot_histogram, &table);
    sl_report_shift(report, &table);
    put_section(&m, report, sl_plot_categories, &table);
    sl_report_operators(report, HTML_OPERATORS, &table);
    put_section(&m, report, sl_plot_waterfall, &table);
    if (sl_report_scatter(report, HTML_OPERATORS, &table))
        put_section(&m, report, sl_plot_scatter, &table);
    const struct sl_analysis *candidate = report->comparison->candidate;
    if (candidate->reach) {
        sl_reach_table(candidate->reach, candidate->attribution.unit, HTML_OPERATORS, &table);
        put_section(&m, report, put_reach, &table);
    }
    sl_report_proof(report, &table);
    put_section(&m, report, NULL, &table);
    if (sl_report_looks(report, &table))
        put_section(&m, report, NULL, &table);
    if (sl_report_sustained(report, &table))
        put_section(&m, report, sl_plot_time, &table);
    sl_report_runs(report, &table);
    put_section(&m, report, sl_plot_runs, &table);
    sl_report_facts(report, &table);
    put_section(&m, report, NULL, &table);
    if (report->artifact_count > 0) {
        sl_report_artifacts(report, &table);
        put_section(&m, report, NULL, &table);
    }
    put_end(&m, report);
    return m.error;
}
