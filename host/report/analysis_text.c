/* host/report/analysis_text.c */
#include "host/report/analysis_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/format/sltrace.h"
#include "host/analysis/parts.h"
#include "host/report/analysis.h"
#include "host/report/doc.h"
#include "host/report/reach_report.h"
#include "host/report/record_join.h"
#include "host/report/style.h"
#include "host/report/table.h"
#include "host/report/unit.h"

enum { CATEGORY_COLUMNS = 14, PART_COLUMNS = 20 };

struct page {
    struct sl_doc *doc;
    const struct sl_analysis *analysis;
    double runs, whole; /* measured runs, and their end to end together */
};

static void put_head(struct page *p)
{
    const struct sl_attribution *a = &p->analysis->attribution;
    char warm[64] = "";
    size_t warmups = a->run_count - a->measured_count;
    if (warmups > 0)
        snprintf(warm, sizeof(warm), " and %zu warm-up%s, not in the figures", warmups,
                 warmups == 1 ? "" : "s");
    sl_doc_say(p->doc, SL_DOC_TITLE, NULL, "%s", p->analysis->file);
    sl_doc_say(p->doc, SL_DOC_SENTENCE, NULL, "%zu run%s%s; figures are %s, per run (mean)",
               a->measured_count, a->measured_count == 1 ? "" : "s", warm,
               sl_unit_caption(a->unit));
    sl_doc_say(p->doc, SL_DOC_SENTENCE, NULL, "%s",
               a->by_origin ? "categories are by origin: the serialized node an operator came from"
                            : "categories are by name: what the file calls an operator");
    sl_doc_begin(p->doc, SL_DOC_LINE, NULL);
}

static void put_named(struct page *p, const char *name, double value)
{
    char text[32];
    sl_unit_format(text, sizeof(text), value, p->analysis->attribution.unit);
    sl_doc_put(p->doc, SL_TONE_PLAIN, "%s %s  ", name, text);
}

/* Shows where warm-up ended by the runs themselves, and whether they lie in two heaps. */
static void put_steadiness(struct page *p)
{
    const struct sl_steadiness *s = &p->analysis->steadiness;
    const struct sl_attribution *a = &p->analysis->attribution;
    char low[32], high[32];
    if (s->state == SL_STEADINESS_UNSTEADY)
        sl_doc_say(p->doc, SL_DOC_LINE, NULL,
                   "Steadiness  never steady: the last of %zu changes is at run %u",
                   s->change_count, a->runs[s->from].run);
    else if (p->analysis->warming > 0)
        sl_doc_say(p->doc, SL_DOC_LINE, NULL,
                   "Steadiness  the first %zu measured runs are warm-up still; from there median "
                   "%s",
                   p->analysis->warming,
                   sl_unit_format(low, sizeof(low), p->analysis->steady.median, a->unit));
    if (s->mode_count == 2)
        sl_doc_say(p->doc, SL_DOC_SENTENCE, NULL,
                   "Two modes   %zu runs around %s and %zu around %s: one figure hides them",
                   s->modes[0].count, sl_unit_format(low, sizeof(low), s->modes[0].median, a->unit),
                   s->modes[1].count,
                   sl_unit_format(high, sizeof(high), s->modes[1].median, a->unit));
    sl_doc_begin(p->doc, SL_DOC_LINE, NULL);
}

/* Shows cold runs apart, and says what too few steady runs cannot show. */
static void put_cold(struct page *p)
{
    char text[SL_ANALYSIS_COLD_BYTES];
    size_t n = p->analysis->attribution.measured_count;
    if (sl_analysis_cold_text(p->analysis, text)[0])
        sl_doc_say(p->doc, SL_DOC_LINE, NULL, "Cold        %s", text);
    if (n > 0 && n < SL_STEADINESS_MIN_RUNS && p->analysis->attribution.unit == SL_TRACE_NS)
        sl_doc_say(p->doc, SL_DOC_SENTENCE, NULL,
                   "Few runs    below %d, slow warm-up, changes and two modes go unseen, and p90 "
                   "is not shown",
                   SL_STEADINESS_MIN_RUNS);
}

/* Quantiles only where the sample reaches them (statistics.md D-06). */
static void put_latency(struct page *p)
{
    const struct sl_statistics *s = &p->analysis->latency;
    const struct sl_attribution *a = &p->analysis->attribution;
    sl_doc_say(p->doc, SL_DOC_LINE, NULL, "End to end  ");
    put_named(p, "median", s->median);
    put_named(p, "mean", s->mean);
    if (isfinite(s->cv_percent))
        sl_doc_put(p->doc, SL_TONE_PLAIN, "CV %.2f %%  ", s->cv_percent);
    sl_doc_put(p->doc, SL_TONE_PLAIN, "outliers %zu", s->outlier_count);
    sl_doc_say(p->doc, SL_DOC_LINE, NULL, "            ");
    put_named(p, "min", (double)s->min);
    put_named(p, "max", (double)s->max);
    if (s->n >= 20)
        put_named(p, "p90", s->p90);
    if (s->n >= 50)
        put_named(p, "p95", s->p95);
    if (s->n >= 200)
        put_named(p, "p99", s->p99);
    put_cold(p);
    if (a->has_program_load) {
        sl_doc_say(p->doc, SL_DOC_LINE, NULL, "Loading     ");
        put_named(p, "total", (double)a->program_load);
    }
    put_steadiness(p);
}

