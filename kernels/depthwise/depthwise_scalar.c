/* kernels/depthwise/depthwise_scalar.c: portable depthwise convolution. */
#include "kernels/depthwise/depthwise.h"

#define SL_TYPE f32
#define KERNEL sl_depthwise_f32_f32_f32_1x1_scalar
#include "kernels/depthwise/depthwise_scalar.inc"
