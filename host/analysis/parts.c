/* host/analysis/parts.c */
#include "host/analysis/parts.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "host/analysis/attribution.h"
#include "host/analysis/workload.h"

static const char other[] = "other", packing_inside[] = SL_PART_PACKING;

struct parts {
    struct sl_part *list;
    size_t count;
    bool packing; /* is told apart */
};

/* The part of that name; where there is no room for it, the category's "other". */
static struct sl_part *find(struct parts *parts, int category, const char *name)
{
    bool kept = name == other || name == packing_inside; /* these have room of their own */
    size_t room = kept ? SL_PARTS_MAX : SL_PARTS_MAX - 2 * SL_CATEGORY_COUNT;
    for (size_t i = 0; i < parts->count; i++) {
        struct sl_part *part = &parts->list[i];
        if (part->category == category && strcmp(part->name, name) == 0)
            return part;
    }
    if (parts->count >= room)
        return find(parts, category, other);
    parts->list[parts->count] = (struct sl_part){.category = category, .name = name};
    return &parts->list[parts->count++];
}

static const char *part_of(const struct sl_operator *op, const struct sl_position *at)
{
    if (!op->part)
        return other;
    bool dense = op->category == SL_CATEGORY_CONV && strcmp(op->part, "dense") == 0;
    return dense && at && sl_workload_is_pointwise(at->operands, at->origin) ? "pointwise"
                                                                             : op->part;
}

static void add_cost(struct parts *parts, int category, const char *name, double cost,
                     bool candidate)
{
    if (cost == 0 || category == SL_CATEGORY_FRAMEWORK)
        return;
    struct sl_part *part = find(parts, category, name);
    *(candidate ? &part->candidate : &part->baseline) += cost;
}

/* An operator's cost, or that of one place of it; operators of other categories that pack do
 * nothing else. */
static void add(struct parts *parts, const struct sl_operator *op, const struct sl_position *at,
                double runs, bool candidate)
{
    int64_t total = at ? at->total : op->total, packing = at ? at->packing : op->packing;
    if (!parts->packing || (op->category != SL_CATEGORY_CONV && op->category != SL_CATEGORY_GEMM))
        packing = 0;
    add_cost(parts, op->category, part_of(op, at), ((double)total - (double)packing) / runs,
             candidate);
    add_cost(parts, op->category, packing_inside, (double)packing / runs, candidate);
}

/* By place where the runs have the same events: only there a shape is known. */
static void add_side(struct parts *parts, const struct sl_attribution *a, bool candidate)
{
    double runs = a->measured_count > 0 ? (double)a->measured_count : 1;
    for (size_t i = 0; i < a->position_count; i++) {
        const struct sl_position *at = &a->positions[i];
        if (at->operator_index < a->operator_count)
            add(parts, &a->operators[at->operator_index], at, runs, candidate);
    }
    for (size_t i = 0; a->position_count == 0 && i < a->operator_count; i++)
        add(parts, &a->operators[i], NULL, runs, candidate);
}

static int by_category_and_cost(const void *a, const void *b)
{
    const struct sl_part *x = a, *y = b;
    double x_cost = x->baseline + x->candidate, y_cost = y->baseline + y->candidate;
    if (x->category != y->category)
        return x->category - y->category;
    return x_cost > y_cost ? -1 : x_cost < y_cost ? 1 : strcmp(x->name, y->name);
}

/* "other" alone says no more than its category. */
static size_t drop_lonely(struct sl_part *list, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        bool before = i > 0 && list[i - 1].category == list[i].category;
        bool behind = i + 1 < count && list[i + 1].category == list[i].category;
        if (before || behind || list[i].name != other)
            list[kept++] = list[i];
    }
    return kept;
}

bool sl_parts_tell_packing(const struct sl_attribution *baseline,
                           const struct sl_attribution *candidate)
{
    return baseline->packing && (!candidate || candidate->packing);
}

size_t sl_parts_compare(const struct sl_attribution *baseline,
                        const struct sl_attribution *candidate, struct sl_part out[SL_PARTS_MAX])
{
    struct parts parts = {out, 0, sl_parts_tell_packing(baseline, candidate)};
    add_side(&parts, baseline, false);
    if (candidate)
        add_side(&parts, candidate, true);
    qsort(out, parts.count, sizeof(*out), by_category_and_cost);
    return drop_lonely(out, parts.count);
}
