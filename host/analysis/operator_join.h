/* host/analysis/operator_join.h: which operator of the candidate does the work of which operator of
 * the baseline. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct sl_attribution;
struct sl_operator;

/* The cost of one place of the graph in both; either may be NULL when the graphs differ. */
struct sl_operator_shift {
    const struct sl_operator *baseline, *candidate; /* borrowed from the attributions */
    double baseline_cost, candidate_cost;           /* per run */
    double delta_low, delta_high; /* of candidate - baseline; NAN without interleaved pairs */
    double p, q; /* exact sign test of the pairs; its false-discovery rate among all rows; NAN */
};

/* By place where both graphs have the same number of events (names change with SME2, order and
 * number do not), else by name. Each measured run's cost is in exactly one row of either side.
 * *out is owned by the caller: sl_free(). Largest baseline cost first. 0 or -ENOMEM. */
int sl_operator_join(const struct sl_attribution *baseline, const struct sl_attribution *candidate,
                     struct sl_operator_shift **out, size_t *out_count);

/* Have both the same number of events in every run, so that rows are by place? */
bool sl_operator_same_places(const struct sl_attribution *baseline,
                             const struct sl_attribution *candidate);
