/* kernels/binary/binary_f16_scalar.c: portable binary operators. */
#include "kernels/binary/binary.h"

#define SL_TYPE f16
#include "kernels/binary/binary_scalar.inc"
