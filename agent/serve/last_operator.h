/* agent/serve/last_operator.h: which operator a dead inference process was in. */
#pragma once

#include <stdint.h>

struct sl_spool;

enum { SL_LAST_OPERATOR_BYTES = 128 };

/* The text of the name `id` out of the trace that was drained, cut to fit; "" when the id is 0 or
 * the trace does not have it. Both come from a process that may have written anything. */
void sl_last_operator_find(const struct sl_spool *trace, uint32_t id,
                           char out[SL_LAST_OPERATOR_BYTES]);
