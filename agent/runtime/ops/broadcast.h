/* agent/runtime/ops/broadcast.h: what several tensors broadcast to. */
#pragma once

struct sl_diag;
struct sl_op_call;
struct sl_tensor;

/* Resizes `out` to what the tensors broadcast to; NULL among them is none. 0 or
 * SL_ET_INVALID_ARGUMENT. */
int sl_broadcast_sizes(struct sl_op_call *call, unsigned count,
                       const struct sl_tensor *const *tensors, struct sl_tensor *out,
                       struct sl_diag *diag);
