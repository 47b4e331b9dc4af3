/* host/analysis/operator_join.c */
#include "host/analysis/operator_join.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "host/analysis/attribution.h"

static int compare_pointers(const void *a, const void *b)
{
    return a < b ? -1 : a > b;
}

static int by_operators(const void *a, const void *b)
{
    const struct sl_operator_shift *x = a;
    const struct sl_operator_shift *y = b;
    int order = compare_pointers(x->baseline, y->baseline);
    return order != 0 ? order : compare_pointers(x->candidate, y->candidate);
}

static int by_cost(const void *a, const void *b)
{
    const struct sl_operator_shift *x = a;
    const struct sl_operator_shift *y = b;
    if (x->baseline_cost != y->baseline_cost)
        return x->baseline_cost > y->baseline_cost ? -1 : 1;
    if (x->candidate_cost != y->candidate_cost)
        return x->candidate_cost > y->candidate_cost ? -1 : 1;
    return by_operators(a, b);
}

/* Adds up rows of the same two operators; rows are sorted by them. Returns how many are left. */
static size_t merge(struct sl_operator_shift *rows, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && by_operators(&rows[kept - 1], &rows[i]) == 0) {
            rows[kept - 1].baseline_cost += rows[i].baseline_cost;
            rows[kept - 1].candidate_cost += rows[i].candidate_cost;
        } else {
            rows[kept++] = rows[i];
        }
    }
    return kept;
}

static size_t rows_by_place(const struct sl_attribution *baseline,
                            const struct sl_attribution *candidate, struct sl_operator_shift *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < baseline->position_count; i++) {
        const struct sl_position *b = &baseline->positions[i];
        const struct sl_position *c = &candidate->positions[i];
        if (b->operator_index == SL_POSITION_NO_OPERATOR)
            continue;
        rows[count++] = (struct sl_operator_shift){
            .baseline = &baseline->operators[b->operator_index],
            .candidate = &candidate->operators[c->operator_index],
            .baseline_cost = (double)b->total / (double)baseline->measured_count,
            .candidate_cost = (double)c->total / (double)candidate->measured_count};
    }
    qsort(rows, count, sizeof(*rows), by_operators);
    return merge(rows, count);
}

bool sl_operator_same_places(const struct sl_attribution *baseline,
                             const struct sl_attribution *candidate)
{
    if (baseline->position_count == 0 || baseline->position_count != candidate->position_count)
        return false;
    for (size_t i = 0; i < baseline->position_count; i++) {
        uint32_t b = baseline->positions[i].operator_index;
        uint32_t c = candidate->positions[i].operator_index;
        if ((b == SL_POSITION_NO_OPERATOR) != (c == SL_POSITION_NO_OPERATOR))
            return false;
    }
    return true;
}

static int compare_names(const struct sl_operator *x, const struct sl_operator *y)
{
    uint32_t shorter = x->name_len < y->name_len ? x->name_len : y->name_len;
    int order = memcmp(x->name, y->name, shorter);
    if (order != 0)
        return order;
    if (x->name_len != y->name_len)
        return x->name_len < y->name_len ? -1 : 1;
    return strcmp(x->origin ? x->origin : "", y->origin ? y->origin : "");
}

static int by_name(const void *a, const void *b)
{
    const struct sl_operator *x = *(const struct sl_operator *const *)a;
    const struct sl_operator *y = *(const struct sl_operator *const *)b;
    int order = compare_names(x, y);
    return order != 0 ? order : compare_pointers(x, y);
}

static const struct sl_operator **sorted_operators(const struct sl_attribution *a)
{
    const struct sl_operator **list = sl_malloc(a->operator_count, sizeof(*list));
    if (!list)
        return NULL;
    for (size_t i = 0; i < a->operator_count; i++)
        list[i] = &a->operators[i];
    qsort(list, a->operator_count, sizeof(*list), by_name);
    return list;
}

static double cost(const struct sl_operator *op, const struct sl_attribution *a)
{
    return op ? (double)op->total / (double)a->measured_count : 0.0;
}

static int rows_by_name(const struct sl_attribution *baseline,
                        const struct sl_attribution *candidate, struct sl_operator_shift *rows,
                        size_t *out_count)
{
    const struct sl_operator **base = sorted_operators(baseline);
    const struct sl_operator **cand = sorted_operators(candidate);
    size_t b = 0;
    size_t c = 0;
    size_t count = 0;
    bool ready = base && cand;
    while (ready && (b < baseline->operator_count || c < candidate->operator_count)) {
        int order = b == baseline->operator_count    ? 1
                    : c == candidate->operator_count ? -1
                                                     : compare_names(base[b], cand[c]);
        const struct sl_operator *x = order <= 0 ? base[b++] : NULL;
        const struct sl_operator *y = order >= 0 ? cand[c++] : NULL;
        rows[count++] = (struct sl_operator_shift){.baseline = x,
                                                   .candidate = y,
                                                   .baseline_cost = cost(x, baseline),
                                                   .candidate_cost = cost(y, candidate)};
    }
    sl_free(base);
    sl_free(cand);
    *out_count = count;
    return ready ? 0 : -ENOMEM;
}

int sl_operator_join(const struct sl_attribution *baseline, const struct sl_attribution *candidate,
                     struct sl_operator_shift **out, size_t *out_count)
{
    bool by_place = sl_operator_same_places(baseline, candidate);
    size_t room =
        by_place ? baseline->position_count : baseline->operator_count + candidate->operator_count;
    size_t count = 0;
    struct sl_operator_shift *rows = sl_malloc(room, sizeof(*rows));
    if (!rows)
        return -ENOMEM;
    if (by_place) {
        count = rows_by_place(baseline, candidate, rows);
    } else if (rows_by_name(baseline, candidate, rows, &count) < 0) {
        sl_free(rows);
        return -ENOMEM;
    }
    qsort(rows, count, sizeof(*rows), by_cost);
    for (size_t i = 0; i < count; i++)
        rows[i].delta_low = rows[i].delta_high = rows[i].p = rows[i].q = NAN;
    *out = rows;
    *out_count = count;
    return 0;
}
