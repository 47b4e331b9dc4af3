/* kernels/depthwise/depthwise.h: depthwise 2-D convolution in f32 or half precision, NHWC.
 *
 * y[n][oy][ox][c*mult+m] = clamp(bias[c*mult+m] + sum x[n][oy*sh + ky*dh - pt][ox*sw + kx*dw -
 * pl][c] * w[ky][kx][c*mult+m]), pixels outside count as 0. Weights are
 * [kernel_h][kernel_w][channels * multiplier], bias [channels * multiplier] or NULL.
 *
 * Sums of halves are in f32 and rounded once, but for NEON kernels, which add in half precision. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/element.h"

struct sl_depthwise_shape {
    size_t batch, in_h, in_w, out_h, out_w;
    size_t channels, multiplier; /* multiplier 1 is the common case */
    size_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w;
    size_t pad_top, pad_left;
};

struct sl_depthwise_args {
    struct sl_depthwise_shape shape;
    const void *in;      /* [batch][in_h][in_w][channels], elements of the kernel's type */
    const void *weights; /* as pack_weights() left them */
    void *out;           /* [batch][out_h][out_w][channels * multiplier] */
    float min, max;
    void *workspace; /* workspace_bytes(), 64-byte aligned */
};

struct sl_depthwise {
    const char *name;
    uint32_t needs;
    int element;                                          /* enum sl_element */
    bool (*fits)(const struct sl_depthwise_shape *shape); /* NULL: any */
    size_t (*weights_bytes)(const struct sl_depthwise_shape
                                *shape); /* only channels, multiplier and kernel size count */
    void (*pack_weights)(const struct sl_depthwise_shape *shape, const void *weights,
                         const void *bias, void *packed);
    size_t (*workspace_bytes)(const struct sl_depthwise_shape *shape);
    void (*run)(const struct sl_depthwise_args *args);
};

const struct sl_depthwise *sl_depthwise_select(uint32_t isa, int element,
                                               const struct sl_depthwise_shape *shape);
const struct sl_depthwise *sl_depthwise_at(size_t i);

/* Every kernel is an object of its own name; the list says which there are. */
#define SL_KERNEL(kernel) extern const struct sl_depthwise kernel;
#include "kernels/depthwise/depthwise.inc"
#undef SL_KERNEL
