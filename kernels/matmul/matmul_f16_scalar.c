/* kernels/matmul/matmul_f16_scalar.c: portable matrix product. */
#include "kernels/matmul/matmul.h"

#define SL_TYPE f16
#define KERNEL sl_matmul_f16_f16_f32p8x1_4x8_scalar
#include "kernels/matmul/matmul_scalar.inc"
