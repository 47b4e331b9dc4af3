/* kernels/reduce/reduce.h: reductions in f32, or of halves in f32 and rounded once, over a dense
 * [outer][reduced][inner] view, and row-wise norms. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sl_reduce_op {
    SL_REDUCE_MEAN, /* out[outer][inner] = sum over `reduced` * scale; scale is 1/reduced for a mean
                     */
    SL_REDUCE_MAX,  /* out[outer][inner] = largest over `reduced`, at least 1; a NaN wins */
    SL_REDUCE_SOFTMAX,    /* inner is 1: out[outer][reduced] = exp(x - max) / sum, row by row */
    SL_REDUCE_LAYER_NORM, /* inner is 1: out[outer][reduced] = (x - mean) / sqrt(var + eps) * weight
                             + bias */
    SL_REDUCE_RMS_NORM, /* inner is 1: out[outer][reduced] = x / sqrt(mean of x^2 + eps) * weight */
};

/* Whether it gives [outer][inner], not rows as long as the input's. */
static inline bool sl_reduce_folds(int op)
{
    return op <= SL_REDUCE_MAX;
}

#define SL_TEMPLATE "kernels/reduce/reduce_head.inc"
#include "kernels/cpu/floats.inc"
