/* host/report/report_ci.c: a report for machines and reviews: JUnit XML, CSV, a short comment. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/format/sltrace.h"
#include "host/analysis/agreement.h"
#include "host/analysis/comparison.h"
#include "host/report/analysis.h"
#include "host/report/comparison.h"
#include "host/report/doc.h"
#include "host/report/markup.h"
#include "host/report/next_step.h"
#include "host/report/report.h"
#include "host/report/sme2_proof.h"
#include "host/report/table.h"
#include "host/report/text.h"
#include "host/report/unit.h"

enum { SENTENCE_BYTES = 320, COMMENT_OPERATORS = 3 };

/* `problem` NULL: the case passed; `kind` is "failure", "error" or "skipped". */
static void put_case(struct sl_markup *m, const char *model, const char *name, const char *kind,
                     const char *text)
{
    char class_name[SL_TEXT_SIZE];
    sl_text_copy(class_name, model, strlen(model));
    for (char *at = class_name; *at; at++)
        *at = *at == '.' || *at == '/' ? '_' : *at; /* these part packages and folders */
    sl_markup_put(m, "    <testcase classname=\"sme2lab.");
    sl_markup_text(m, class_name);
    sl_markup_put(m, "\" name=\"%s\" time=\"0\">", name);
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

/* Operators that the run's policy keeps on NEON count apart. */
static size_t count_unproven(const struct sl_report *report, size_t *out_kept)
{
    const struct sl_attribution *a = &report->comparison->candidate->attribution;
    size_t unproven = 0;
    *out_kept = 0;
    for (size_t i = 0; i < a->operator_count; i++) {
        const struct sl_operator *op = &a->operators[i];
        const char *evidence =
            sl_sme2_evidence_by(op, report->comparison->policies.now, sl_sme2_evidence(op));
        bool kept = sl_sme2_kept_out(evidence);
        *out_kept += sl_sme2_matters(op) && kept;
        unproven += sl_sme2_matters(op) && !kept && strcmp(evidence, "executed") != 0;
    }
    return unproven;
}

/* Returns the verdict's exit code for a gate: 0, 3, or 4 if nothing is shown. */
static int code_of(const struct sl_comparison *c)
{
    return c->verdict == SL_VERDICT_SLOWER || c->verdict == SL_VERDICT_WRONG        ? 3
           : c->verdict == SL_VERDICT_FASTER || c->verdict == SL_VERDICT_EQUIVALENT ? 0
                                                                                    : 4;
}

static void put_suite(struct sl_markup *m, const struct sl_report *report, int code)
{
    const struct sl_comparison *c = report->comparison->comparison;
    const struct sl_agreement *a = report->comparison->agreement;
    char text[SENTENCE_BYTES + 192], more[SL_AGREEMENT_TEXT_BYTES];
    bool failed = code != 0 && code != 4, skipped = code == 4;
    bool differ = a && !a->agree;
    size_t kept, unproven = count_unproven(report, &kept);
    sl_markup_put(m, "  <testsuite name=\"");
    sl_markup_text(m, report->model);
    if (report->device && report->device[0]) {
        sl_markup_put(m, ", ");
        sl_markup_text(m, report->device);
    }
    if (report->threads && report->threads[0])
        sl_markup_put(m, ", threads %.16s", report->threads);
    sl_markup_put(m, "\" tests=\"3\" failures=\"%d\" errors=\"0\" skipped=\"%d\" time=\"0\">\n",
                  failed + differ, skipped + !a + (unproven > 0));
    sl_report_verdict(report, text, SENTENCE_BYTES);
    if (c->reason_count > 0)
        snprintf(text + strlen(text), 192, "; because %s", c->reasons[0]);
    put_case(m, report->model, "verdict", failed ? "failure" : skipped ? "skipped" : NULL, text);
    if (a)
        snprintf(text, sizeof(text), "largest difference %.3g of the peak, up to %.3g%s",
                 a->max_rel, a->tolerance, sl_agreement_more_text(a, more));
    else
        snprintf(text, sizeof(text), "outputs were not compared");
    put_case(m, report->model, "outputs agree", differ ? "failure" : a ? NULL : "skipped", text);
    if (unproven == 0 && kept == 0)
        snprintf(text, sizeof(text), "every operator with an SME2 kernel ran it");
    else if (unproven == 0)
        snprintf(text, sizeof(text),
                 "every operator with an SME2 kernel ran it, but for %zu that the policy keeps on "
                 "NEON",
                 kept);
    else
        snprintf(text, sizeof(text), "%zu operators have an SME2 kernel, and nothing shows it ran",
                 unproven);
    put_case(m, report->model, "SME2 executed", unproven > 0 ? "skipped" : NULL, text);
    sl_markup_put(m, "  </testsuite>\n");
}

static void put_other(struct sl_markup *m, const struct sl_report_case *other)
{
    sl_markup_put(m, "  <testsuite name=\"");
    sl_markup_text(m, other->model);
    sl_markup_put(m, "\" tests=\"1\" failures=\"%d\" errors=\"%d\" skipped=\"0\" time=\"0\">\n",
                  !other->error, other->error);
    put_case(m, other->model, other->name, other->error ? "error" : "failure", other->text);
    sl_markup_put(m, "  </testsuite>\n");
}

int sl_report_junit_gated(struct sl_buf *out, const struct sl_report *reports, const int *codes,
                          size_t count, const struct sl_report_case *others, size_t other_count)
{
    struct sl_markup m = {.out = out};
    sl_markup_put(&m, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for (size_t i = 0; i < count; i++)
        put_suite(&m, &reports[i], codes ? codes[i] : code_of(reports[i].comparison->comparison));
    for (size_t i = 0; i < other_count; i++)
        put_other(&m, &others[i]);
    sl_markup_put(&m, "</testsuites>\n");
    return m.error;
}

int sl_report_junit_all(struct sl_buf *out, const struct sl_report *reports, size_t count)
{
    return sl_report_junit_gated(out, reports, NULL, count, NULL, 0);
}

int sl_report_junit(struct sl_buf *out, const struct sl_report *report)
{
    return sl_report_junit_all(out, report, 1);
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

static int larger_change_first(const void *a, const void *b)
{
    const struct sl_operator_shift *const *x = a;
    const struct sl_operator_shift *const *y = b;
    double dx = fabs((*x)->candidate_cost - (*x)->baseline_cost);
    double dy = fabs((*y)->candidate_cost - (*y)->baseline_cost);
    return dx > dy ? -1 : dx < dy ? 1 : (*x > *y) - (*x < *y);
}

/* The operators that moved most: their changes explain the ratio. */
static void put_moved(struct sl_doc *doc, const struct sl_comparison *c)
{
    const struct sl_operator_shift *most[COMMENT_OPERATORS + 1];
    size_t count = 0;
    char name[SL_TEXT_SIZE], off[32], on[32];
    for (size_t i = 0; i < c->operator_count; i++) {
        most[count] = &c->operators[i];
        count += count < COMMENT_OPERATORS + 1;
        qsort(most, count, sizeof(most[0]), larger_change_first);
        count = count > COMMENT_OPERATORS ? COMMENT_OPERATORS : count;
    }
    for (size_t i = 0; i < count; i++) {
        const struct sl_operator *op = most[i]->candidate ? most[i]->candidate : most[i]->baseline;
        sl_doc_say(doc, SL_DOC_ITEM, NULL, "%s: %s to %s",
                   sl_text_copy(name, op->name, op->name_len),
                   sl_unit_format(off, sizeof(off), most[i]->baseline_cost, c->unit),
                   sl_unit_format(on, sizeof(on), most[i]->candidate_cost, c->unit));
    }
}

static void put_categories(struct sl_doc *doc, const struct sl_report *report)
{
    const struct sl_comparison *c = report->comparison->comparison;
    char sides[2][128];
    snprintf(sides[0], sizeof(sides[0]), ">%s", sl_report_side(report, 0));
    snprintf(sides[1], sizeof(sides[1]), ">%s", sl_report_side(report, 1));
    const char *const heads[] = {"Category", sides[0], sides[1], NULL};
    struct sl_table table;
    sl_table_init(&table, "categories", "Categories", heads);
    for (int k = 0; k < SL_CATEGORY_COUNT; k++) {
        sl_table_text(&table, sl_category_name(k));
        sl_table_figure(&table, c->categories[k].baseline, c->unit);
        sl_table_figure(&table, c->categories[k].candidate, c->unit);
    }
    sl_doc_table(doc, &table);
}

int sl_report_comment(struct sl_buf *out, const struct sl_report *report)
{
    const struct sl_comparison *c = report->comparison->comparison;
    struct sl_next_step step;
    struct sl_doc doc;
    char text[SENTENCE_BYTES];
    sl_doc_init(&doc, SL_DOC_TICKET);
    sl_report_verdict(report, text, sizeof(text));
    sl_doc_say(&doc, SL_DOC_VERDICT, NULL, "sme2lab, %s: %s", report->model, text);
    if (c->reason_count > 0)
        sl_doc_say(&doc, SL_DOC_SENTENCE, NULL, "Because %s.", c->reasons[0]);
    put_categories(&doc, report);
    put_moved(&doc, c);
    sl_next_step_find(report->comparison, &step);
    sl_doc_say(&doc, SL_DOC_SENTENCE, NULL, "Next: %s.", step.text);
    sl_report_conditions(report, text, sizeof(text));
    sl_doc_say(&doc, SL_DOC_SENTENCE, NULL, "%s", text);
    int rc = sl_doc_md(out, &doc);
    sl_doc_fini(&doc);
    return rc;
}
