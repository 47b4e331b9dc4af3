/* kernels/depthwise/depthwise_pixels_f16_neon_asm.S: depthwise windows in halves. */
#include "kernels/cpu/asm.h"

    .arch armv8.2-a+fp16

#define FUNCTION(pixels) sl_depthwise_pixels_f16_##pixels##_neon_asm
#define VECTOR .8h
#include "kernels/depthwise/depthwise_pixels_neon_asm.inc"
