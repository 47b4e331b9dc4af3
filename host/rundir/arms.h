/* host/rundir/arms.h: two runs of off and on against each other: each arm, and what SME2 gains. A
 * build that loses half of its gain is worse though SME2 still wins. */
#pragma once

#include <stdbool.h>

struct sl_arms;
struct sl_categories;
struct sl_compared;
struct sl_comparison_options;
struct sl_diag;

/* Finds them for a comparison that was made of one arm of two directories of `sme2lab run`; of
 * anything else both has_* are false. 0 or a negative code with `diag` set. */
int sl_arms_find(const struct sl_compared *compared, const char *experiment,
                 const struct sl_comparison_options *options,
                 const struct sl_categories *categories, struct sl_arms *out, struct sl_diag *diag);
