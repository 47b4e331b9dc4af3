/* kernels/matmul/matmul_scalar.c: portable matrix product. */
#include "kernels/matmul/matmul.h"

#define SL_TYPE f32
#define KERNEL sl_matmul_f32_f32_f32p8x1_4x8_scalar
#include "kernels/matmul/matmul_scalar.inc"
