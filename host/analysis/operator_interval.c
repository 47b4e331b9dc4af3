/* host/analysis/operator_interval.c */
#include "host/analysis/operator_interval.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "host/analysis/attribution.h"
#include "host/analysis/bootstrap.h"
#include "host/analysis/false_discovery.h"
#include "host/analysis/operator_join.h"

struct work {
    const struct sl_attribution *sides[2]; /* baseline, candidate */
    struct sl_operator_shift *rows;
    size_t row_count;
    const uint32_t *pairs;
    size_t pair_count;
    uint32_t *row_of[2]; /* by position where places are the same, else by operator */
    bool by_place;
    double *deltas; /* pair by row: candidate - baseline, mean of the pair's runs */
    double *p, *q;
    struct sl_interval *intervals;
};

static int compare_ids(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Index of a measured run's pair among those compared; pair_count for none. */
static size_t pair_of(const struct work *w, const struct sl_attribution_run *run)
{
    const uint32_t *found =
        run->warmup ? NULL
                    : bsearch(&run->pair, w->pairs, w->pair_count, sizeof(*w->pairs), compare_ids);
    return found ? (size_t)(found - w->pairs) : w->pair_count;
}

static uint32_t row_of_operators(const struct work *w, const struct sl_operator *baseline,
                                 const struct sl_operator *candidate)
{
    uint32_t row = 0;
    while (row < w->row_count && ((baseline && w->rows[row].baseline != baseline) ||
                                  (candidate && w->rows[row].candidate != candidate)))
        row++;
    return row;
}

static int map_places(struct work *w)
{
    const struct sl_attribution *b = w->sides[0];
    const struct sl_attribution *c = w->sides[1];
    w->row_of[0] = sl_malloc(b->position_count, sizeof(uint32_t));
    if (!w->row_of[0])
        return -ENOMEM;
    for (size_t i = 0; i < b->position_count; i++) {
        uint32_t base = b->positions[i].operator_index;
        uint32_t cand = c->positions[i].operator_index;
        w->row_of[0][i] = base == SL_POSITION_NO_OPERATOR
                              ? (uint32_t)w->row_count
                              : row_of_operators(w, &b->operators[base], &c->operators[cand]);
    }
    return 0;
}

static int map_names(struct work *w)
{
    for (int side = 0; side < 2; side++) {
        const struct sl_attribution *a = w->sides[side];
        w->row_of[side] = sl_malloc(a->operator_count + 1, sizeof(uint32_t));
        if (!w->row_of[side])
            return -ENOMEM;
        for (size_t i = 0; i < a->operator_count; i++)
            w->row_of[side][i] = side == 0 ? row_of_operators(w, &a->operators[i], NULL)
                                           : row_of_operators(w, NULL, &a->operators[i]);
    }
    return 0;
}

static void add_run(struct work *w, int side, const struct sl_attribution_run *run, double *row,
                    double weight)
{
    const struct sl_attribution *a = w->sides[side];
    for (size_t i = 0; i < run->event_count; i++) {
        uint32_t operator_index = a->event_operators[run->first_event + i];
        if (operator_index >= a->operator_count)
            continue;
        uint32_t at = w->by_place ? w->row_of[0][i] : w->row_of[side][operator_index];
        if (at < w->row_count)
            row[at] += weight * (double)a->event_self[run->first_event + i];
    }
}

static int add_side(struct work *w, int side)
{
    const struct sl_attribution *a = w->sides[side];
    uint32_t *runs = sl_calloc(w->pair_count, sizeof(*runs));
    if (!runs)
        return -ENOMEM;
    for (size_t i = 0; i < a->run_count; i++) {
        size_t pair = pair_of(w, &a->runs[i]);
        if (pair < w->pair_count)
            runs[pair]++;
    }
    for (size_t i = 0; i < a->run_count; i++) {
        size_t pair = pair_of(w, &a->runs[i]);
        if (pair < w->pair_count)
            add_run(w, side, &a->runs[i], w->deltas + pair * w->row_count,
                    (side ? 1.0 : -1.0) / (double)runs[pair]);
    }
    sl_free(runs);
    return 0;
}

static void test_signs(struct work *w)
{
    for (size_t row = 0; row < w->row_count; row++) {
        size_t more = 0;
        size_t less = 0;
        for (size_t pair = 0; pair < w->pair_count; pair++) {
            double delta = w->deltas[pair * w->row_count + row];
            more += delta > 0;
            less += delta < 0;
        }
        w->p[row] = sl_sign_test(more, less);
    }
}

static int fill(struct work *w, const struct sl_bootstrap_plan *plan)
{
    w->deltas = sl_calloc(w->pair_count * w->row_count, sizeof(*w->deltas));
    w->p = sl_malloc(w->row_count, sizeof(*w->p));
    w->q = sl_malloc(w->row_count, sizeof(*w->q));
    w->intervals = sl_malloc(w->row_count, sizeof(*w->intervals));
    if (!w->deltas || !w->p || !w->q || !w->intervals)
        return -ENOMEM;
    int rc = w->by_place ? map_places(w) : map_names(w);
    for (int side = 0; rc == 0 && side < 2; side++)
        rc = add_side(w, side);
    if (rc < 0)
        return rc;
    test_signs(w);
    rc = sl_false_discovery(w->p, w->row_count, w->q);
    if (rc == 0)
        rc = sl_bootstrap_means(w->deltas, w->pair_count, w->row_count, plan, w->intervals);
    for (size_t i = 0; rc == 0 && i < w->row_count; i++) {
        w->rows[i].p = w->p[i];
        w->rows[i].q = w->q[i];
        w->rows[i].delta_low = w->intervals[i].low;
        w->rows[i].delta_high = w->intervals[i].high;
    }
    return rc;
}

int sl_operator_intervals(const struct sl_attribution *baseline,
                          const struct sl_attribution *candidate, const uint32_t *pairs,
                          size_t pair_count, const struct sl_bootstrap_plan *plan,
                          struct sl_operator_shift *rows, size_t row_count)
{
    struct work w = {.sides = {baseline, candidate},
                     .rows = rows,
                     .row_count = row_count,
                     .pairs = pairs,
                     .pair_count = pair_count,
                     .by_place = sl_operator_same_places(baseline, candidate)};
    if (row_count == 0 || pair_count < 2 || pair_count > SL_OPERATOR_INTERVAL_MAX_CELLS / row_count)
        return 0;
    int rc = fill(&w, plan);
    sl_free(w.row_of[0]);
    sl_free(w.row_of[1]);
    sl_free(w.deltas);
    sl_free(w.p);
    sl_free(w.q);
    sl_free(w.intervals);
    return rc;
}
