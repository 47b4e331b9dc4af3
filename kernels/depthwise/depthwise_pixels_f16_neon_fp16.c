/* kernels/depthwise/depthwise_pixels_f16_neon_fp16.c: windows of any kind, 32 channels and more. */
#include "kernels/depthwise/depthwise.h"

#define SL_TYPE f16
#define KERNEL sl_depthwise_f16_f16_f16_6x32_neon_mla
#define FUNCTION(pixels) sl_depthwise_pixels_f16_##pixels##_neon_asm
#include "kernels/depthwise/depthwise_pixels_neon.inc"
