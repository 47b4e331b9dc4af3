/* kernels/layout/resize_sme2.c: bilinear resizing of f32 in streaming mode. */
#include "kernels/layout/resize.h"

#define SL_TYPE f32
#define KERNEL sl_resize_f32_f32_4vl_sme2
#include "kernels/layout/resize_sme2.inc"
