/* kernels/depthwise/depthwise_neon.c: windows of any kind. */
#include "kernels/depthwise/depthwise.h"

#define SL_TYPE f32
#define KERNEL sl_depthwise_f32_f32_f32_4x16_neon_mla
#include "kernels/depthwise/depthwise_neon.inc"
