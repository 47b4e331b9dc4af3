/* kernels/unary/elementary_sme2.c: elementary functions of f32 in streaming mode. */
#include "kernels/unary/unary.h"

#define SL_TYPE f32
#define KERNEL(verb) sl_unary_##verb##_f32_f32_4vl_sme2
#include "kernels/unary/elementary_sme2.inc"
