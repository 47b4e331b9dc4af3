/* kernels/layout/resize.h: bilinear resizing of NHWC images in f32. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sources of output pixel o along an axis: with align_corners o * (in - 1) / (out - 1), else
 * (o + 1/2) * in / out - 1/2, held within [0, in - 1]; first between left and right, then between
 * top and bottom. */
struct sl_resize_args {
    size_t batch, in_h, in_w, out_h, out_w, channels; /* none of them 0 */
    bool align_corners;
    const float *in; /* [batch][in_h][in_w][channels] */
    float *out;      /* [batch][out_h][out_w][channels] */
};

struct sl_resize {
    const char *name;
    uint32_t needs;
    void (*run)(const struct sl_resize_args *args);
};

const struct sl_resize *sl_resize_select(uint32_t isa);
const struct sl_resize *sl_resize_at(size_t i);

/* Every kernel is an object of its own name; the list says which there are. */
#define SL_RESIZE(kernel) extern const struct sl_resize kernel;
#include "kernels/layout/resize.inc"
#undef SL_RESIZE
