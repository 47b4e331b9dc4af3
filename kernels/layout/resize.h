/* kernels/layout/resize.h: bilinear resizing of NHWC images in f32, or of halves: in f32 or, in
 * NEON and SME2, step by step in half precision as XNNPACK does; or of int8. There input and output
 * are quantised alike, so raw values are blended, to the bit as XNNPACK blends them: the weights of
 * the right and of the lower neighbours are rounded to 11 bits behind the point, and the sum,
 * exact, once. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/element.h"

/* Sources of output pixel o along an axis: with align_corners o * (in - 1) / (out - 1), else
 * (o + 1/2) * in / out - 1/2, held within [0, in - 1]; first between left and right, then between
 * top and bottom; of f32 in SME2 the other way round, and weighted sums instead of differences. */
struct sl_resize_args {
    size_t batch, in_h, in_w, out_h, out_w, channels; /* none of them 0 */
    bool align_corners;
    const void *in; /* [batch][in_h][in_w][channels], elements of the kernel's type */
    void *out;      /* [batch][out_h][out_w][channels] */
};

struct sl_resize {
    const char *name;
    uint32_t needs;
    int element; /* enum sl_element */
    void (*run)(const struct sl_resize_args *args);
};

const struct sl_resize *sl_resize_select(uint32_t isa, int element);
const struct sl_resize *sl_resize_at(size_t i);

/* Every kernel is an object of its own name; the list says which there are. */
#define SL_KERNEL(kernel) extern const struct sl_resize kernel;
#include "kernels/layout/resize.inc"
#undef SL_KERNEL
