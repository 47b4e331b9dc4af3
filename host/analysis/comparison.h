/* host/analysis/comparison.h: how much faster the candidate is than the baseline, and how surely.
 *
 * Executed instructions compare exactly. Times compare by the median of the pairs' log ratios with
 * a percentile bootstrap over pairs where the runs were interleaved (a trace tells), and by the
 * ratio of medians with a bootstrap over blocks of neighbouring runs where they were not. What the
 * order within pairs does is cancelled (order.h). Intervals are widened where neighbours resemble
 * each other. What was not interleaved is judged only where nothing in it speaks against that
 * (unpaired.h), and its intervals are wider by SL_UNPAIRED_FLOOR. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/analysis/category.h"
#include "host/analysis/operator_join.h"
#include "host/analysis/stopping.h"

struct sl_agreement;
struct sl_attribution;
struct sl_interval;

enum {
    SL_COMPARISON_MIN_BLOCKS = 20,  /* of a bootstrap; fewer are judged by the exact interval */
    SL_COMPARISON_MAX_REASONS = 64, /* more than all rules find at once */
};

enum sl_comparison_method {
    SL_METHOD_PAIRED,
    SL_METHOD_UNPAIRED,
    SL_METHOD_EXACT,
    SL_METHOD_PROCESSES, /* pairs of several processes, each of them one value (processes.h) */
};

enum sl_verdict {
    SL_VERDICT_FASTER,
    SL_VERDICT_SLOWER,
    SL_VERDICT_EQUIVALENT,
    SL_VERDICT_INCONCLUSIVE,
    SL_VERDICT_UNFIT,        /* the conditions of measuring were not met */
    SL_VERDICT_INCOMPARABLE, /* the two are of different kinds */
    SL_VERDICT_WRONG,        /* their outputs differ */
};

struct sl_comparison_options {
    uint64_t seed;
    uint32_t iterations; /* of the bootstrap; 0: 10000 */
    double confidence;   /* 0: 0.95 */
    double margin;       /* smallest effect that counts; 0: 0.01 */
    double noise_floor;  /* of the device, or NAN: not known. Nothing below it is told apart */
    uint32_t looks;      /* at the data until measuring stopped (stopping.h); 0: no rule stopped */
    const struct sl_stopping_rule *rule;  /* that ended the measuring of these pairs; NULL: none */
    const struct sl_agreement *agreement; /* NULL: outputs were not compared */
    bool separate; /* the two are of different recordings: their pairs are not the same moments */
};

/* One pair of interleaved measurements, without what they consist of. */
struct sl_time_pair {
    double baseline, candidate; /* above 0, one unit */
    uint32_t process;           /* that both ran in; neighbours of one process have the same */
};

/* Per run, mean of the measured runs (or of the pairs'). */
struct sl_category_shift {
    double baseline, candidate, delta; /* candidate - baseline */
    double delta_low, delta_high;      /* NAN without an interval */
    double share_baseline, share_candidate;
    double share_low[2], share_high[2]; /* baseline, candidate; NAN without an interval */
};

struct sl_comparison {
    int unit;     /* enum sl_trace_unit */
    int method;   /* enum sl_comparison_method */
    int verdict;  /* enum sl_verdict */
    double ratio; /* baseline / candidate; NAN if there is none */
    /* Interval of the ratio; NAN without one. Of fewer blocks than SL_COMPARISON_MIN_BLOCKS, and of
     * unpaired sides that are unfit, it is sign_low to sign_high. */
    double low, high;
    /* Free of any distribution, NAN without one: of pairs the exact interval by signs, the
     * companion of the other; of few unpaired runs what their ranges leave possible. */
    double sign_low, sign_high;
    double confidence, margin, noise_floor;
    uint32_t looks; /* the intervals are widened for them */
    struct sl_stopped stopped;
    /* Smallest relative change that so many such pairs find in four of five experiments; NAN
     * without an interval. */
    double detectable;
    size_t blocks;    /* pairs, runs of the smaller side, or processes */
    double effective; /* so many independent ones say as much (dependence.h); NAN without times */
    double widening;  /* of every interval for it; 1: none */
    uint32_t iterations;
    uint64_t seed;
    double baseline, candidate; /* median end to end of a run; exact: the count */
    /* End to end, mean per run: what the categories sum to; the interval is of the difference, from
     * the same resamples as theirs. NAN without one. */
    double whole_baseline, whole_candidate, whole_low, whole_high;
    struct sl_category_shift categories[SL_CATEGORY_COUNT];
    size_t operator_count;
    struct sl_operator_shift *operators; /* owned; largest baseline cost first */
    size_t reason_count;
    char reasons[SL_COMPARISON_MAX_REASONS][160];
};

/* All that the intervals of the ratio leave possible: of counts the ratio itself; NAN without any.
 */
struct sl_interval sl_comparison_interval(const struct sl_comparison *comparison);
/* "exact" ... */
const char *sl_comparison_method_name(int method);

/* The same inputs and seed give the same result to the bit. Returns 0 or -ENOMEM; whatever the
 * data lack is a verdict with a reason. End with sl_comparison_fini(). */
int sl_comparison_make(const struct sl_attribution *baseline,
                       const struct sl_attribution *candidate,
                       const struct sl_comparison_options *options, struct sl_comparison *out);

/* The same of bare pairs, in nanoseconds: no categories, no operators. */
int sl_comparison_make_pairs(const struct sl_time_pair *pairs, size_t n,
                             const struct sl_comparison_options *options,
                             struct sl_comparison *out);

/* Replaces the verdict by one that speaks against any ratio, with its reason; `wrong` stays. */
__attribute__((format(printf, 3, 4))) void
sl_comparison_overrule(struct sl_comparison *comparison, int verdict, const char *why, ...);
/* Adds a sentence to the reasons. */
__attribute__((format(printf, 2, 3))) void sl_comparison_note(struct sl_comparison *comparison,
                                                              const char *format, ...);

void sl_comparison_fini(struct sl_comparison *comparison);
