/* host/rundir/verdict_exit.h: what a verdict means to a script. */
#pragma once

struct sl_comparison;

/* 0: faster, equivalent, or slower by no more than `threshold_percent`; 1: wrong; 3: slower beyond
 * it; 4: nothing was shown. */
int sl_verdict_exit_code(const struct sl_comparison *comparison, double threshold_percent);
