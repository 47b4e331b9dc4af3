/* kernels/pool/pool_f16_neon_fp16.c: the largest of halves; pool_average_f16_neon.c has averages.
 */
#include "kernels/pool/pool.h"

#define SL_TYPE f16
#define KERNEL(op) sl_pool_##op##_f16_f16_1x64_neon
#include "kernels/pool/pool_neon.inc"
