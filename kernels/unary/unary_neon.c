/* kernels/unary/unary_neon.c: the clamp. */
#include "kernels/unary/unary.h"

#define SL_TYPE f32
#define KERNEL sl_unary_clamp_f32_f32_1x32_neon
#include "kernels/unary/unary_neon.inc"
