/* agent/runtime/xnn/layout.h: places of intermediate values in the workspace, by lifetime. */
#pragma once

struct sl_diag;
struct sl_xnn_plan;

int sl_xnn_layout(struct sl_xnn_plan *plan, struct sl_diag *diag);
