/* kernels/layout/transpose_scalar.c: portable transpose of 32-bit elements. */
#include "kernels/layout/layout.h"

#define SL_ELEMENT uint32_t
#define SL_NAME(before, after) before##after
#define KERNEL sl_transpose_x32_x32_1x1_scalar
#include "kernels/layout/transpose_scalar.h"
