/* kernels/layout/resize_f16_sme2.c: bilinear resizing in half precision, to the bit as NEON's. */
#include "kernels/layout/resize.h"

#define SL_TYPE f16
#define KERNEL sl_resize_f16_f16_4vl_sme2
#include "kernels/layout/resize_sme2.inc"
