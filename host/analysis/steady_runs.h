/* host/analysis/steady_runs.h: the steadiness of a variant's runs, warm-ups before them included.
 */
#pragma once

#include <stddef.h>

struct sl_attribution;
struct sl_steadiness;

/* The runs of one variant as a series: the warm-up runs before the first measured one, then the
 * measured ones. `from` and `changes` are indices among `attribution`'s runs; *out_warming is how
 * many measured runs come before `from`. Warm-up runs among the measured ones are left out. */
int sl_steadiness_of_runs(const struct sl_attribution *attribution, struct sl_steadiness *out,
                          size_t *out_warming);
