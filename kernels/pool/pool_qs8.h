/* kernels/pool/pool_qs8.h: 2-D max pooling of int8, NHWC. Input and output are quantised alike, so
 * raw values are compared. Global averages are in kernels/reduce/mean_qs8.h; XNNPACK has no other
 * average of qint8. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Pixels outside are ignored; every window has at least one inside. */
struct sl_pool_qs8_args {
    size_t batch, in_h, in_w, out_h, out_w, channels;
    size_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left;
    const int8_t *in; /* [batch][in_h][in_w][channels] */
    int8_t *out;      /* [batch][out_h][out_w][channels] */
    int8_t min, max;  /* clamp; -128, 127: none */
};

struct sl_pool_qs8 {
    const char *name;
    uint32_t needs;
    void (*run)(const struct sl_pool_qs8_args *args);
};

const struct sl_pool_qs8 *sl_pool_qs8_select(uint32_t isa);
const struct sl_pool_qs8 *sl_pool_qs8_at(size_t i);

/* Every kernel is an object of its own name; the list says which there are. */
#define SL_KERNEL(kernel) extern const struct sl_pool_qs8 kernel;
#include "kernels/pool/pool_qs8.inc"
#undef SL_KERNEL
