/* kernels/depthwise/depthwise_f16_neon_fp16.c: windows of any kind. */
#include "kernels/depthwise/depthwise.h"

#define SL_TYPE f16
#define KERNEL sl_depthwise_f16_f16_f16_4x32_neon_mla
#include "kernels/depthwise/depthwise_neon.inc"
