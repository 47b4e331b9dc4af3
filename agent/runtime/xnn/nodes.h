/* agent/runtime/xnn/nodes.h: serialized nodes become operators; what is not computed is refused. */
#pragma once

struct sl_diag;
struct sl_xnn_plan;

int sl_xnn_graph_to_ops(struct sl_xnn_plan *plan, struct sl_diag *diag);
