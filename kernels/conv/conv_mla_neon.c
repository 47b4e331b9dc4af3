/* kernels/conv/conv_mla_neon.c: convolution as implicit GEMM by FMLA. */
#include "kernels/conv/conv.h"
#include "kernels/conv/conv_halves_neon.h"

#define SL_TYPE f32
#define KERNEL sl_conv_f32_f32_f32p16x1_5x16_neon_mla
#include "kernels/conv/conv_mla_neon.inc"
