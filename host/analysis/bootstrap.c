/* host/analysis/bootstrap.c */
#include "host/analysis/bootstrap.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "common/base/mem.h"
#include "host/analysis/random.h"
#include "host/analysis/statistics.h"

enum {
    RATIO,
    WHOLE,
    DELTAS,
    SHARES = DELTAS + SL_CATEGORY_COUNT, /* of the baseline, then of the candidate */
    ROWS = SHARES + 2 * SL_CATEGORY_COUNT,
};
enum { COLUMNS = 32 }; /* whose means are resampled at a time */

/* One resampled set: its values to take the median of, and the sums of its categories. */
struct sample {
    double *values;
    double sums[2][SL_CATEGORY_COUNT];
};

static void swap(double *a, double *b)
{
    double kept = *a;
    *a = *b;
    *b = kept;
}

/* Puts the k-th smallest to its place, smaller ones before it (Hoare's selection). */
static double select_kth(double *values, size_t n, size_t k)
{
    size_t low = 0;
    size_t high = n - 1;
    while (low < high) {
        double pivot = values[low + (high - low) / 2];
        size_t i = low;
        size_t j = high;
        for (;;) {
            while (values[i] < pivot)
                i++;
            while (values[j] > pivot)
                j--;
            if (i >= j)
                break;
            swap(&values[i++], &values[j--]);
        }
        if (k <= j)
            high = j;
        else
            low = j + 1;
    }
    return values[k];
}

double sl_median_in_place(double *values, size_t n)
{
    if (n == 0)
        return NAN;
    double upper = select_kth(values, n, n / 2);
    if (n % 2 == 1)
        return upper;
    double lower = values[0];
    for (size_t i = 1; i < n / 2; i++)
        lower = fmax(lower, values[i]);
    return lower + (upper - lower) / 2;
}

/* Draws n of n blocks in pieces of `length` neighbours; a piece goes on at the front. */
static void draw(struct sl_random *random, const struct sl_block *blocks, size_t n, size_t length,
                 bool parts, struct sample *out)
{
    memset(out->sums, 0, sizeof(out->sums));
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        at = i % length == 0 ? sl_random_below(random, n) : (at + 1) % n;
        out->values[i] = blocks[at].value;
        for (int c = 0; parts && c < SL_CATEGORY_COUNT; c++) {
            out->sums[0][c] += blocks[at].categories[0][c];
            out->sums[1][c] += blocks[at].categories[1][c];
        }
    }
}

/* Means of resample `b` from the sums of both sides, and what follows from them. */
static void put_parts(double *rows, const struct sl_bootstrap_plan *plan, size_t b,
                      const double *baseline, size_t baseline_count, const double *candidate,
                      size_t candidate_count)
{
    double means[2][SL_CATEGORY_COUNT];
    double whole[2] = {0, 0};
    size_t stride = plan->iterations;
    for (size_t c = 0; c < SL_CATEGORY_COUNT; c++) {
        means[0][c] = baseline[c] / (double)baseline_count;
        means[1][c] = candidate[c] / (double)candidate_count;
        whole[0] += means[0][c];
        whole[1] += means[1][c];
        rows[(DELTAS + c) * stride + b] = means[1][c] - means[0][c];
    }
    rows[WHOLE * stride + b] = whole[1] - whole[0];
    for (size_t c = 0; c < SL_CATEGORY_COUNT; c++) {
        rows[(SHARES + c) * stride + b] = means[0][c] / whole[0];
        rows[(SHARES + SL_CATEGORY_COUNT + c) * stride + b] = means[1][c] / whole[1];
    }
}

/* Percentile q of values that are not sorted: the two around it are put to their places. */
static double percentile_in_place(double *values, size_t n, double q)
{
    size_t low = (size_t)(q / 100.0 * (double)(n - 1));
    select_kth(values, n, low);
    if (low + 1 < n)
        select_kth(values + low + 1, n - low - 1, 0);
    return sl_percentile(values, n, q);
}

static struct sl_interval interval_of(double *values, size_t n, double confidence)
{
    double tail = 50.0 * (1.0 - confidence);
    struct sl_interval found;
    found.low = percentile_in_place(values, n, tail);
    found.high = percentile_in_place(values, n, 100.0 - tail);
    return found;
}

/* No spread can be resampled from one block. */
static void no_intervals(struct sl_bootstrap *out)
{
    const struct sl_interval none = {NAN, NAN};
    *out = (struct sl_bootstrap){.ratio = none, .whole = none};
    for (size_t c = 0; c < SL_CATEGORY_COUNT; c++)
        out->categories[c] = out->shares[0][c] = out->shares[1][c] = none;
}

static void take_intervals(double *rows, const struct sl_bootstrap_plan *plan,
                           struct sl_bootstrap *out)
{
    size_t n = plan->iterations;
    no_intervals(out);
    out->ratio = interval_of(rows, n, plan->confidence);
    if (!plan->parts)
        return;
    out->whole = interval_of(rows + WHOLE * n, n, plan->confidence);
    for (size_t c = 0; c < SL_CATEGORY_COUNT; c++) {
        out->categories[c] = interval_of(rows + (DELTAS + c) * n, n, plan->confidence);
        for (size_t side = 0; side < 2; side++)
            out->shares[side][c] = interval_of(rows + (SHARES + side * SL_CATEGORY_COUNT + c) * n,
                                               n, plan->confidence);
    }
}

