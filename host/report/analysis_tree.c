/* host/report/analysis_tree.c */
#include "host/report/analysis_tree.h"

#include <math.h>
#include <stdio.h>

#include "common/base/buf.h"
#include "common/base/json.h"
#include "host/report/analysis.h"
#include "host/report/style.h"
#include "host/report/unit.h"

enum { FIGURE_COLUMNS = 10, SHARE_COLUMNS = 8 };

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
    struct sl_buf *out;
    const struct sl_style *style;
    const struct sl_attribution *a;
    double runs, whole;
    int error; /* the first failure sticks */
};

static void note(struct tree *t, int rc)
{
    if (t->error == 0 && rc < 0)
        t->error = rc;
}

static void put_line(struct tree *t, int level, const char *name, double total)
{
    char text[SL_TEXT_SIZE], figure[32], share[32] = "-";
    size_t width = (size_t)sl_style_width(t->style) - FIGURE_COLUMNS - SHARE_COLUMNS;
    snprintf(text, sizeof(text), "%*s%.400s", 2 * level, "", name);
    note(t, sl_style_cell(t->out, text, width, false));
    sl_unit_format(figure, sizeof(figure), total / t->runs, t->a->unit);
    note(t, sl_style_cell(t->out, figure, FIGURE_COLUMNS, true));
    if (t->whole != 0)
        snprintf(share, sizeof(share), "%.1f %%", 100 * total / t->whole);
    note(t, sl_style_cell(t->out, share, SHARE_COLUMNS, true));
    note(t, sl_buf_printf(t->out, "\n"));
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
        put_line(t, 2, text, (double)p->total);
    }
}

static void put_category(struct tree *t, int category)
{
    char name[SL_TEXT_SIZE];
    double sum = 0;
    for (size_t i = 0; i < t->a->run_count; i++)
        sum += t->a->runs[i].warmup ? 0.0 : (double)t->a->runs[i].categories[category];
    put_line(t, 0, sl_category_name(category), sum);
    for (size_t i = 0; i < t->a->operator_count; i++) {
        const struct sl_operator *op = &t->a->operators[i];
        if (op->category != category)
            continue;
        put_line(t, 1, sl_text_copy(name, op->name, op->name_len), (double)op->total);
        put_instances(t, i);
    }
}

int sl_analysis_tree_text(struct sl_buf *out, const struct sl_style *style,
                          const struct sl_analysis *analysis)
{
    const struct sl_attribution *a = &analysis->attribution;
    struct tree t = {.out = out, .style = style, .a = a};
    t.runs = a->measured_count > 0 ? (double)a->measured_count : NAN;
    for (size_t i = 0; i < a->run_count; i++)
        t.whole += a->runs[i].warmup ? 0.0 : (double)a->runs[i].end_to_end;
    char text[SL_TEXT_SIZE];
    snprintf(text, sizeof(text),
             "Mean per run of %zu, %s; own work, so each level sums to the one above.",
             a->measured_count, sl_unit_caption(a->unit));
    note(&t, sl_buf_printf(out, "%s\n", analysis->file));
    note(&t, sl_style_wrap(out, style, 0, text));
    if (a->measured_count > 0 && instances_of(a) == 0)
        note(&t, sl_style_wrap(out, style, 0,
                               "Instances cannot be told apart: runs differ in their events, or "
                               "have too many."));
    for (int c = 0; c < SL_CATEGORY_COUNT && a->measured_count > 0; c++)
        put_category(&t, c);
    if (a->measured_count > 0)
        put_line(&t, 0, "end to end", t.whole);
    return t.error;
}
