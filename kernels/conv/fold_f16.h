/* kernels/conv/fold_f16.h: the second half of a transposed convolution in half precision: fold.h
 * with other elements, summed in f32. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first half is a product of the pixels and the weights: patches[y][x][g][ky][kx][o], what
 * input pixel (y, x) adds to the output pixels (y * sh + ky * dh - pt, x * sw + kx * dw - pl). One
 * image: out[oy][ox][g * oc + o] = clamp(bias[g * oc + o] + the sum of what lands there). */
struct sl_fold_f16_args {
    size_t in_h, in_w, out_h, out_w;
    size_t groups, group_out_c;
    size_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left;
    const uint16_t *patches;
    const uint16_t *bias; /* [groups * group_out_c] or NULL */
    uint16_t *out;
    float min, max; /* -inf, +inf: no clamp */
};

struct sl_fold_f16 {
    const char *name;
    uint32_t needs;
    void (*run)(const struct sl_fold_f16_args *args);
};

const struct sl_fold_f16 *sl_fold_f16_select(uint32_t isa);
const struct sl_fold_f16 *sl_fold_f16_at(size_t i);

/* Every kernel is an object of its own name; the list says which there are. */
#define SL_FOLD_F16(kernel) extern const struct sl_fold_f16 kernel;
#include "kernels/conv/fold_f16.inc"
#undef SL_FOLD_F16
