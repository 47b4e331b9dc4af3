/* host/rundir/verdict_exit.h: what a verdict means to a script. */
#pragma once

struct sl_arms;
struct sl_comparison;

enum { SL_VERDICT_EXIT_WRONG = 1, SL_VERDICT_EXIT_NOTHING = 4 }; /* 4: nothing was shown */

/* Without a threshold (0): 0 faster or equivalent, 3 slower. With one: 0 not slower by more than
 * that, 3 slower by more (sl_verdict_gate()). Either way: 1 wrong, 4 nothing was shown. */
int sl_verdict_exit_code(const struct sl_comparison *comparison, double threshold_percent);

/* Returns the exit code for the other arm and the gain (sl_arms_find()): without a threshold a
 * regression alone counts, for one process a side seldom tells more. 0 where there are neither. */
int sl_arms_exit_code(const struct sl_arms *arms, double threshold_percent);

/* A wrong output is louder than a regression, and that than no verdict. */
int sl_verdict_exit_louder(int a, int b);
