/* host/report/runtime_gap.c */
#include "host/report/runtime_gap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/json.h"
#include "common/format/sltrace.h"
#include "host/analysis/category.h"
#include "host/analysis/comparison.h"
#include "host/analysis/conditions.h"
#include "host/analysis/operators.h"
#include "host/report/brief_rows.h"
#include "host/report/comparison.h"
#include "host/report/report.h"
#include "host/report/style.h"
#include "host/report/table.h"
#include "host/report/text.h"
#include "host/report/unit.h"

enum { MAX_ROWS = 512, SHOWN_ROWS = 20, SAID_ROWS = 5, BRIEF_ROWS = 3 };

/* One operator, a category, or the whole run: costs of a run with SME2 off and on. */
struct row {
    const char *name;
    size_t name_len;
    double theirs[2], ours[2];
    const char *their_kernel, *our_kernel; /* with SME2 on; NULL: none, or it has no name */
};

struct gap {
    const struct sl_report *report; /* ExecuTorch's */
    struct row whole;
    struct row categories[SL_CATEGORY_COUNT]; /* those that are there */
    size_t category_count;
    struct row rows[MAX_ROWS]; /* the largest gap first */
    size_t count;
};

static const char *text_of(const char *text)
{
    return text ? text : "";
}

/* Experiments of one family differ by the runtime's ending, which those of lists follow. */
static bool same_family(const char *theirs, const char *ours)
{
    static const char ending[] = "_executorch";
    size_t tail = sizeof(ending) - 1;
    if (strcmp(theirs, ours) == 0)
        return true;
    for (const char *at = strstr(theirs, ending); at; at = strstr(at + 1, ending)) {
        size_t before = (size_t)(at - theirs);
        if ((at[tail] == '\0' || at[tail] == '_') && strncmp(theirs, ours, before) == 0 &&
            strcmp(at + tail, ours + before) == 0)
            return true;
    }
    return false;
}

static bool same_condition(const struct sl_report *a, const struct sl_report *b, int condition)
{
    return !a->conditions || !b->conditions ||
           strcmp(a->conditions->values[condition], b->conditions->values[condition]) == 0;
}

static bool belong_together(const struct sl_report *theirs, const struct sl_report *ours)
{
    return theirs->comparison->runtime && !ours->comparison->runtime && !ours->clean &&
           !theirs->clean && strcmp(text_of(theirs->model), text_of(ours->model)) == 0 &&
           same_family(text_of(theirs->experiment), text_of(ours->experiment)) &&
           strcmp(text_of(theirs->process), text_of(ours->process)) == 0 &&
           same_condition(theirs, ours, SL_CONDITION_MODEL) &&
           same_condition(theirs, ours, SL_CONDITION_INPUTS) &&
           strcmp(text_of(theirs->device), text_of(ours->device)) == 0 &&
           strcmp(text_of(theirs->threads), text_of(ours->threads)) == 0 &&
           strcmp(text_of(theirs->concurrency), text_of(ours->concurrency)) == 0 &&
           theirs->comparison->comparison->unit == ours->comparison->comparison->unit;
}

const struct sl_report *sl_runtime_gap_ours(const struct sl_report *reports, size_t count,
                                            size_t index)
{
    const struct sl_report *first = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!belong_together(&reports[index], &reports[i]))
            continue;
        if (strcmp(text_of(reports[index].directory), text_of(reports[i].directory)) == 0)
            return &reports[i];
        first = first ? first : &reports[i];
    }
    return first;
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

static void add_categories(const struct sl_comparison *theirs, const struct sl_comparison *ours,
                           struct gap *out)
{
    out->category_count = 0;
    for (int i = 0; i < SL_CATEGORY_COUNT; i++) {
        const struct sl_category_shift *a = &theirs->categories[i], *b = &ours->categories[i];
        if (a->baseline + a->candidate + b->baseline + b->candidate > 0)
            out->categories[out->category_count++] =
                (struct row){.name = sl_category_name(i),
                             .name_len = strlen(sl_category_name(i)),
                             .theirs = {a->baseline, a->candidate},
                             .ours = {b->baseline, b->candidate}};
    }
}

