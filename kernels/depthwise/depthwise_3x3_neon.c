/* kernels/depthwise/depthwise_3x3_neon.c: 3x3 windows of stride 1 or 2. */
#include "kernels/depthwise/depthwise.h"

#define SL_TYPE f32
#define KERNEL sl_depthwise_f32_f32_f32p4x1_4x4_3x3_neon_mla
#include "kernels/depthwise/depthwise_3x3_neon.inc"
