/* host/analysis/order.h: what it does to a run to come second in its pair, cancelled. Pure. */
#pragma once

#include <stddef.h>

/* `values` are log ratios of pairs in ABBA order, so that every other pair has its sides the other
 * way round: the later run may find a warmer device, and drift does the same. Where the two kinds
 * of pairs differ by more than chance (in 0.2 % of cases), half of the difference is taken from
 * the one kind and added to the other; the ratio of both together stays. *out_effect is that half,
 * 0 where nothing was done. 0 or -ENOMEM. */
int sl_order_cancel(double *values, size_t n, double *out_effect);
