/* host/report/analysis_tree.c */
#include "host/report/analysis_tree.h"

#include <stdio.h>

#include "common/base/json.h"
#include "host/report/analysis.h"
#include "host/report/doc.h"
#include "host/report/table.h"
#include "host/report/text.h"
#include "host/report/unit.h"

static size_t instances_of(const struct sl_attribution *a)
{
    return a->position_count <= SL_ANALYSIS_MAX_INSTANCES ? a->position_count : 0;
}

void sl_analysis_instances_json(struct sl_json *json, const struct sl_attribution *a)
{
    char key[SL_UNIT_KEY_SIZE];
    size_t count = instances_of(a);
    if (count == 0) {
        sl_json_null(json, "instances");
        return;
    }
    sl_unit_key(key, "total", a->unit);
    sl_json_open_array(json, "instances");
    for (size_t i = 0; i < count; i++) {
        const struct sl_position *p = &a->positions[i];
        if (p->operator_index == SL_POSITION_NO_OPERATOR)
            continue;
        sl_json_open_object(json, NULL);
        sl_json_u64(json, "position", i);
        sl_json_u64(json, "operator", p->operator_index);
        sl_json_i64(json, key, p->total);
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
}

struct tree {
    struct sl_table table;
    const struct sl_attribution *a;
    double runs, whole;
};

static void put_row(struct tree *t, int level, const char *name, double total)
{
    sl_table_printf(&t->table, "%*s%.400s", 2 * level, "", name);
    sl_table_figure(&t->table, total / t->runs, t->a->unit);
    sl_table_share(&t->table, total / t->whole);
}

static void put_instances(struct tree *t, size_t index)
{
    const struct sl_operator *op = &t->a->operators[index];
    char text[SL_TEXT_SIZE];
    for (size_t i = 0; i < instances_of(t->a); i++) {
        const struct sl_position *p = &t->a->positions[i];
        if (p->operator_index != index)
            continue;
        snprintf(text, sizeof(text), "at %zu%s%.200s", i, op->kernel ? "  " : "",
                 op->kernel ? op->kernel : "");
        put_row(t, 2, text, (double)p->total);
    }
}

static void put_category(struct tree *t, int category)
{
    char name[SL_TEXT_SIZE];
    double sum = 0;
    for (size_t i = 0; i < t->a->run_count; i++)
        sum += t->a->runs[i].warmup ? 0.0 : (double)t->a->runs[i].categories[category];
    put_row(t, 0, sl_category_name(category), sum);
    for (size_t i = 0; i < t->a->operator_count; i++) {
        const struct sl_operator *op = &t->a->operators[i];
        if (op->category != category)
            continue;
        put_row(t, 1, sl_text_copy(name, op->name, op->name_len), (double)op->total);
        put_instances(t, i);
    }
}

static void put_levels(struct sl_doc *doc, const struct sl_attribution *a)
{
    static const char *const heads[] = {"what", ">cost", ">share", NULL};
    struct tree t = {.a = a, .runs = (double)a->measured_count};
    for (size_t i = 0; i < a->run_count; i++)
        t.whole += a->runs[i].warmup ? 0.0 : (double)a->runs[i].end_to_end;
    sl_table_init(&t.table, "tree", "Level by level", heads);
    sl_table_widths(&t.table, (const struct sl_table_column[]){{0, 0}, {10, 0}, {8, 0}});
    t.table.headless = true;
    for (int c = 0; c < SL_CATEGORY_COUNT; c++)
        put_category(&t, c);
    put_row(&t, 0, "end to end", t.whole);
    sl_doc_table(doc, &t.table);
}

int sl_analysis_tree_text(struct sl_buf *out, const struct sl_style *style,
                          const struct sl_analysis *analysis)
{
    const struct sl_attribution *a = &analysis->attribution;
    struct sl_doc doc;
    sl_doc_init(&doc, SL_DOC_TERMINAL);
    sl_doc_say(&doc, SL_DOC_LINE, NULL, "%s", analysis->file);
    sl_doc_say(&doc, SL_DOC_SENTENCE, NULL,
               "Mean per run of %zu, %s; own work, so each level sums to the one above.",
               a->measured_count, sl_unit_caption(a->unit));
    if (a->measured_count > 0 && instances_of(a) == 0)
        sl_doc_say(
            &doc, SL_DOC_SENTENCE, NULL,
            "Instances cannot be told apart: runs differ in their events, or have too many.");
    if (a->measured_count > 0)
        put_levels(&doc, a);
    int rc = sl_doc_text(out, style, &doc);
    sl_doc_fini(&doc);
    return rc;
}
