/* kernels/conv/conv_f16_scalar.c: portable convolution. */
#include "kernels/conv/conv.h"

#define SL_TYPE f16
#define KERNEL sl_conv_f16_f16_f32p8x1_1x8_scalar
#include "kernels/conv/conv_scalar.inc"
