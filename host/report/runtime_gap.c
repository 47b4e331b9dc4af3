/* host/report/runtime_gap.c */
#include "host/report/runtime_gap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/json.h"
#include "host/analysis/comparison.h"
#include "host/analysis/operators.h"
#include "host/report/comparison.h"
#include "host/report/report.h"
#include "host/report/table.h"
#include "host/report/text.h"
#include "host/report/unit.h"

enum { MAX_ROWS = 512, SHOWN_ROWS = 20, SAID_ROWS = 3 };

/* One operator, or the whole run: costs of a run with SME2 off and on. */
struct row {
    const char *name;
    size_t name_len;
    double theirs[2], ours[2];
};

struct gap {
    const struct sl_report *report; /* ExecuTorch's */
    struct row whole;
    struct row rows[MAX_ROWS]; /* the largest gap first */
    size_t count;
};

static const char *text_of(const char *text)
{
    return text ? text : "";
}

static bool belong_together(const struct sl_report *theirs, const struct sl_report *ours)
{
    return theirs->comparison->runtime && !ours->comparison->runtime && !ours->clean &&
           !theirs->clean && strcmp(text_of(theirs->model), text_of(ours->model)) == 0 &&
           strcmp(text_of(theirs->device), text_of(ours->device)) == 0 &&
           strcmp(text_of(theirs->threads), text_of(ours->threads)) == 0 &&
           strcmp(text_of(theirs->processes), text_of(ours->processes)) == 0 &&
           theirs->comparison->comparison->unit == ours->comparison->comparison->unit;
}

/* The first own run beside ExecuTorch's at `index`; NULL: none. */
static const struct sl_report *ours_of(const struct sl_report *reports, size_t count, size_t index)
{
    for (size_t i = 0; i < count; i++) {
        if (belong_together(&reports[index], &reports[i]))
            return &reports[i];
    }
    return NULL;
}

/* As it is called with SME2 on, which both runtimes call alike. */
static const struct sl_operator *named(const struct sl_operator_shift *shift)
{
    return shift->candidate ? shift->candidate : shift->baseline;
}

static const struct sl_operator_shift *same_operator(const struct sl_comparison *ours,
                                                     const struct sl_operator *operator)
{
    for (size_t i = 0; i < ours->operator_count; i++) {
        const struct sl_operator *own = named(&ours->operators[i]);
        if (own->name_len ==
            operator->name_len && memcmp(own->name, operator->name, own->name_len) == 0)
            return &ours->operators[i];
    }
    return NULL;
}

static double left_of(const struct row *row)
{
    return row->theirs[1] - row->ours[1];
}

static int by_left(const void *a, const void *b)
{
    double x = left_of(a), y = left_of(b);
    return x < y ? 1 : x > y ? -1 : 0;
}

/* False where the report at `index` is not ExecuTorch's, or has no own one beside it. */
static bool find_gap(const struct sl_report *reports, size_t count, size_t index, struct gap *out)
{
    const struct sl_report *report = &reports[index], *own = ours_of(reports, count, index);
    if (!own)
        return false;
    const struct sl_comparison *a = report->comparison->comparison;
    const struct sl_comparison *b = own->comparison->comparison;
    out->report = report;
    out->count = 0;
    out->whole = (struct row){.name = "end to end",
                              .name_len = strlen("end to end"),
                              .theirs = {a->baseline, a->candidate},
                              .ours = {b->baseline, b->candidate}};
    for (size_t i = 0; i < a->operator_count && out->count < MAX_ROWS; i++) {
        const struct sl_operator_shift *shift = &a->operators[i];
        const struct sl_operator_shift *same = same_operator(b, named(shift));
        if (same)
            out->rows[out->count++] =
                (struct row){.name = named(shift)->name,
                             .name_len = named(shift)->name_len,
                             .theirs = {shift->baseline_cost, shift->candidate_cost},
                             .ours = {same->baseline_cost, same->candidate_cost}};
    }
    qsort(out->rows, out->count, sizeof(out->rows[0]), by_left);
    return true;
}

size_t sl_runtime_gap_count(const struct sl_report *reports, size_t count)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += ours_of(reports, count, i) != NULL;
    return found;
}

