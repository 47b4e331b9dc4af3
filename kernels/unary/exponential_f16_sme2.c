/* kernels/unary/exponential_f16_sme2.c: the exponential family of f16. */
#include "kernels/unary/unary.h"

#define SL_TYPE f16
#define FUNCTION(verb) sl_##verb##_f16_sme2_asm
#define KERNEL(verb) sl_unary_##verb##_f16_f16_4vl_sme2
#include "kernels/unary/exponential_sme2.inc"
