/* host/analysis/run_kinds.h: which runs of a file do the same work. A file of several methods, or
 * of paths that inputs choose, holds runs of several kinds, and a median of all is of none. Pure.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sl_attribution;

/* Measured runs with the same operators in the same order. */
struct sl_attribution_kind {
    uint32_t first; /* index among the file's runs */
    size_t count;
    double mean; /* end to end, in the file's unit */
};

/* One Method::execute of a run that holds several, and what led to it. */
struct sl_attribution_method {
    size_t events; /* of a run; of the first where runs differ */
    double mean;   /* in the file's unit */
};

enum { SL_ATTRIBUTION_KINDS_MAX = 8 };

/* The kinds in the order in which they come first, those beyond SL_ATTRIBUTION_KINDS_MAX left out.
 * Returns how many there are. */
size_t sl_attribution_kinds(const struct sl_attribution *attribution,
                            struct sl_attribution_kind out[SL_ATTRIBUTION_KINDS_MAX]);

/* The first, second ... Method::execute of the measured runs; 0 where no run holds two. */
size_t sl_attribution_methods(const struct sl_attribution *attribution,
                              struct sl_attribution_method out[SL_ATTRIBUTION_KINDS_MAX]);

/* Adds to the warnings what tells several methods or kinds apart; nothing where there is one. */
void sl_attribution_kinds_warn(struct sl_attribution *attribution);
