/* kernels/matmul/matmul_mla_neon.c: matrix product by FMLA. */
#include "kernels/matmul/matmul.h"

#define SL_TYPE f32
#define KERNEL sl_matmul_f32_f32_f32p16x1_5x16_neon_mla
#include "kernels/matmul/matmul_mla_neon.inc"
