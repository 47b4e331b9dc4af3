/* kernels/binary/binary_scalar.c: portable binary operators. */
#include "kernels/binary/binary.h"

#define SL_TYPE f32
#include "kernels/binary/binary_scalar.inc"
