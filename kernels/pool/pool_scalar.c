/* kernels/pool/pool_scalar.c: portable pooling. */
#include "kernels/pool/pool.h"

#define SL_TYPE f32
#define KERNEL(op) sl_pool_##op##_f32_f32_1x1_scalar
#include "kernels/pool/pool_scalar.inc"
