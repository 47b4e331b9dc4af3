/* kernels/unary/unary_sme2.c: the clamp of f32. */
#include "kernels/unary/unary.h"

#define SL_TYPE f32
#define FUNCTION sl_unary_clamp_sme2_asm
#define KERNEL sl_unary_clamp_f32_f32_16vl_sme2
#include "kernels/unary/unary_sme2.inc"