bool sl_runtime_gap_words(const struct sl_report *reports, size_t count, size_t index, char *out,
                          size_t size)
{
    struct gap gap;
    size_t len = 0;
    out[0] = '\0';
    if (!find_gap(reports, count, index, &gap))
        return false;
    int unit = gap.report->comparison->comparison->unit;
    for (size_t i = 0; i < gap.count && i < SAID_ROWS && left_of(&gap.rows[i]) > 0; i++) {
        char theirs[48], ours[48];
        const struct row *row = &gap.rows[i];
        sl_unit_format(theirs, sizeof(theirs), row->theirs[1], unit);
        sl_unit_format(ours, sizeof(ours), row->ours[1], unit);
        int more =
            snprintf(out + len, size - len, "%s%.*s takes %s with SME2 on, ours %s", i ? "; " : "",
                     (int)(row->name_len < 60 ? row->name_len : 60), row->name, theirs, ours);
        if (more < 0 || (size_t)more >= size - len)
            break;
        len += (size_t)more;
    }
    return len > 0;
}

static void put_row(struct sl_table *out, const struct gap *gap, const struct row *row)
{
    int unit = gap->report->comparison->comparison->unit;
    sl_table_text(out, gap->report->model);
    sl_table_cell(out, row->name, row->name_len);
    sl_table_figure(out, row->theirs[0], unit);
    sl_table_figure(out, row->theirs[1], unit);
    sl_table_figure(out, row->ours[0], unit);
    sl_table_figure(out, row->ours[1], unit);
    sl_table_figure(out, left_of(row), unit);
}

void sl_runtime_gap_table(const struct sl_report *reports, size_t count, struct sl_table *out)
{
    static const char *const heads[] = {
        "~Model", "Operator", ">ExecuTorch, off", ">on", ">Ours, off", ">on", ">Left", NULL};
    struct gap gap;
    sl_table_init(out, "left", "What is left in ExecuTorch", heads);
    snprintf(out->note, sizeof(out->note),
             "Each run's own work. Left is what ExecuTorch takes with SME2 on beyond our kernels "
             "with SME2 on. The %d operators with the most of it; `report --format json` has all.",
             (int)SHOWN_ROWS);
    for (size_t i = 0; i < count; i++) {
        if (!find_gap(reports, count, i, &gap))
            continue;
        put_row(out, &gap, &gap.whole);
        for (size_t k = 0; k < gap.count && k < SHOWN_ROWS; k++)
            put_row(out, &gap, &gap.rows[k]);
    }
}

static void put_sides(struct sl_json *json, const char *key, const double sides[2], int unit)
{
    char name[SL_UNIT_KEY_SIZE];
    sl_json_open_object(json, key);
    sl_json_f64(json, sl_unit_key(name, "off", unit), sides[0]);
    sl_json_f64(json, sl_unit_key(name, "on", unit), sides[1]);
    sl_json_close_object(json);
}

static void put_json_row(struct sl_json *json, const char *key, const struct row *row, int unit)
{
    char name[SL_UNIT_KEY_SIZE], operator[SL_TEXT_SIZE];
    sl_json_open_object(json, key);
    if (!key)
        sl_json_text(json, "name", sl_text_copy(operator, row->name, row->name_len));
    put_sides(json, "executorch", row->theirs, unit);
    put_sides(json, "own", row->ours, unit);
    sl_json_f64(json, sl_unit_key(name, "left", unit), left_of(row));
    sl_json_close_object(json);
}

void sl_runtime_gap_json(struct sl_json *json, const struct sl_report *reports, size_t count)
{
    struct gap gap;
    sl_json_open_array(json, "left");
    for (size_t i = 0; i < count; i++) {
        if (!find_gap(reports, count, i, &gap))
            continue;
        int unit = gap.report->comparison->comparison->unit;
        sl_json_open_object(json, NULL);
        sl_json_text(json, "model", gap.report->model);
        sl_json_text(json, "threads", gap.report->threads);
        put_json_row(json, "whole", &gap.whole, unit);
        sl_json_open_array(json, "operators");
        for (size_t k = 0; k < gap.count; k++)
            put_json_row(json, NULL, &gap.rows[k], unit);
        sl_json_close_array(json);
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
}
