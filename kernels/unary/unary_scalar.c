/* kernels/unary/unary_scalar.c: portable unary operators. */
#include "kernels/unary/unary.h"

#define SL_TYPE f32
#include "kernels/unary/unary_scalar.inc"
