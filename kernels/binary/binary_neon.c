/* kernels/binary/binary_neon.c: binary operators. */
#include "kernels/binary/binary.h"

#define SL_TYPE f32
#define KERNEL(verb) sl_binary_##verb##_f32_f32_f32_1x32_neon
#include "kernels/binary/binary_neon.inc"
