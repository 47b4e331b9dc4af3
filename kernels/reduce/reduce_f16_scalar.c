/* kernels/reduce/reduce_f16_scalar.c: portable reductions. */
#include "kernels/reduce/reduce.h"

#define SL_TYPE f16
#define KERNEL(op) sl_reduce_##op##_f16_f16_1x1_scalar
#include "kernels/reduce/reduce_scalar.inc"
