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

struct sl_conv_shape {
    size_t batch, in_h, in_w, out_h, out_w;
    size_t groups, group_in_c, group_out_c;
    size_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w;
    size_t pad_top, pad_left; /* bottom and right follow from out_h and out_w; negative (wrapped):
                                 windows begin inside the image */
};

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

#define SL_TEMPLATE "kernels/conv/conv_head.inc"
#include "kernels/cpu/floats.inc"
