/* kernels/layout/resize_neon.c: bilinear resizing in f32. */
#include "kernels/layout/resize.h"

#define SL_TYPE f32
#define KERNEL sl_resize_f32_f32_1x4_neon
#include "kernels/layout/resize_neon.inc"
