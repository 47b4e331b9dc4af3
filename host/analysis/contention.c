/* host/analysis/contention.c */
#include "host/analysis/contention.h"

#include <math.h>

static bool usable(const struct sl_contention_point *p)
{
    return p->threads > 0 && p->processes > 0 && p->baseline > 0 && p->candidate > 0 &&
           p->ratio > 0 && isfinite(p->baseline) && isfinite(p->candidate) && isfinite(p->ratio);
}

/* The place of a value in an ascending list, put there if it is new and there is room. */
static bool place(double *values, size_t *count, double value)
{
    size_t at = 0;
    while (at < *count && values[at] < value)
        at++;
    if (at < *count && values[at] <= value)
        return true;
    if (*count == SL_CONTENTION_MAX)
        return false;
    for (size_t i = (*count)++; i > at; i--)
        values[i] = values[i - 1];
    values[at] = value;
    return true;
}

static size_t find(const double *values, size_t count, double value)
{
    size_t at = 0;
    while (at < count && values[at] < value)
        at++;
    return at;
}

static void fill(struct sl_contention *map, const struct sl_contention_point *points, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct sl_contention_point *p = &points[i];
        if (!usable(p))
            continue;
        size_t row = find(map->threads, map->thread_count, p->threads);
        size_t column = find(map->processes, map->process_count, p->processes);
        struct sl_contention_cell *cell = &map->cells[row][column];
        if (!cell->measured)
            *cell = (struct sl_contention_cell){true, *p, NAN, NAN};
    }
}

bool sl_contention_ends(const struct sl_contention *map, size_t row,
                        const struct sl_contention_cell **out_first,
                        const struct sl_contention_cell **out_last)
{
    const struct sl_contention_cell *first = NULL, *last = NULL;
    for (size_t i = 0; i < map->process_count; i++) {
        const struct sl_contention_cell *cell = &map->cells[row][i];
        if (!cell->measured)
            continue;
        first = first ? first : cell;
        last = cell;
    }
    *out_first = first;
    *out_last = last;
    return first != last;
}

static void judge_row(struct sl_contention *map, size_t row)
{
    const struct sl_contention_cell *first, *last;
    if (!sl_contention_ends(map, row, &first, &last))
        return;
    for (size_t i = 0; i < map->process_count; i++) {
        struct sl_contention_cell *cell = &map->cells[row][i];
        if (!cell->measured)
            continue;
        cell->baseline_slowdown = cell->point.baseline / first->point.baseline;
        cell->candidate_slowdown = cell->point.candidate / first->point.candidate;
    }
    const struct sl_contention_point *a = &first->point, *b = &last->point;
    bool apart = !isfinite(a->low) || !isfinite(b->high) || a->low > b->high;
    double loss = a->ratio / b->ratio;
    if (isfinite(map->loss) && loss <= map->loss)
        return;
    map->loss = loss;
    map->worst = row;
    map->contention = loss > SL_CONTENTION_LOSS && apart;
}

bool sl_contention_make(const struct sl_contention_point *points, size_t count,
                        struct sl_contention *out)
{
    *out = (struct sl_contention){.loss = NAN};
    for (size_t i = 0; i < count; i++) {
        if (usable(&points[i]) &&
            (!place(out->threads, &out->thread_count, points[i].threads) ||
             !place(out->processes, &out->process_count, points[i].processes)))
            return false;
    }
    if (out->process_count < 2)
        return false;
    fill(out, points, count);
    for (size_t row = 0; row < out->thread_count; row++)
        judge_row(out, row);
    return true;
}
