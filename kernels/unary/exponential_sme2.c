/* kernels/unary/exponential_sme2.c: the exponential family of f32. */
#include "kernels/unary/unary.h"

#define SL_TYPE f32
#define FUNCTION(verb) sl_##verb##_sme2_asm
#define KERNEL(verb) sl_unary_##verb##_f32_f32_4vl_sme2
#include "kernels/unary/exponential_sme2.inc"
