/* kernels/unary/unary_f16_scalar.c: portable unary operators. */
#include "kernels/unary/unary.h"

#define SL_TYPE f16
#include "kernels/unary/unary_scalar.inc"
