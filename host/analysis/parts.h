/* host/analysis/parts.h: what the categories consist of: convolutions dense, pointwise or
 * depthwise, data moved to pack it, to lay it out or to copy it. Rules name the parts; shapes tell
 * pointwise convolutions from the other dense ones; where the traces say what packing convolutions
 * and products held, that is a part of its own. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "host/analysis/category.h"

struct sl_attribution;
struct sl_operator;

/* The name of the part of convolutions and products that lays operands out. */
#define SL_PART_PACKING "packing inside"

/* A part of one category on both sides: the mean of a measured run. */
struct sl_part {
    int category;     /* enum sl_category */
    const char *name; /* borrowed from the rules; "other": what they name no part for */
    double baseline, candidate;
};

enum { SL_PARTS_MAX = SL_RULES_MAX_PARTS + 2 * SL_CATEGORY_COUNT };

/* Is packing known of the baseline, and of the candidate if there is one? A part that one side
 * alone tells apart would be no difference. */
bool sl_parts_tell_packing(const struct sl_attribution *baseline,
                           const struct sl_attribution *candidate);

/* Fills the parts that cost anything on either side, by category, the costliest first; those of a
 * category sum to it, what is left over is in "other". A category whose rules name no part has
 * none. `candidate` may be NULL. Returns how many there are. */
size_t sl_parts_compare(const struct sl_attribution *baseline,
                        const struct sl_attribution *candidate, struct sl_part out[SL_PARTS_MAX]);
