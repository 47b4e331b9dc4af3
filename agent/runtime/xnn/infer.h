/* agent/runtime/xnn/infer.h: output shapes from input shapes (physical: NHWC). */
#pragma once

struct sl_diag;
struct sl_xnn_op;
struct sl_xnn_plan;

/* Sets the padding that depends on the input's shape, where the node asks for it. */
void sl_xnn_pad_same(struct sl_xnn_plan *plan, struct sl_xnn_op *op);

int sl_xnn_infer(struct sl_xnn_plan *plan, const struct sl_xnn_op *op, struct sl_diag *diag);
