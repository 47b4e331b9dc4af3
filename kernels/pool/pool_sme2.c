/* kernels/pool/pool_sme2.c: pooling of f32 in streaming mode. */
#include "kernels/pool/pool.h"

#define SL_TYPE f32
#define KERNEL(op) sl_pool_##op##_f32_f32_4vl_sme2
#include "kernels/pool/pool_sme2.inc"