/* A row of the categories; a share below 0 has no bar. */
static void put_category(struct page *p, struct sl_table *t, const char *name, double sum, bool bar)
{
    sl_table_text(t, name);
    sl_table_figure(t, sum / p->runs, p->analysis->attribution.unit);
    sl_table_share(t, sum / p->whole);
    if (bar)
        sl_table_bar(t, SL_TONE_GOOD, p->whole == 0 ? 0 : sum / p->whole);
    else
        sl_table_text(t, "");
}

/* The parts of a category under it, where there are any. */
static void put_parts(struct page *p, struct sl_table *t, int category)
{
    struct sl_part parts[SL_PARTS_MAX];
    char text[SL_TEXT_SIZE];
    size_t count = sl_parts_compare(&p->analysis->attribution, NULL, parts);
    for (size_t i = 0; i < count; i++) {
        snprintf(text, sizeof(text), "  %s", parts[i].name);
        if (parts[i].category == category)
            put_category(p, t, text, parts[i].baseline * p->runs, false);
    }
}

static void put_categories(struct page *p)
{
    static const char *const heads[] = {"category", ">cost", ">share", "", NULL};
    const struct sl_attribution *a = &p->analysis->attribution;
    struct sl_table t;
    sl_table_init(&t, "categories", "Categories", heads);
    sl_table_widths(&t,
                    (const struct sl_table_column[]){{PART_COLUMNS, 0}, {10, 0}, {8, 0}, {0, 2}});
    t.headless = true;
    for (int c = 0; c < SL_CATEGORY_COUNT; c++) {
        double sum = 0;
        for (size_t i = 0; i < a->run_count; i++)
            sum += a->runs[i].warmup ? 0.0 : (double)a->runs[i].categories[c];
        if (sum == 0)
            continue;
        put_category(p, &t, sl_category_name(c), sum, true);
        put_parts(p, &t, c);
    }
    put_category(p, &t, "end to end", p->whole, false);
    sl_doc_table(p->doc, &t);
    sl_doc_begin(p->doc, SL_DOC_LINE, NULL);
}

static void put_operators(struct page *p, size_t most)
{
    static const char *const heads[] = {
        "operator (own work)", "category", ">a run", ">cost", ">share", NULL};
    const struct sl_attribution *a = &p->analysis->attribution;
    struct sl_table t;
    sl_table_init(&t, "operators", "Operators", heads);
    sl_table_widths(&t, (const struct sl_table_column[]){
                            {0, 0}, {CATEGORY_COLUMNS, 1}, {6, 0}, {10, 0}, {8, 0}});
    for (size_t i = 0; i < a->operator_count && i < most; i++) {
        const struct sl_operator *op = &a->operators[i];
        sl_table_cell(&t, op->name, op->name_len);
        sl_table_text(&t, sl_category_name(op->category));
        sl_table_printf(&t, "%u", op->instances);
        sl_table_figure(&t, (double)op->total / p->runs, a->unit);
        sl_table_share(&t, (double)op->total / p->whole);
        if (op->kernel)
            sl_table_line(&t, SL_TONE_FAINT, "  %.250s", op->kernel);
    }
    sl_doc_table(p->doc, &t);
    if (a->operator_count > most)
        sl_doc_say(p->doc, SL_DOC_LINE, NULL, "... and %zu more (-v shows them)",
                   a->operator_count - most);
}

static void put_findings(struct page *p)
{
    const struct sl_attribution *a = &p->analysis->attribution;
    char text[SL_TEXT_SIZE];
    for (size_t i = 0; i < a->operator_count; i++) {
        const struct sl_operator *op = &a->operators[i];
        if (!op->known)
            sl_doc_say(p->doc, SL_DOC_LINE, NULL, "note: no rule knows \"%s\"; it counts as %s",
                       sl_text_copy(text, op->name, op->name_len), sl_category_name(op->category));
    }
    for (size_t i = 0; i < a->warning_count; i++) {
        sl_doc_begin(p->doc, SL_DOC_SENTENCE, NULL);
        sl_doc_put(p->doc, SL_TONE_BAD, "warning:");
        sl_doc_put(p->doc, SL_TONE_PLAIN, " %s", a->warnings[i]);
    }
}

int sl_analysis_text(struct sl_buf *out, const struct sl_style *style,
                     const struct sl_analysis *analysis)
{
    const struct sl_attribution *a = &analysis->attribution;
    struct sl_doc doc;
    struct page p = {.doc = &doc, .analysis = analysis};
    sl_doc_init(&doc, SL_DOC_TERMINAL);
    p.runs = a->measured_count > 0 ? (double)a->measured_count : NAN;
    for (size_t i = 0; i < a->run_count; i++)
        p.whole += a->runs[i].warmup ? 0.0 : (double)a->runs[i].end_to_end;
    put_head(&p);
    if (a->measured_count > 0) {
        put_latency(&p);
        put_categories(&p);
        put_operators(&p, style->operators);
    }
    if (analysis->record)
        sl_record_doc(&doc, analysis, analysis->record);
    if (analysis->reach)
        sl_reach_doc(&doc, analysis->reach, a->unit);
    put_findings(&p);
    int rc = sl_doc_text(out, style, &doc);
    sl_doc_fini(&doc);
    return rc;
}
