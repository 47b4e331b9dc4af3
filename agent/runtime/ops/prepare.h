/* agent/runtime/ops/prepare.h: makes a call of an operator ready to run. */
#pragma once

struct sl_diag;
struct sl_op_call;

/* Forgets what the call was prepared with. */
void sl_op_call_fini(struct sl_op_call *call);
/* Checks, prepares, reserves the workspace and binds. */
int sl_op_prepare(struct sl_op_call *call, struct sl_diag *diag);
