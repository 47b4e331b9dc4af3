/* host/analysis/verdict.h: what the intervals of a comparison of times say: faster, slower, the
 * same within the margin, or that nothing can be told, with the reason. Pure. */
#pragma once

struct sl_comparison;

/* Takes ratio, intervals, blocks, margin and noise floor of `comparison`; sets its verdict, its
 * detectable effect, and its reasons. Fewer blocks than a bootstrap takes show the exact interval,
 * or none where there are too few for that. */
void sl_verdict_judge(struct sl_comparison *comparison);

/* The smallest relative change that so many such blocks find in four of five experiments; NAN
 * without an interval. */
double sl_verdict_detectable(const struct sl_comparison *comparison);
