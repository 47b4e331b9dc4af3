/* agent/run/vector_length.h: the streaming vector length of a run. */
#pragma once

#include <stdint.h>

struct sl_diag;

/* Sets it for the calling thread and those that it begins from then on; `bits` 0 leaves it. Not
 * while anything of SME runs. 0, or SL_E_UNSUPPORTED with the lengths that there are in words. */
int sl_vector_length_set(uint32_t bits, struct sl_diag *diag);
