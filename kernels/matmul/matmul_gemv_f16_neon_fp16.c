/* kernels/matmul/matmul_gemv_f16_neon_fp16.c: one row times a matrix by FMLA, in half precision. */
#include "kernels/matmul/matmul.h"

#define SL_TYPE f16
#define KERNEL sl_matmul_f16_f16_f16p32x1_1x32_neon_mla
#include "kernels/matmul/matmul_gemv_neon.inc"
