/* kernels/depthwise/depthwise_f16_scalar.c: portable depthwise convolution. */
#include "kernels/depthwise/depthwise.h"

#define SL_TYPE f16
#define KERNEL sl_depthwise_f16_f16_f16_1x1_scalar
#include "kernels/depthwise/depthwise_scalar.inc"
