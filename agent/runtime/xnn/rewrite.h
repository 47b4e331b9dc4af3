/* agent/runtime/xnn/rewrite.h: the rewrites of the graph that XNNPACK does before it makes
 * operators. */
#pragma once

struct sl_xnn_plan;

void sl_xnn_rewrite(struct sl_xnn_plan *plan);
