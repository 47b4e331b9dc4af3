/* host/report/report_md.c: a report as Markdown. */
#include <math.h>
#include <stdio.h>

#include "common/base/buf.h"
#include "host/analysis/agreement.h"
#include "host/analysis/comparison.h"
#include "host/report/analysis.h"
#include "host/report/comparison.h"
#include "host/report/markup.h"
#include "host/report/next_step.h"
#include "host/report/page_table.h"
#include "host/report/plot.h"
#include "host/report/reach_report.h"
#include "host/report/report.h"

enum { MD_OPERATORS = 30, SENTENCE_BYTES = 320 };

/* Titles a table and ends it. */
static void put_table(struct sl_markup *m, struct sl_page_table *table)
{
    sl_markup_put(m, "## %s\n\n", table->title);
    sl_page_table_md(m, table);
    sl_page_table_fini(table);
}

static void put_agreement(struct sl_markup *m, const char *what, const struct sl_agreement *a)
{
    char odd[SL_AGREEMENT_TEXT_BYTES];
    if (a)
        sl_markup_put(m, "- %s: %s; largest difference %.3g, %.3g of the peak (up to %.0e)%s\n",
                      what, a->agree ? "agree" : "**differ**", a->max_abs, a->max_rel, a->tolerance,
                      sl_agreement_odd_text(a, odd));
    else
        sl_markup_put(m, "- %s: not compared\n", what);
}

/* What is left to gain, if it was measured. */
static void put_reach(struct sl_markup *m, const struct sl_report *report)
{
    const struct sl_analysis *candidate = report->comparison->candidate;
    struct sl_page_table table;
    char text[SENTENCE_BYTES];
    if (!candidate->reach)
        return;
    sl_reach_table(candidate->reach, candidate->attribution.unit, MD_OPERATORS, &table);
    put_table(m, &table);
    sl_reach_words(candidate->reach, candidate->attribution.unit, text, sizeof(text));
    sl_markup_md(m, text);
    sl_markup_put(m, ". ");
    sl_markup_md(m, candidate->reach->note);
    sl_markup_put(m, "\n\n");
}

static void put_head(struct sl_markup *m, const struct sl_report *report)
{
    const struct sl_comparison *c = report->comparison->comparison;
    char text[SENTENCE_BYTES];
    sl_report_title(report, text, sizeof(text));
    sl_markup_put(m, "# ");
    sl_markup_md(m, text);
    sl_markup_put(m, ": ");
    sl_markup_md(m, report->model);
    sl_report_verdict(report, text, sizeof(text));
    sl_markup_put(m, "\n\n## Summary\n\n**");
    sl_markup_md(m, text);
    sl_markup_put(m, "**\n\n");
    for (size_t i = 0; i < c->reason_count; i++) {
        sl_markup_put(m, "- because ");
        sl_markup_md(m, c->reasons[i]);
        sl_markup_put(m, "\n");
    }
    sl_report_conditions(report, text, sizeof(text));
    sl_markup_put(m, "- %s\n", text);
    if (isfinite(c->sign_low))
        sl_markup_put(m, "- exact interval by signs: %.3f to %.3f\n", c->sign_low, c->sign_high);
    if (c->method != SL_METHOD_EXACT)
        sl_markup_put(m, "- method %s, %u resamples, seed %llu\n",
                      sl_comparison_method_name(c->method), c->iterations,
                      (unsigned long long)c->seed);
    put_agreement(m, "Outputs, on against off", report->comparison->agreement);
    put_agreement(m, "Outputs, off against the portable kernels", report->off_portable);
    put_agreement(m, "Outputs, on against the portable kernels", report->on_portable);
    sl_markup_put(m, "\n");
}

static void put_warnings(struct sl_markup *m, const struct sl_analysis *analysis, const char *side)
{
    for (size_t i = 0; i < analysis->attribution.warning_count; i++) {
        sl_markup_put(m, "- warning, ");
        sl_markup_md(m, side);
        sl_markup_put(m, ": ");
        sl_markup_md(m, analysis->attribution.warnings[i]);
        sl_markup_put(m, "\n");
    }
}

static void put_end(struct sl_markup *m, const struct sl_report *report)
{
    struct sl_next_step step;
    sl_next_step_find(report->comparison, &step);
    sl_markup_put(m, "## Next step\n\n");
    sl_markup_md(m, step.text);
    sl_markup_put(m, ". (rule `%s`)\n\n", step.rule);
    put_warnings(m, report->comparison->baseline, sl_report_side(report, 0));
    put_warnings(m, report->comparison->candidate, sl_report_side(report, 1));
    sl_markup_put(m, "## How to reproduce\n\n");
    if (report->command)
        sl_markup_put(m, "    %.1500s\n\n", report->command);
    sl_markup_put(m, "`sme2lab validate DIR` computes every number of this directory again from "
                     "its ETDumps.\n");
}

int sl_report_md(struct sl_buf *out, const struct sl_report *report)
{
    struct sl_markup m = {.out = out};
    struct sl_page_table table;
    put_head(&m, report);
    sl_report_facts(report, &table);
    put_table(&m, &table);
    sl_report_figures(report, &table);
    put_table(&m, &table);
    sl_report_shift(report, &table);
    put_table(&m, &table);
    sl_report_operators(report, MD_OPERATORS, &table);
    put_table(&m, &table);
    if (sl_report_scatter(report, MD_OPERATORS, &table))
        put_table(&m, &table);
    put_reach(&m, report);
    sl_report_proof(report, &table);
    put_table(&m, &table);
    if (sl_report_looks(report, &table))
        put_table(&m, &table);
    if (sl_report_sustained(report, &table))
        put_table(&m, &table);
    if (report->artifact_count > 0) {
        sl_report_artifacts(report, &table);
        put_table(&m, &table);
    }
    put_end(&m, report);
    return m.error;
}
