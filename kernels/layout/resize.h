/* kernels/layout/resize.h: bilinear resizing of NHWC images in f32, or of halves: in f32 or, in
 * NEON and SME2, step by step in half precision as XNNPACK does. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SL_TEMPLATE "kernels/layout/resize_head.inc"
#include "kernels/cpu/floats.inc"
