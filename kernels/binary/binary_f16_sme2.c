/* kernels/binary/binary_f16_sme2.c: binary operators on f16 in streaming mode. */
#include "kernels/binary/binary.h"

#define SL_TYPE f16
#define FUNCTION(verb) sl_binary_##verb##_f16_sme2_asm
#define KERNEL(verb) sl_binary_##verb##_f16_f16_f16_16vl_sme2
#include "kernels/binary/binary_sme2.inc"
