/* host/analysis/sweep.c */
#include "host/analysis/sweep.h"

#include <math.h>

static bool usable(const struct sl_sweep_point *p)
{
    return p->threads > 0 && p->baseline > 0 && p->candidate > 0 && p->ratio > 0 &&
           isfinite(p->baseline) && isfinite(p->candidate) && isfinite(p->ratio);
}

/* Puts a point to its place; one of as many threads is left out. */
static void insert(struct sl_sweep *s, const struct sl_sweep_point *point)
{
    size_t at = 0;
    while (at < s->count && s->points[at].threads < point->threads)
        at++;
    if (s->count == SL_SWEEP_MAX_POINTS ||
        (at < s->count && s->points[at].threads == point->threads))
        return;
    for (size_t i = s->count++; i > at; i--)
        s->points[i] = s->points[i - 1];
    s->points[at] = *point;
}

int sl_sweep_says(const struct sl_sweep_point *p)
{
    double low = isfinite(p->low) ? p->low : p->ratio; /* exact figures have no interval */
    double high = isfinite(p->high) ? p->high : p->ratio;
    return low > 1 ? 1 : high < 1 ? -1 : 0;
}

/* The first place where the ratio passes 1; between the two points it is taken to change evenly by
 * factors, in threads as in ratio. */
static void find_crossover(struct sl_sweep *s)
{
    s->crossover = NAN;
    s->crossing = s->points[0].ratio > 1 ? SL_SWEEP_ALWAYS_FASTER : SL_SWEEP_NEVER_FASTER;
    for (size_t i = 1; i < s->count; i++) {
        const struct sl_sweep_point *a = &s->points[i - 1];
        const struct sl_sweep_point *b = &s->points[i];
        if ((a->ratio > 1) == (b->ratio > 1))
            continue;
        double share = log(a->ratio) / (log(a->ratio) - log(b->ratio));
        s->crossover = exp(log(a->threads) + share * (log(b->threads) - log(a->threads)));
        s->crossing = SL_SWEEP_CROSSES;
        s->before = i - 1;
        s->after = i;
        s->crossover_proven = sl_sweep_says(a) != 0 && sl_sweep_says(b) != 0;
        return;
    }
}

static void find_contention(struct sl_sweep *s)
{
    const struct sl_sweep_point *fewest = &s->points[0];
    const struct sl_sweep_point *most = &s->points[s->count - 1];
    bool apart = !isfinite(fewest->low) || !isfinite(most->high) || fewest->low > most->high;
    s->loss = fewest->ratio / most->ratio;
    s->contention = s->loss > SL_SWEEP_CONTENTION && apart;
}

bool sl_sweep_make(const struct sl_sweep_point *points, size_t count, struct sl_sweep *out)
{
    struct sl_sweep s = {.count = 0};
    double least = INFINITY;
    for (size_t i = 0; i < count; i++) {
        if (usable(&points[i]))
            insert(&s, &points[i]);
    }
    if (s.count < 2)
        return false;
    for (size_t i = 0; i < s.count; i++) {
        struct sl_sweep_point *p = &s.points[i];
        p->baseline_scaling = s.points[0].baseline / p->baseline;
        p->candidate_scaling = s.points[0].candidate / p->candidate;
        if (fmin(p->baseline, p->candidate) < least) {
            s.best = i;
            s.best_is_candidate = p->candidate <= p->baseline;
        }
        least = fmin(least, fmin(p->baseline, p->candidate));
    }
    find_crossover(&s);
    find_contention(&s);
    *out = s;
    return true;
}
