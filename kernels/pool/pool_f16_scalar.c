/* kernels/pool/pool_f16_scalar.c: portable pooling. */
#include "kernels/pool/pool.h"

#define SL_TYPE f16
#define KERNEL(op) sl_pool_##op##_f16_f16_1x1_scalar
#include "kernels/pool/pool_scalar.inc"
