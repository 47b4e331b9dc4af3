/* host/analysis/headroom.h: what a model could reach if each operator took the cheaper of two ways
 * that were measured: another runtime against ours, or SME2 off against on. Pure. */
#pragma once

struct sl_comparison;
struct sl_operator_shift;

struct sl_headroom {
    double baseline, candidate;             /* end to end now, mean per run */
    double reachable;                       /* with the cheaper of both for each operator */
    const struct sl_operator_shift *widest; /* where the baseline has most to gain; NULL: nowhere */
};

/* Sums the operators that both sides have; what only one side has stays as it is there.
 * All NAN without a whole. */
void sl_headroom_find(const struct sl_comparison *comparison, struct sl_headroom *out);
