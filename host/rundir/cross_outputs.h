/* host/rundir/cross_outputs.h: do two runs of the same model and inputs write the same? */
#pragma once

#include <stdbool.h>

struct sl_agreement;
struct sl_rundir;

/* Compares what both runs wrote, arm `levels[i]` of directory i, the first being the reference;
 * they disagree where they have another number of outputs, or one of another type. False where
 * either kept none. */
bool sl_cross_outputs(const struct sl_rundir *const directories[2], const int levels[2],
                      struct sl_agreement *out);
