/* kernels/layout/transpose_x8_scalar.c: portable transpose of 8-bit elements. */
#include "kernels/layout/layout_x8.h"

#define SL_ELEMENT uint8_t
#define SL_NAME(before, after) before##_x8##after
#define KERNEL sl_transpose_x8_x8_1x1_scalar
#include "kernels/layout/transpose_scalar.h"
