/* agent/runtime/ops/wide.h: half and double precision operands as f32 stand-ins.
 *
 * If an operator's signature says f32 and the tensor is Half, BFloat16 or Double, the operator
 * sees an f32 tensor instead. It is filled from the real one before the steps and copied back
 * after them. */
#pragma once

#include <stdbool.h>

struct sl_diag;
struct sl_op_call;

/* Makes the stand-ins and the steps that fill them. 0 or SL_ET_MEMORY_ALLOCATION_FAILED. */
int sl_wide_open(struct sl_op_call *call, struct sl_diag *diag);
/* Gives the real outputs the stand-ins' shapes, and adds the steps that fill them. */
int sl_wide_close(struct sl_op_call *call, struct sl_diag *diag);
bool sl_wide_any(const struct sl_op_call *call);
void sl_wide_fini(struct sl_op_call *call);