struct sl_interval sl_sign_interval(double *values, size_t n, double confidence)
{
    double tail = (1.0 - confidence) / 2;
    double log_half = (double)n * log(0.5);
    double below = 0; /* P(Binomial(n, 1/2) < rank) */
    size_t rank = 0;
    double log_choose = 0; /* ln of n over rank */
    while (rank < n / 2) {
        below += exp(log_choose + log_half);
        if (below > tail)
            break;
        rank++;
        log_choose += log((double)(n - rank + 1)) - log((double)rank);
    }
    if (rank == 0)
        return (struct sl_interval){NAN, NAN};
    sl_sort_doubles(values, n);
    return (struct sl_interval){values[rank - 1], values[n - rank]};
}

static double *rows_of(const struct sl_bootstrap_plan *plan)
{
    return sl_malloc((size_t)plan->iterations * (plan->parts ? ROWS : 1), sizeof(double));
}

int sl_bootstrap_pairs(const struct sl_block *pairs, size_t n, const struct sl_bootstrap_plan *plan,
                       struct sl_bootstrap *out)
{
    struct sl_random random = {plan->seed};
    struct sample sample = {.values = sl_malloc(n, sizeof(double))};
    double *rows = rows_of(plan);
    int rc = sample.values && rows ? 0 : -ENOMEM;
    for (size_t b = 0; rc == 0 && b < plan->iterations; b++) {
        draw(&random, pairs, n, 1, plan->parts, &sample);
        rows[b] = exp(sl_median_in_place(sample.values, n));
        if (plan->parts)
            put_parts(rows, plan, b, sample.sums[0], n, sample.sums[1], n);
    }
    if (rc == 0)
        take_intervals(rows, plan, out);
    if (n < 2)
        no_intervals(out);
    sl_free(sample.values);
    sl_free(rows);
    return rc;
}

int sl_bootstrap_sides(const struct sl_block *baseline, size_t baseline_count,
                       const struct sl_block *candidate, size_t candidate_count,
                       const struct sl_bootstrap_plan *plan, struct sl_bootstrap *out)
{
    struct sl_random random = {plan->seed};
    struct sample base = {.values = sl_malloc(baseline_count, sizeof(double))};
    struct sample cand = {.values = sl_malloc(candidate_count, sizeof(double))};
    double *rows = rows_of(plan);
    size_t base_length = (size_t)ceil(cbrt((double)baseline_count));
    size_t cand_length = (size_t)ceil(cbrt((double)candidate_count));
    int rc = base.values && cand.values && rows ? 0 : -ENOMEM;
    for (size_t b = 0; rc == 0 && b < plan->iterations; b++) {
        draw(&random, baseline, baseline_count, base_length, plan->parts, &base);
        draw(&random, candidate, candidate_count, cand_length, plan->parts, &cand);
        rows[b] = sl_median_in_place(base.values, baseline_count) /
                  sl_median_in_place(cand.values, candidate_count);
        if (plan->parts)
            put_parts(rows, plan, b, base.sums[0], baseline_count, cand.sums[1], candidate_count);
    }
    if (rc == 0)
        take_intervals(rows, plan, out);
    if (baseline_count < 2 || candidate_count < 2)
        no_intervals(out);
    sl_free(base.values);
    sl_free(cand.values);
    sl_free(rows);
    return rc;
}

/* Adds up to COLUMNS columns of `n` rows drawn with replacement. */
static void sum_drawn(const double *values, size_t n, size_t stride, size_t columns,
                      struct sl_random *random, double sums[COLUMNS])
{
    memset(sums, 0, COLUMNS * sizeof(*sums));
    for (size_t i = 0; i < n; i++) {
        const double *row = values + sl_random_below(random, n) * stride;
        for (size_t c = 0; c < columns; c++)
            sums[c] += row[c];
    }
}

int sl_bootstrap_means(const double *values, size_t n, size_t columns,
                       const struct sl_bootstrap_plan *plan, struct sl_interval *out)
{
    size_t wide = columns < COLUMNS ? columns : COLUMNS;
    double *rows = sl_malloc((wide ? wide : 1) * plan->iterations, sizeof(*rows));
    double sums[COLUMNS];
    if (!rows)
        return -ENOMEM;
    for (size_t first = 0; first < columns; first += COLUMNS) {
        struct sl_random random = {plan->seed}; /* the same resamples for every column */
        size_t count = columns - first < COLUMNS ? columns - first : COLUMNS;
        for (size_t b = 0; b < plan->iterations; b++) {
            sum_drawn(values + first, n, columns, count, &random, sums);
            for (size_t c = 0; c < count; c++)
                rows[c * plan->iterations + b] = sums[c] / (double)n;
        }
        for (size_t c = 0; c < count; c++)
            out[first + c] = n < 2 ? (struct sl_interval){NAN, NAN}
                                   : interval_of(rows + c * plan->iterations, plan->iterations,
                                                 plan->confidence);
    }
    sl_free(rows);
    return 0;
}

int sl_sign_least(double confidence)
{
    int n = 1;
    for (double chance = 0.5; chance > (1 - confidence) / 2; chance /= 2) /* n equal signs */
        n++;
    return n;
}
