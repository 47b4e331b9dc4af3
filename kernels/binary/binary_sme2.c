/* kernels/binary/binary_sme2.c: binary operators on f32 in streaming mode. */
#include "kernels/binary/binary.h"

#define SL_TYPE f32
#define FUNCTION(verb) sl_binary_##verb##_sme2_asm
#define KERNEL(verb) sl_binary_##verb##_f32_f32_f32_16vl_sme2
#include "kernels/binary/binary_sme2.inc"
