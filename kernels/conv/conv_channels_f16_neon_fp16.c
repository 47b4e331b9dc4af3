/* kernels/conv/conv_channels_f16_neon_fp16.c: f16 convolution, channel by channel. */
#include "kernels/conv/conv.h"
#include "kernels/depthwise/depthwise.h"

#define SL_TYPE f16
#define KERNEL sl_conv_f16_f16_f16_4x32_neon_mla
#define DEPTHWISE sl_depthwise_f16_f16_f16_4x32_neon_mla
#define NEEDS SL_ISA_FP16
#include "kernels/conv/conv_channels.inc"
