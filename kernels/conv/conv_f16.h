/* kernels/conv/conv_f16.h: 2-D convolution in half precision: conv.h with other elements. Sums are
 * in f32 and rounded once, but for NEON kernels, which add in half precision. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/conv/conv.h"

struct sl_conv_f16_args {
    struct sl_conv_shape shape;
    const uint16_t *in;        /* [batch][in_h][in_w][groups * group_in_c], dense */
    const void *weights;       /* as pack_weights() left them */
    uint16_t *out;             /* [batch][out_h][out_w][groups * group_out_c] */
    float min, max;            /* -inf, +inf: no clamp */
    void *workspace;           /* workspace_bytes(), 64-byte aligned */
    size_t out_pixel, out_row; /* as of struct sl_conv_args */
};

struct sl_conv_f16 {
    const char *name;
    uint32_t needs;                                  /* enum sl_isa bits */
    bool (*fits)(const struct sl_conv_shape *shape); /* NULL: any */
    /* weights are [groups * group_out_c][kernel_h][kernel_w][group_in_c]; bias [groups *
     * group_out_c] or NULL. Of the shape only groups, channels and kernel size count, so packs
     * serve every input size. `packed` is 64-byte aligned. */
    size_t (*weights_bytes)(const struct sl_conv_shape *shape);
    void (*pack_weights)(const struct sl_conv_shape *shape, const uint16_t *weights,
                         const uint16_t *bias, void *packed);
    void (*turn_packed)(const struct sl_conv_shape *shape, const void *from,
                        void *to); /* or NULL */
    size_t (*workspace_bytes)(const struct sl_conv_shape *shape);
    void (*run)(const struct sl_conv_f16_args *args);
};

/* The first kernel of the list that `isa` allows and that fits. Never NULL. */
const struct sl_conv_f16 *sl_conv_f16_select(uint32_t isa, const struct sl_conv_shape *shape);
const struct sl_conv_f16 *sl_conv_f16_at(size_t i);

/* Every kernel is an object of its own name; the list says which there are. */
#define SL_CONV_F16(kernel) extern const struct sl_conv_f16 kernel;
#include "kernels/conv/conv_f16.inc"
#undef SL_CONV_F16
