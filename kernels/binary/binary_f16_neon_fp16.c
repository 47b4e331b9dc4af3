/* kernels/binary/binary_f16_neon_fp16.c: binary operators. */
#include "kernels/binary/binary.h"

#define SL_TYPE f16
#define KERNEL(verb) sl_binary_##verb##_f16_f16_f16_1x64_neon
#include "kernels/binary/binary_neon.inc"
