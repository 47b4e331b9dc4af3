/* kernels/pool/pool_f16_sme2.c: pooling of halves in streaming mode. */
#include "kernels/pool/pool.h"

#define SL_TYPE f16
#define KERNEL(op) sl_pool_##op##_f16_f16_4vl_sme2
#include "kernels/pool/pool_sme2.inc"
