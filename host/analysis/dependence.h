/* host/analysis/dependence.h: what a series of measurements is worth where neighbours resemble each
 * other. A slow wave (heat, a governor, a neighbour) makes twenty values say no more than four
 * independent ones; an interval that takes them for twenty is too narrow. Pure. */
#pragma once

#include <stddef.h>

struct sl_dependence {
    double effective; /* so many independent values say as much; 1 to n */
    double widening;  /* what an interval that takes them for independent is to be multiplied by */
};

/* Takes `values` in the order measured; trends and waves alike count as resemblance. The variance
 * of their middle is larger by 1 + 2 * (sum of autocorrelations) than that of independent values:
 * the larger of two estimates, by the first one (corrected for its bias) and by the sum of the
 * first ones up to where a neighbouring pair of them is negative (Geyer, "Practical Markov chain
 * Monte Carlo", 1992). Values beyond 2.5 spreads of the median count as if they lay there. So few
 * values tell their own spread badly: Student's distribution adds to the widening. Fewer than
 * SL_DEPENDENCE_MIN_VALUES are taken for independent, with a widening of 1. 0 or -ENOMEM. */
enum { SL_DEPENDENCE_MIN_VALUES = 8 };
int sl_dependence_of(const double *values, size_t n, double confidence, struct sl_dependence *out);
