/* agent/runtime/xnn/operand.h: serialized values become operands: types, constants, scales. */
#pragma once

struct sl_diag;
struct sl_xnn_plan;
struct sl_xnn_value;

int sl_xnn_build_operand(struct sl_xnn_plan *plan, const struct sl_xnn_value *value,
                         struct sl_diag *diag);
