/* kernels/depthwise/depthwise_pixels_f32_neon_asm.S: depthwise windows in f32. */
#include "kernels/cpu/asm.h"

#define FUNCTION(pixels) sl_depthwise_pixels_f32_##pixels##_neon_asm
#define VECTOR .4s
#include "kernels/depthwise/depthwise_pixels_neon_asm.inc"
