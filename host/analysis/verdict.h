/* host/analysis/verdict.h: what an interval means: faster, slower, equivalent or nothing shown. */
#pragma once

struct sl_comparison;

/* Fills verdict, `detectable` and the reason of a comparison whose ratio, intervals, blocks, margin
 * and noise floor stand. */
void sl_verdict_of_interval(struct sl_comparison *comparison);