static void add_operator(const struct sl_operator_shift *theirs,
                         const struct sl_operator_shift *ours, struct gap *out)
{
    out->rows[out->count++] =
        (struct row){.name = named(theirs)->name,
                     .name_len = named(theirs)->name_len,
                     .theirs = {theirs->baseline_cost, theirs->candidate_cost},
                     .ours = {ours->baseline_cost, ours->candidate_cost},
                     .their_kernel = theirs->candidate ? theirs->candidate->kernel : NULL,
                     .our_kernel = ours->candidate ? ours->candidate->kernel : NULL};
}

/* False where the report at `index` is not ExecuTorch's, or has no own one beside it. */
static bool find_gap(const struct sl_report *reports, size_t count, size_t index, struct gap *out)
{
    const struct sl_report *report = &reports[index],
                           *own = sl_runtime_gap_ours(reports, count, index);
    if (!own)
        return false;
    const struct sl_comparison *a = report->comparison->comparison;
    const struct sl_comparison *b = own->comparison->comparison;
    out->report = report;
    out->count = 0;
    out->whole =
        (struct row){.theirs = {a->whole_baseline, a->whole_candidate}, /* means, as categories */
                     .ours = {b->whole_baseline, b->whole_candidate}};
    add_categories(a, b, out);
    for (size_t i = 0; i < a->operator_count && out->count < MAX_ROWS; i++) {
        const struct sl_operator_shift *same = same_operator(b, named(&a->operators[i]));
        if (same)
            add_operator(&a->operators[i], same, out);
    }
    qsort(out->rows, out->count, sizeof(out->rows[0]), by_left);
    return true;
}

size_t sl_runtime_gap_count(const struct sl_report *reports, size_t count)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += sl_runtime_gap_ours(reports, count, i) != NULL;
    return found;
}

static void put_figures(struct sl_table *out, const struct gap *gap, const struct row *row,
                        bool ratios)
{
    int unit = gap->report->comparison->comparison->unit;
    if (row == &gap->whole)
        sl_table_printf(out, "%s, end to end", gap->report->model);
    else
        sl_table_cell(out, row->name, row->name_len);
    for (int side = 0; side < 2; side++) {
        const double *cost = side ? row->ours : row->theirs;
        sl_table_figure(out, cost[0], unit);
        sl_table_figure(out, cost[1], unit);
        if (ratios)
            sl_table_ratio(out, cost[0], cost[1], 2);
    }
    sl_table_figure(out, left_of(row), unit);
}

static void put_row(struct sl_table *out, const struct gap *gap, const struct row *row)
{
    put_figures(out, gap, row, true);
    if (row->their_kernel || row->our_kernel)
        sl_table_printf(out, "%s; ours %s", row->their_kernel ? row->their_kernel : "no name",
                        row->our_kernel ? row->our_kernel : "no name");
    else
        sl_table_text(out, "-");
}

void sl_runtime_gap_table(const struct sl_report *reports, size_t count, struct sl_table *out)
{
    static const char *const heads[] = {
        "Operator", ">ExecuTorch, off",     ">on", ">Ratio", ">Ours, off", ">on", ">Ratio",
        ">Left",    "Kernels with SME2 on", NULL};
    struct gap gap;
    sl_table_init(out, "left", "What is left in ExecuTorch", heads);
    out->fixed = true; /* the whole, its categories, its operators */
    snprintf(out->note, sizeof(out->note),
             "Each run's own work, mean per run. Left is what ExecuTorch takes with SME2 on beyond "
             "our kernels "
             "with SME2 on. The %d operators with the most of it; `report --format json` has all.",
             (int)SHOWN_ROWS);
    for (size_t i = 0; i < count; i++) {
        if (!find_gap(reports, count, i, &gap))
            continue;
        put_row(out, &gap, &gap.whole);
        for (size_t k = 0; k < gap.category_count; k++)
            put_row(out, &gap, &gap.categories[k]);
        for (size_t k = 0; k < gap.count && k < SHOWN_ROWS; k++)
            put_row(out, &gap, &gap.rows[k]);
    }
}

/* The largest part of a whole that it is in either runtime. */
static double share_of(const struct row *row, const struct row *whole)
{
    double share = 0;
    for (int level = 0; level < 2; level++) {
        share = fmax(share, row->theirs[level] / whole->theirs[level]); /* 0 / 0 is no maximum */
        share = fmax(share, row->ours[level] / whole->ours[level]);
    }
    return share;
}

