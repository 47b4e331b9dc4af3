/* kernels/layout/resize_scalar.c: portable bilinear resizing. */
#include "kernels/layout/resize.h"

#define SL_TYPE f32
#define KERNEL sl_resize_f32_f32_1x1_scalar
#include "kernels/layout/resize_scalar.inc"
