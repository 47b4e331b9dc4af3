/* agent/runtime/xnn/lower.h: shaped operators become kernel steps, weights packed once. */
#pragma once

struct sl_diag;
struct sl_xnn_op;
struct sl_xnn_plan;

int sl_xnn_lower(struct sl_xnn_plan *plan, struct sl_xnn_op *op, struct sl_diag *diag);
