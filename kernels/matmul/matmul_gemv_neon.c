/* kernels/matmul/matmul_gemv_neon.c: one row times a matrix by FMLA. */
#include "kernels/matmul/matmul.h"

#define SL_TYPE f32
#define KERNEL sl_matmul_f32_f32_f32p32x1_1x32_neon_mla
#include "kernels/matmul/matmul_gemv_neon.inc"
