/* kernels/unary/elementary_f16_sme2.c: elementary functions of f16 in streaming mode. */
#include "kernels/unary/unary.h"

#define SL_TYPE f16
#define KERNEL(verb) sl_unary_##verb##_f16_f16_2vl_sme2
#include "kernels/unary/elementary_sme2.inc"
