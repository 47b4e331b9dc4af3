/* kernels/depthwise/depthwise_qs8.h: depthwise 2-D convolution in static int8, NHWC, as depthwise.h
 * has it in f32.
 *
 * Pixels outside count as the input's zero point. kernels/cpu/requant.h says the arithmetic; all
 * kernels give the same bytes. */
#pragma once

#include "kernels/cpu/requant.h"
#include "kernels/depthwise/depthwise.h"

struct sl_depthwise_qs8_args {
    struct sl_depthwise_shape shape;
    const int8_t *in;    /* [batch][in_h][in_w][channels] */
    int8_t in_zero;      /* as packed */
    const void *weights; /* as pack_weights() left them */
    int8_t *out;         /* [batch][out_h][out_w][channels * multiplier] */
    struct sl_requant_out out_quant;
    void *workspace; /* workspace_bytes(), 64-byte aligned */
};

/* Members as of struct sl_depthwise. weights are [kernel_h][kernel_w][channels * multiplier];
 * requant has a bias and a scale for each of channels * multiplier. */
struct sl_depthwise_qs8 {
    const char *name;
    uint32_t needs;
    bool (*fits)(const struct sl_depthwise_shape *shape); /* NULL: any */
    size_t (*weights_bytes)(const struct sl_depthwise_shape *shape);
    void (*pack_weights)(const struct sl_depthwise_shape *shape, const int8_t *weights,
                         const struct sl_requant *requant, void *packed);
    size_t (*workspace_bytes)(const struct sl_depthwise_shape *shape);
    void (*run)(const struct sl_depthwise_qs8_args *args);
};

/* The first kernel of the list that `isa` allows and that fits. Never NULL. */
const struct sl_depthwise_qs8 *sl_depthwise_qs8_select(uint32_t isa,
                                                       const struct sl_depthwise_shape *shape);
const struct sl_depthwise_qs8 *sl_depthwise_qs8_at(size_t i);

/* Every kernel is an object of its own name; the list says which there are. */
#define SL_KERNEL(kernel) extern const struct sl_depthwise_qs8 kernel;
#include "kernels/depthwise/depthwise_qs8.inc"
#undef SL_KERNEL
