/* kernels/conv/conv_channels_f16_sme2.c: f16 convolution, channel by channel, SME2. */
#include "kernels/conv/conv.h"
#include "kernels/depthwise/depthwise.h"

#define SL_TYPE f16
#define KERNEL sl_conv_f16_f16_f16p4vl_1x1_sme2_mla
#define DEPTHWISE sl_depthwise_f16_f16_f16p4vl_1x1_sme2_mla
#define NEEDS SL_ISA_SME2
#include "kernels/conv/conv_channels.inc"
