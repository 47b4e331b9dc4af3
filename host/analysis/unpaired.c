/* host/analysis/unpaired.c */
#include "host/analysis/unpaired.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "common/base/mem.h"
#include "host/analysis/bootstrap.h"
#include "host/analysis/dependence.h"
#include "host/analysis/statistics.h"

enum { MIN_RUNS = 5 };
static const double trend_confidence = 0.99;
static const double trend_matters = 0.01; /* from the first to the last third */
static const double least_effective = 4;
static const double most_overlap = 0.1;

static int median_of(const double *values, size_t n, double *out)
{
    double *copy = sl_malloc(n, sizeof(*copy));
    if (!copy)
        return -ENOMEM;
    memcpy(copy, values, n * sizeof(*copy));
    *out = sl_median_in_place(copy, n);
    sl_free(copy);
    return 0;
}

/* How many of the ascending values lie below `value`, equal ones by half. */
static double rank_of(const double *sorted, size_t n, double value)
{
    size_t low = 0;
    size_t high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    while (high < n && sorted[high] == value)
        high++;
    return (double)(low + high) / 2;
}

/* Spearman's correlation of value and time, by Student's distribution. */
static bool correlates_with_time(const struct sl_unpaired_side *side, const double *sorted)
{
    double n = (double)side->n;
    double product = 0;
    double squares = 0;
    for (size_t i = 0; i < side->n; i++) {
        double rank = rank_of(sorted, side->n, side->logs[i]) - n / 2;
        product += rank * ((double)i - (n - 1) / 2);
        squares += rank * rank;
    }
    double r = product / sqrt(squares * n * (n * n - 1) / 12);
    double t = fabs(r) * sqrt((n - 2) / fmax(1 - r * r, 1e-12));
    return squares > 0 && t > sl_student_width(trend_confidence, n - 2);
}

/* From the median of the first third to that of the last. */
static int change_of(const struct sl_unpaired_side *side, double *out)
{
    size_t third = (side->n + 2) / 3;
    double first;
    double last;
    int rc = median_of(side->logs, third, &first);
    if (rc == 0)
        rc = median_of(side->logs + side->n - third, third, &last);
    if (rc == 0)
        *out = expm1(last - first);
    return rc;
}

static int find_trend(const struct sl_unpaired_side *side, struct sl_unpaired_doubt *out)
{
    double *sorted = sl_malloc(side->n, sizeof(*sorted));
    double change = 0;
    if (!sorted)
        return -ENOMEM;
    memcpy(sorted, side->logs, side->n * sizeof(*sorted));
    sl_sort_doubles(sorted, side->n);
    int rc = correlates_with_time(side, sorted) ? change_of(side, &change) : 0;
    sl_free(sorted);
    if (rc == 0 && fabs(change) >= trend_matters)
        *out = (struct sl_unpaired_doubt){.kind = SL_UNPAIRED_TREND, .size = change};
    return rc;
}

static int find_dependence(const struct sl_unpaired_side *side, struct sl_unpaired_doubt *out)
{
    struct sl_dependence found;
    int rc = sl_dependence_of(side->logs, side->n, 0.95, &found);
    if (rc == 0 && side->n >= SL_DEPENDENCE_MIN_VALUES && found.effective < least_effective)
        *out = (struct sl_unpaired_doubt){.kind = SL_UNPAIRED_DEPENDENT, .size = found.effective};
    return rc;
}

/* Is the first or the last run nearer to the other side's median than to its own? */
static bool has_edge(const struct sl_unpaired_side *side, double own, double other)
{
    double edges[2] = {side->logs[0], side->logs[side->n - 1]};
    for (int i = 0; i < 2; i++) {
        if (fabs(edges[i] - other) < fabs(edges[i] - own))
            return true;
    }
    return false;
}

