/* kernels/pool/argmax.h: largest values and their places in windows side by side, f32, NHWC. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Windows touch and do not overlap; the image is whole windows. A place is ky * kernel_w + kx, of
 * the first maximum, or of the first NaN, which wins. */
struct sl_argmax_args {
    size_t batch, out_h, out_w, channels, kernel_h, kernel_w;
    const float *in; /* [batch][out_h * kernel_h][out_w * kernel_w][channels] */
    float *out;      /* [batch][out_h][out_w][channels] */
    int32_t *index;  /* of the same shape */
};

struct sl_argmax {
    const char *name;
    uint32_t needs;
    void (*run)(const struct sl_argmax_args *args);
};

const struct sl_argmax *sl_argmax_select(uint32_t isa);
const struct sl_argmax *sl_argmax_at(size_t i);

/* Every kernel is an object of its own name; the list says which there are. */
#define SL_KERNEL(kernel) extern const struct sl_argmax kernel;
#include "kernels/pool/argmax.inc"
#undef SL_KERNEL
