/* kernels/matmul/matmul_mla_f16_neon_fp16.c: matrix product by FMLA, in half precision. */
#include "kernels/matmul/matmul.h"

#define SL_TYPE f16
#define KERNEL sl_matmul_f16_f16_f16p32x1_5x32_neon_mla
#include "kernels/matmul/matmul_mla_neon.inc"