/* The share of pairs, one run from each side, in which the first side's run is the larger. */
static int share_above(const struct sl_unpaired_side sides[2], double *out)
{
    double *sorted = sl_malloc(sides[1].n, sizeof(*sorted));
    double sum = 0;
    if (!sorted)
        return -ENOMEM;
    memcpy(sorted, sides[1].logs, sides[1].n * sizeof(*sorted));
    sl_sort_doubles(sorted, sides[1].n);
    for (size_t i = 0; i < sides[0].n; i++)
        sum += rank_of(sorted, sides[1].n, sides[0].logs[i]) / (double)sides[1].n;
    sl_free(sorted);
    *out = sum / (double)sides[0].n;
    return 0;
}

static int compare_levels(const struct sl_unpaired_side sides[2], struct sl_unpaired_doubt *out)
{
    double medians[2];
    double above;
    int rc = median_of(sides[0].logs, sides[0].n, &medians[0]);
    if (rc == 0)
        rc = median_of(sides[1].logs, sides[1].n, &medians[1]);
    /* Sides that are alike end in no verdict without any of this. */
    if (rc < 0 || fabs(medians[0] - medians[1]) < log1p(SL_UNPAIRED_FLOOR))
        return rc;
    for (int side = 0; side < 2; side++) {
        if (has_edge(&sides[side], medians[side], medians[1 - side])) {
            *out = (struct sl_unpaired_doubt){.kind = SL_UNPAIRED_EDGE, .side = side};
            return 0;
        }
    }
    rc = share_above(sides, &above);
    double overlap = rc < 0 ? 0 : medians[0] > medians[1] ? 1 - above : above;
    if (overlap > most_overlap)
        *out = (struct sl_unpaired_doubt){.kind = SL_UNPAIRED_OVERLAP, .size = overlap};
    return rc;
}

int sl_unpaired_doubt(const struct sl_unpaired_side sides[2], struct sl_unpaired_doubt *out)
{
    static int (*const finders[])(const struct sl_unpaired_side *,
                                  struct sl_unpaired_doubt *) = {find_trend, find_dependence};
    *out = (struct sl_unpaired_doubt){.kind = SL_UNPAIRED_SOUND};
    if (sides[0].n < MIN_RUNS || sides[1].n < MIN_RUNS)
        return 0;
    for (size_t f = 0; f < sizeof(finders) / sizeof(finders[0]); f++) {
        for (int side = 0; side < 2; side++) {
            int rc = finders[f](&sides[side], out);
            out->side = side;
            if (rc < 0 || out->kind != SL_UNPAIRED_SOUND)
                return rc;
        }
    }
    return compare_levels(sides, out);
}

static void range_of(const struct sl_unpaired_side *side, double *least, double *most)
{
    *least = INFINITY;
    *most = -INFINITY;
    for (size_t i = 0; i < side->n; i++) {
        *least = fmin(*least, side->logs[i]);
        *most = fmax(*most, side->logs[i]);
    }
}

bool sl_unpaired_range(const struct sl_unpaired_side sides[2], double *out_low, double *out_high)
{
    double least[2];
    double most[2];
    if (sides[0].n < SL_UNPAIRED_FEW || sides[1].n < SL_UNPAIRED_FEW)
        return false;
    for (int side = 0; side < 2; side++)
        range_of(&sides[side], &least[side], &most[side]);
    *out_low = least[0] - most[1];
    *out_high = most[0] - least[1];
    return true;
}

int sl_unpaired_edges(const struct sl_unpaired_side sides[2], double *out_down, double *out_up)
{
    double down = 0;
    double up = 0;
    for (int side = 0; side < 2; side++) {
        double median;
        const double edges[2] = {sides[side].logs[0], sides[side].logs[sides[side].n - 1]};
        int rc = median_of(sides[side].logs, sides[side].n, &median);
        if (rc < 0)
            return rc;
        for (int i = 0; i < 2; i++) {
            double away = side == 0 ? edges[i] - median : median - edges[i];
            down = fmax(down, -away);
            up = fmax(up, away);
        }
    }
    *out_down = down;
    *out_up = up;
    return 0;
}