/* A line each for the large ones; the others share one. */
static void put_brief_categories(struct sl_table *table, const struct gap *gap)
{
    char names[SL_BRIEF_NAMES_BYTES] = "";
    struct row rest = {.name = names};
    size_t others = 0;
    double shares[SL_CATEGORY_COUNT];
    bool alone[SL_CATEGORY_COUNT];
    for (size_t i = 0; i < gap->category_count; i++)
        shares[i] = share_of(&gap->categories[i], &gap->whole);
    sl_brief_rows(shares, gap->category_count, alone);
    for (size_t i = 0; i < gap->category_count; i++) {
        const struct row *row = &gap->categories[i];
        if (alone[i]) {
            put_figures(table, gap, row, false);
            continue;
        }
        sl_brief_rows_name(names, others++, row->name);
        rest.name_len = strlen(names);
        for (int level = 0; level < 2; level++) {
            rest.theirs[level] += row->theirs[level];
            rest.ours[level] += row->ours[level];
        }
    }
    if (names[0])
        put_figures(table, gap, &rest, false);
}

static const char *caption_of(const struct gap *gap)
{
    bool counted = gap->report->comparison->comparison->unit == SL_TRACE_INSTRUCTIONS;
    bool emulated = gap->report->comparison->emulated;
    return counted ? emulated ? "~instructions (emulated), not time" : "~instructions, not time"
                   : "~time a run";
}

/* The category that costs most of any side alone: what the whole has beyond it is all others'. */
static void put_largest_category(struct sl_table *table, const struct gap *gap)
{
    size_t largest = 0;
    for (size_t i = 1; i < gap->category_count; i++)
        if (share_of(&gap->categories[i], &gap->whole) >
            share_of(&gap->categories[largest], &gap->whole))
            largest = i;
    if (gap->category_count > 0)
        put_figures(table, gap, &gap->categories[largest], false);
}

/* The ratios stand in each runtime's verdict. Categories share fewer rows, and kernels are not
 * said, without `full`. */
static void fill_shown(struct sl_table *table, const struct gap *gap, bool full)
{
    const char *const heads[] = {caption_of(gap), ">ExecuTorch off", ">on", ">our off",
                                 ">our on",       ">on - ours",      NULL};
    static const struct sl_table_column widths[] = {{0, 0}, {14, 1}, {9, 1},
                                                    {9, 1}, {9, 1},  {9, 2}};
    size_t most = full ? SAID_ROWS : BRIEF_ROWS;
    sl_table_init(table, "left", "What is left in ExecuTorch", heads);
    sl_table_widths(table, widths);
    if (full)
        put_brief_categories(table, gap);
    else
        put_largest_category(table, gap);
    put_figures(table, gap, &gap->whole, false);
    for (size_t i = 0; i < gap->count && i < most && left_of(&gap->rows[i]) > 0; i++) {
        char name[SL_TEXT_SIZE], indented[SL_TEXT_SIZE + 2];
        struct row shown = gap->rows[i], *row = &shown;
        snprintf(indented, sizeof(indented), "  %s", sl_text_copy(name, row->name, row->name_len));
        row->name = indented;
        row->name_len = strlen(indented);
        put_figures(table, gap, row, false);
        if (full && (row->their_kernel || row->our_kernel))
            sl_table_line(table, SL_TONE_FAINT, "    %s; ours %s",
                          row->their_kernel ? row->their_kernel : "a kernel without a name",
                          row->our_kernel ? row->our_kernel : "a kernel without a name");
    }
}

int sl_runtime_gap_show(struct sl_buf *out, const struct sl_style *style,
                        const struct sl_report *reports, size_t count)
{
    int rc = 0;
    for (size_t i = 0; i < count && rc == 0; i++) {
        struct sl_table table;
        struct gap gap;
        if (!find_gap(reports, count, i, &gap))
            continue;
        fill_shown(&table, &gap, style->operators > BRIEF_ROWS);
        rc = sl_table_show(out, style, &table);
        sl_table_fini(&table);
    }
    return rc;
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
    if (!key) {
        sl_json_text(json, "kernel_executorch", row->their_kernel);
        sl_json_text(json, "kernel_own", row->our_kernel);
    }
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
        sl_json_open_array(json, "categories");
        for (size_t k = 0; k < gap.category_count; k++)
            put_json_row(json, NULL, &gap.categories[k], unit);
        sl_json_close_array(json);
        sl_json_open_array(json, "operators");
        for (size_t k = 0; k < gap.count; k++)
            put_json_row(json, NULL, &gap.rows[k], unit);
        sl_json_close_array(json);
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
}
