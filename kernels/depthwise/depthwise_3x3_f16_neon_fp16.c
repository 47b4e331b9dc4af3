/* kernels/depthwise/depthwise_3x3_f16_neon_fp16.c: 3x3 windows of stride 1 or 2. */
#include "kernels/depthwise/depthwise.h"

#define SL_TYPE f16
#define KERNEL sl_depthwise_f16_f16_f16p8x1_4x8_3x3_neon_mla
#include "kernels/depthwise/depthwise_3x3_neon.inc"
