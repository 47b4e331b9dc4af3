/* kernels/conv/conv.h: 2-D convolution in f32 or half precision, NHWC, as implicit GEMM: no im2col
 * buffer of the whole input.
 *
 * y[n][oy][ox][g*oc+o] = clamp(bias + sum x[n][oy*sh + ky*dh - pt][ox*sw + kx*dw - pl][g*ic+i] *
 * w[g*oc+o][ky][kx][i]), pixels outside count as 0. oc and ic are per group.
 *
 * Sums of halves are in f32 and rounded once, but for NEON kernels, which add in half precision. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/element.h"
#include "kernels/cpu/policy.h"

struct sl_conv_shape {
    size_t batch, in_h, in_w, out_h, out_w;
    size_t groups, group_in_c, group_out_c;
    size_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w;
    size_t pad_top, pad_left; /* bottom and right follow from out_h and out_w; negative (wrapped):
                                 windows begin inside the image */
};

/* Has it so few multiply-adds that a policy may tell it apart (kernels/cpu/policy.h)? */
static inline bool sl_conv_is_small(const struct sl_conv_shape *shape)
{
    return sl_policy_few_macs(shape->batch * shape->out_h * shape->out_w,
                              shape->groups * shape->group_out_c,
                              shape->kernel_h * shape->kernel_w * shape->group_in_c);
}

/* Fills in the strides of a dense output where they are 0. */
static inline void sl_conv_strides(const struct sl_conv_shape *shape, size_t *out_pixel,
                                   size_t *out_row)
{
    if (*out_pixel == 0)
        *out_pixel = shape->groups * shape->group_out_c;
    if (*out_row == 0)
        *out_row = shape->out_w * *out_pixel;
}

/* Makes of weights of half precision what pack_weights() makes of the same in f32; where they are
 * `planar`, [groups * group_out_c][group_in_c][kernel_h][kernel_w], turned. `scratch` is 64-byte
 * aligned and has half of weights_bytes(). */
typedef void (*sl_conv_halves_fn)(const struct sl_conv_shape *shape, const uint16_t *weights,
                                  const float *bias, bool planar, void *scratch, void *packed);

struct sl_conv_args {
    struct sl_conv_shape shape;
    const void *in;            /* [batch][in_h][in_w][groups * group_in_c], dense, elements of the
                                  kernel's type */
    const void *weights;       /* as pack_weights() left them */
    void *out;                 /* [batch][out_h][out_w][groups * group_out_c] */
    float min, max;            /* -inf, +inf: no clamp */
    void *workspace;           /* workspace_bytes(), 64-byte aligned */
    size_t out_pixel, out_row; /* elements of `out` from pixel to pixel and row to row, out_h rows
                                  an image; 0: dense */
};

struct sl_conv {
    const char *name;
    uint32_t needs;                                  /* enum sl_isa bits */
    int element;                                     /* enum sl_element */
    bool (*fits)(const struct sl_conv_shape *shape); /* NULL: any */
    /* weights are [groups * group_out_c][kernel_h][kernel_w][group_in_c]; bias [groups *
     * group_out_c] or NULL. Of the shape only groups, channels and kernel size count, so packs
     * serve every input size. `packed` is 64-byte aligned. */
    size_t (*weights_bytes)(const struct sl_conv_shape *shape);
    void (*pack_weights)(const struct sl_conv_shape *shape, const void *weights, const void *bias,
                         void *packed);
    /* Makes of what pack_weights() made of weights [groups * group_out_c][group_in_c][kernel_h]
     * [kernel_w] what it makes of the same weights in its own order, by moving whole rows of
     * panels. NULL: weights in that order are to be turned before. */
    void (*turn_packed)(const struct sl_conv_shape *shape, const void *from, void *to);
    sl_conv_halves_fn pack_halves; /* NULL: halves are to be widened before, or are the
                                      element */
    size_t (*workspace_bytes)(const struct sl_conv_shape *shape);
    void (*run)(const struct sl_conv_args *args);
};

/* The first kernel of the element in the list that `isa` allows and that fits. Never NULL. */
const struct sl_conv *sl_conv_select(uint32_t isa, int element, const struct sl_conv_shape *shape);
const struct sl_conv *sl_conv_at(size_t i);

/* Every kernel is an object of its own name; the list says which there are. */
#define SL_KERNEL(kernel) extern const struct sl_conv kernel;
#include "kernels/conv/conv.inc"
#undef SL_KERNEL
