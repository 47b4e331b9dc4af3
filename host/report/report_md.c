/* host/report/report_md.c: a report as Markdown, JUnit XML and CSV. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/format/sltrace.h"
#include "host/analysis/agreement.h"
#include "host/analysis/comparison.h"
#include "host/report/analysis.h"
#include "host/report/comparison.h"
#include "host/report/markup.h"
#include "host/report/next_step.h"
#include "host/report/page_table.h"
#include "host/report/report.h"
#include "host/report/sme2_proof.h"

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
    if (a)
        sl_markup_put(m, "- %s: %s; largest difference %.3g, %.3g of the peak (up to %.0e)\n", what,
                      a->agree ? "agree" : "**differ**", a->max_abs, a->max_rel, a->tolerance);
    else
        sl_markup_put(m, "- %s: not compared\n", what);
}

static void put_head(struct sl_markup *m, const struct sl_report *report)
{
    const struct sl_comparison *c = report->comparison->comparison;
    char text[SENTENCE_BYTES];
    sl_markup_put(m, "# SME2 off against on: ");
    sl_markup_md(m, report->model);
    sl_report_verdict(report, text, sizeof(text));
    sl_markup_put(m, "\n\n## Summary\n\n**%s**\n\n", text);
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

static void put_warnings(struct sl_markup *m, const struct sl_analysis *analysis, const char *level)
{
    for (size_t i = 0; i < analysis->attribution.warning_count; i++) {
        sl_markup_put(m, "- warning, SME2 %s: ", level);
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
    put_warnings(m, report->comparison->baseline, report->comparison->baseline_level);
    put_warnings(m, report->comparison->candidate, report->comparison->candidate_level);
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
    sl_report_proof(report, &table);
    put_table(&m, &table);
    put_end(&m, report);
    return m.error;
}

/* `problem` NULL: the case passed; `kind` is "failure", "error" or "skipped". */
static void put_case(struct sl_markup *m, const char *name, const char *kind, const char *text)
{
    sl_markup_put(m, "    <testcase classname=\"sme2lab\" name=\"%s\" time=\"0\">", name);
    if (kind) {
        sl_markup_put(m, "<%s message=\"", kind);
        sl_markup_text(m, text);
        sl_markup_put(m, "\"/>");
    } else {
        sl_markup_put(m, "<system-out>");
        sl_markup_text(m, text);
        sl_markup_put(m, "</system-out>");
    }
    sl_markup_put(m, "</testcase>\n");
}

static size_t count_unproven(const struct sl_report *report)
{
    const struct sl_attribution *a = &report->comparison->candidate->attribution;
    size_t unproven = 0;
    for (size_t i = 0; i < a->operator_count; i++)
        unproven += sl_sme2_matters(&a->operators[i]) &&
                    strcmp(sl_sme2_evidence(&a->operators[i]), "executed") != 0;
    return unproven;
}

int sl_report_junit(struct sl_buf *out, const struct sl_report *report)
{
    struct sl_markup m = {.out = out};
    const struct sl_comparison *c = report->comparison->comparison;
    const struct sl_agreement *a = report->comparison->agreement;
    char text[SENTENCE_BYTES + 192];
    bool failed = c->verdict == SL_VERDICT_SLOWER || c->verdict == SL_VERDICT_WRONG;
    bool skipped =
        !failed && c->verdict != SL_VERDICT_FASTER && c->verdict != SL_VERDICT_EQUIVALENT;
    bool differ = a && !a->agree;
    size_t unproven = count_unproven(report);
    sl_markup_put(&m,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"");
    sl_markup_text(&m, report->model);
    sl_markup_put(&m, "\" tests=\"3\" failures=\"%d\" errors=\"0\" skipped=\"%d\" time=\"0\">\n",
                  failed + differ, skipped + !a + (unproven > 0));
    sl_report_verdict(report, text, SENTENCE_BYTES);
    if (c->reason_count > 0)
        snprintf(text + strlen(text), 192, "; because %s", c->reasons[0]);
    put_case(&m, "verdict", failed ? "failure" : skipped ? "skipped" : NULL, text);
    if (a)
        snprintf(text, sizeof(text), "largest difference %.3g of the peak, up to %.3g", a->max_rel,
                 a->tolerance);
    else
        snprintf(text, sizeof(text), "outputs were not compared");
    put_case(&m, "outputs agree", differ ? "failure" : a ? NULL : "skipped", text);
    snprintf(text, sizeof(text), "%zu operators that SME2 is for are not proven to have used it",
             unproven);
    put_case(&m, "SME2 executed", unproven > 0 ? "skipped" : NULL, text);
    sl_markup_put(&m, "  </testsuite>\n</testsuites>\n");
    return m.error;
}

int sl_report_csv(struct sl_buf *out, const struct sl_report *report)
{
    struct sl_markup m = {.out = out};
    const struct sl_comparison *c = report->comparison->comparison;
    bool counted = c->unit == SL_TRACE_INSTRUCTIONS;
    double scale = counted ? 1 : 1e6;
    const char *suffix = counted ? "insns" : "ms";
    sl_markup_put(&m, "category,sme2-off_%s,sme2-on_%s,speedup,sme2-off_pct,sme2-on_pct\n", suffix,
                  suffix);
    for (int k = 0; k < SL_CATEGORY_COUNT; k++) {
        const struct sl_category_shift *s = &c->categories[k];
        sl_markup_put(&m, "%s,%.15g,%.15g,", sl_category_name(k), s->baseline / scale,
                      s->candidate / scale);
        if (s->baseline > 0 && s->candidate > 0)
            sl_markup_put(&m, "%.6g", s->baseline / s->candidate);
        sl_markup_put(&m, ",%.6g,%.6g\n", isfinite(s->share_baseline) ? 100 * s->share_baseline : 0,
                      isfinite(s->share_candidate) ? 100 * s->share_candidate : 0);
    }
    return m.error;
}
