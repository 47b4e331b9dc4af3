/* host/analysis/movement.h: Data Movement by what it is for: its first three parts are the price of
 * SME2, which wants operands packed, in its own order and in its own types. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "host/analysis/category.h"

struct sl_attribution;

/* Both sides' mean of a measured run. */
struct sl_movement_shift {
    double baseline, candidate;
};

/* Fills a shift for each part; returns SL_MOVEMENT_COUNT. */
size_t sl_movement_compare(const struct sl_attribution *baseline,
                           const struct sl_attribution *candidate,
                           struct sl_movement_shift out[SL_MOVEMENT_COUNT]);

/* What the measured runs spent on each part, together; the parts add up to the category. Numbers
 * that lie may wrap, as the category's do. */
void sl_movement_totals(const struct sl_attribution *attribution, int64_t out[SL_MOVEMENT_COUNT]);
