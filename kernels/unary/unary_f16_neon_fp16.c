/* kernels/unary/unary_f16_neon_fp16.c: the clamp. */
#include "kernels/unary/unary.h"

#define SL_TYPE f16
#define KERNEL sl_unary_clamp_f16_f16_1x64_neon
#include "kernels/unary/unary_neon.inc"
