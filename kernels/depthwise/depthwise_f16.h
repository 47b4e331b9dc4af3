/* kernels/depthwise/depthwise_f16.h: depthwise 2-D convolution in half precision: depthwise.h with
 * other elements. Sums are in f32 and rounded once, but for NEON kernels, which add in half
 * precision. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/depthwise/depthwise.h"

struct sl_depthwise_f16_args {
    struct sl_depthwise_shape shape;
    const uint16_t *in;  /* [batch][in_h][in_w][channels] */
    const void *weights; /* as pack_weights() left them */
    uint16_t *out;       /* [batch][out_h][out_w][channels * multiplier] */
    float min, max;
    void *workspace; /* workspace_bytes(), 64-byte aligned */
};

struct sl_depthwise_f16 {
    const char *name;
    uint32_t needs;
    bool (*fits)(const struct sl_depthwise_shape *shape); /* NULL: any */
    size_t (*weights_bytes)(const struct sl_depthwise_shape
                                *shape); /* only channels, multiplier and kernel size count */
    void (*pack_weights)(const struct sl_depthwise_shape *shape, const uint16_t *weights,
                         const uint16_t *bias, void *packed);
    size_t (*workspace_bytes)(const struct sl_depthwise_shape *shape);
    void (*run)(const struct sl_depthwise_f16_args *args);
};

const struct sl_depthwise_f16 *sl_depthwise_f16_select(uint32_t isa,
                                                       const struct sl_depthwise_shape *shape);
const struct sl_depthwise_f16 *sl_depthwise_f16_at(size_t i);

/* Every kernel is an object of its own name; the list says which there are. */
#define SL_DEPTHWISE_F16(kernel) extern const struct sl_depthwise_f16 kernel;
#include "kernels/depthwise/depthwise_f16.inc"
#undef SL_DEPTHWISE_F16
