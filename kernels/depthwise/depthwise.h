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

struct sl_depthwise_shape {
    size_t batch, in_h, in_w, out_h, out_w;
    size_t channels, multiplier; /* multiplier 1 is the common case */
    size_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w;
    size_t pad_top, pad_left;
};

#define SL_TEMPLATE "kernels/depthwise/depthwise_head.inc"
#include "kernels/cpu/floats.inc"
