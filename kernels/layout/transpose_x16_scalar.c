/* kernels/layout/transpose_x16_scalar.c: portable transpose of 16-bit elements. */
#include "kernels/layout/layout_x16.h"

#define SL_ELEMENT uint16_t
#define SL_NAME(before, after) before##_x16##after
#define KERNEL sl_transpose_x16_x16_1x1_scalar
#include "kernels/layout/transpose_scalar.h"
