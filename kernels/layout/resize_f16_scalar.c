/* kernels/layout/resize_f16_scalar.c: portable bilinear resizing. */
#include "kernels/layout/resize.h"

#define SL_TYPE f16
#define KERNEL sl_resize_f16_f16_1x1_scalar
#include "kernels/layout/resize_scalar.inc"
