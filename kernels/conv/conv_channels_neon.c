/* kernels/conv/conv_channels_neon.c: f32 convolution, channel by channel. */
#include "kernels/conv/conv.h"
#include "kernels/depthwise/depthwise.h"

#define SL_TYPE f32
#define KERNEL sl_conv_f32_f32_f32_4x16_neon_mla
#define DEPTHWISE sl_depthwise_f32_f32_f32_4x16_neon_mla
#define NEEDS SL_ISA_NEON
#include "kernels/conv/conv_channels.inc"
