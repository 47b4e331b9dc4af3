/* kernels/conv/conv_mla_f16_neon_fp16.c: convolution as implicit GEMM by FMLA, in half precision.
 */
#include "kernels/conv/conv.h"

#define SL_TYPE f16
#define KERNEL sl_conv_f16_f16_f16p32x1_5x32_neon_mla
#include "kernels/conv/conv_mla_neon.inc"
