/* kernels/depthwise/depthwise_pixels_neon.c: windows of any kind, 16 channels and more. */
#include "kernels/depthwise/depthwise.h"

#define SL_TYPE f32
#define KERNEL sl_depthwise_f32_f32_f32_6x16_neon_mla
#define FUNCTION(pixels) sl_depthwise_pixels_f32_##pixels##_neon_asm
#include "kernels/depthwise/depthwise_pixels_neon.inc"
