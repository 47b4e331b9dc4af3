/* kernels/layout/resize_qs8.h: bilinear resizing of int8, NHWC. Input and output are quantised
 * alike, so raw values are blended, to the bit as XNNPACK blends them: the weights of the right and
 * of the lower neighbours are rounded to 11 bits behind the point, and the sum, exact, once. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As struct sl_resize_args (resize.h). */
struct sl_resize_qs8_args {
    size_t batch, in_h, in_w, out_h, out_w, channels; /* none of them 0 */
    bool align_corners;
    const int8_t *in; /* [batch][in_h][in_w][channels] */
    int8_t *out;      /* [batch][out_h][out_w][channels] */
};

struct sl_resize_qs8 {
    const char *name;
    uint32_t needs;
    void (*run)(const struct sl_resize_qs8_args *args);
};

const struct sl_resize_qs8 *sl_resize_qs8_select(uint32_t isa);
const struct sl_resize_qs8 *sl_resize_qs8_at(size_t i);

/* Every kernel is an object of its own name; the list says which there are. */
#define SL_KERNEL(kernel) extern const struct sl_resize_qs8 kernel;
#include "kernels/layout/resize_qs8.inc"
#undef SL_KERNEL
