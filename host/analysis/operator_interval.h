/* host/analysis/operator_interval.h: which operators changed, each with an interval from the same
 * resamples as the whole and a false-discovery rate over all of them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sl_attribution;
struct sl_bootstrap_plan;
struct sl_operator_shift;

/* Fills delta_low, delta_high, p and q of `rows`, which sl_operator_join() made of the same two
 * attributions. `pairs` are the schedule's numbers of the pairs compared, ascending. The intervals
 * stay NAN where pairs times rows are beyond SL_OPERATOR_INTERVAL_MAX_CELLS. 0 or -ENOMEM. */
#define SL_OPERATOR_INTERVAL_MAX_CELLS ((size_t)1 << 25)
int sl_operator_intervals(const struct sl_attribution *baseline,
                          const struct sl_attribution *candidate, const uint32_t *pairs,
                          size_t pair_count, const struct sl_bootstrap_plan *plan,
                          struct sl_operator_shift *rows, size_t row_count);

/* An operator counts as changed where its false-discovery rate is at most this. */
#define SL_OPERATOR_FALSE_DISCOVERIES 0.05
