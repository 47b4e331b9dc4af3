/* kernels/layout/resize_f16_neon_fp16.c: bilinear resizing in half precision, each step rounded to
 * it as XNNPACK does: convolutions after it then add up the same halves. */
#include "kernels/layout/resize.h"

#define SL_TYPE f16
#define KERNEL sl_resize_f16_f16_1x8_neon
#include "kernels/layout/resize_neon.inc"
