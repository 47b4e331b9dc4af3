/* kernels/reduce/reduce_scalar.c: portable reductions. */
#include "kernels/reduce/reduce.h"

#define SL_TYPE f32
#define KERNEL(op) sl_reduce_##op##_f32_f32_1x1_scalar
#include "kernels/reduce/reduce_scalar.inc"
