/* kernels/layout/resize_f16.h: bilinear resizing in half precision: resize.h with other elements,
 * computed in f32 or, in NEON and SME2, step by step in half precision as XNNPACK does. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sources of output pixel o along an axis: with align_corners o * (in - 1) / (out - 1), else
 * (o + 1/2) * in / out - 1/2, held within [0, in - 1]; first between left and right, then between
 * top and bottom. */
struct sl_resize_f16_args {
    size_t batch, in_h, in_w, out_h, out_w, channels; /* none of them 0 */
    bool align_corners;
    const uint16_t *in; /* [batch][in_h][in_w][channels] */
    uint16_t *out;      /* [batch][out_h][out_w][channels] */
};

struct sl_resize_f16 {
    const char *name;
    uint32_t needs;
    void (*run)(const struct sl_resize_f16_args *args);
};

const struct sl_resize_f16 *sl_resize_f16_select(uint32_t isa);
const struct sl_resize_f16 *sl_resize_f16_at(size_t i);

/* Every kernel is an object of its own name; the list says which there are. */
#define SL_RESIZE_F16(kernel) extern const struct sl_resize_f16 kernel;
#include "kernels/layout/resize_f16.inc"
#undef SL_RESIZE_F16
