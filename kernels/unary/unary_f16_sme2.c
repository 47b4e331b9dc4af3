/* kernels/unary/unary_f16_sme2.c: the clamp of f16. */
#include "kernels/unary/unary.h"

#define SL_TYPE f16
#define FUNCTION sl_unary_clamp_f16_sme2_asm
#define KERNEL sl_unary_clamp_f16_f16_16vl_sme2
#include "kernels/unary/unary_sme2.inc"
