/* host/analysis/bootstrap.h: percentile intervals by resampling. Reproducible from the seed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/analysis/category.h"

/* One block: a pair of runs, or one run of a side. */
struct sl_block {
    double value; /* log ratio of a pair; end to end of a run */
    /* Cost of the baseline and of the candidate; of a run the other side's are 0. */
    double categories[2][SL_CATEGORY_COUNT];
};

struct sl_interval {
    double low, high;
};

/* All of the same resamples, so in each of them the categories sum to the whole. */
struct sl_bootstrap {
    struct sl_interval ratio;
    struct sl_interval whole;                         /* candidate - baseline, end to end */
    struct sl_interval categories[SL_CATEGORY_COUNT]; /* of candidate - baseline */
    struct sl_interval shares[2][SL_CATEGORY_COUNT];  /* of the whole: baseline's, candidate's */
};

struct sl_bootstrap_plan {
    uint64_t seed;
    uint32_t iterations;
    double confidence;
    bool parts; /* intervals of whole, categories and shares too; NAN otherwise */
};

/* Resamples pairs: the ratio is exp(median of values), a category's delta the mean. 0, -ENOMEM.
 * One pair gives no interval: NAN. */
int sl_bootstrap_pairs(const struct sl_block *pairs, size_t n, const struct sl_bootstrap_plan *plan,
                       struct sl_bootstrap *out);

/* Resamples blocks of cbrt(n) neighbouring runs of each side: the ratio is that of the medians, a
 * category's delta that of the means. 0 or -ENOMEM. */
int sl_bootstrap_sides(const struct sl_block *baseline, size_t baseline_count,
                       const struct sl_block *candidate, size_t candidate_count,
                       const struct sl_bootstrap_plan *plan, struct sl_bootstrap *out);

/* Intervals of the means of `columns` columns of `n` >= 1 pairs, `values` row by row, from the same
 * resamples that sl_bootstrap_pairs() draws with the same plan. 0 or -ENOMEM. */
int sl_bootstrap_means(const double *values, size_t n, size_t columns,
                       const struct sl_bootstrap_plan *plan, struct sl_interval *out);

/* Exact interval of the median by signs: order statistics with at least that confidence; of `n`
 * values, which it reorders. NAN where so few values give none. */
struct sl_interval sl_sign_interval(double *values, size_t n, double confidence);
/* The least n that gives one. */
int sl_sign_least(double confidence);

/* Median; reorders `values`. NAN for none. */
double sl_median_in_place(double *values, size_t n);
