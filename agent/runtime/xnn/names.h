/* agent/runtime/xnn/names.h: operators as XNNPACK's profile names them. */
#pragma once

struct sl_xnn_op;
struct sl_xnn_plan;

const char *sl_xnn_op_name(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op);
