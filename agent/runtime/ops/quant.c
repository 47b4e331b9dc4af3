/* agent/runtime/ops/quant.c: quantisation outside delegates. */
#include "agent/runtime/ops/op.h"

const struct sl_op sl_ops_quant[] = {{0}};
