/* kernels/reduce/reduce.h: reductions in f32, or of halves in f32 and rounded once, over a dense
 * [outer][reduced][inner] view, and row-wise norms. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/element.h"

enum sl_reduce_op {
    SL_REDUCE_MEAN, /* out[outer][inner] = sum over `reduced` * scale; scale is 1/reduced for a mean
                     */
    SL_REDUCE_MAX,  /* out[outer][inner] = largest over `reduced`, at least 1; a NaN wins */
    SL_REDUCE_SOFTMAX,    /* inner is 1: out[outer][reduced] = exp(x - max) / sum, row by row */
    SL_REDUCE_LAYER_NORM, /* inner is 1: out[outer][reduced] = (x - mean) / sqrt(var + eps) * weight
                             + bias */
    SL_REDUCE_RMS_NORM, /* inner is 1: out[outer][reduced] = x / sqrt(mean of x^2 + eps) * weight */
};

/* True if the result is [outer][inner]; false if its rows are as long as the input's. */
static inline bool sl_reduce_folds(int op)
{
    return op <= SL_REDUCE_MAX;
}

struct sl_reduce_args { /* its pointers are to elements of the kernel's type */
    size_t outer, reduced, inner;
    const void *in;
    void *out;                 /* may be `in` but for MEAN and MAX */
    float scale;               /* MEAN */
    float eps;                 /* norms */
    const void *weight, *bias; /* norms: [reduced] or NULL; RMS_NORM has no bias */
    void *mean, *rstd;         /* norms: [outer] or NULL; RMS_NORM has no mean */
};

struct sl_reduce {
    const char *name;
    uint32_t needs;
    int element; /* enum sl_element */
    int op;      /* enum sl_reduce_op */
    void (*run)(const struct sl_reduce_args *args);
};

const struct sl_reduce *sl_reduce_select(uint32_t isa, int element, int op);
const struct sl_reduce *sl_reduce_at(size_t i);

/* Every kernel is an object of its own name; the list says which there are. */
#define SL_KERNEL(kernel) extern const struct sl_reduce kernel;
#include "kernels/reduce/reduce.inc"
#undef SL_KERNEL
