/* agent/executorch/apart_variant.h: both sides of a variant in the process beside this one, where
 * the libraries cannot have both in one. That process opens the same files again. */
#pragma once

#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/bytes.h"

struct sl_diag;
struct sl_variant;

/* Here: as sl_variant_load_here() and sl_variant_execute_here() do it. SL_E_FORMAT: that was no
 * answer. A crash there ends this process by the same signal. */
int sl_variant_load_apart(struct sl_variant *variant, uint32_t isa, struct sl_diag *diag);
int sl_variant_execute_apart(struct sl_variant *variant, int traced, struct sl_diag *diag);

/* There: for sl_apart_start(). */
int sl_executorch_answer(struct sl_bytes question, struct sl_buf *reply);
