/* kernels/pool/pool.h: 2-D pooling in f32 or half precision, NHWC. Averages are summed in f32. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/element.h"

enum sl_pool_op { SL_POOL_MAX, SL_POOL_AVERAGE };

struct sl_pool_args {
    int op; /* enum sl_pool_op */
    size_t batch, in_h, in_w, out_h, out_w, channels;
    size_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left;
    const void *in; /* [batch][in_h][in_w][channels], elements of the kernel's type */
    void *out;      /* [batch][out_h][out_w][channels] */
    float min, max; /* clamp */
};

/* Pixels outside are ignored: MAX over the valid ones, AVERAGE divides by their number
 * (or, in SME2 and for halves in NEON, multiplies by its reciprocal). Every
 * window has at least one. A NaN wins a MAX. */
struct sl_pool {
    const char *name;
    uint32_t needs;
    int element; /* enum sl_element */
    int op;      /* enum sl_pool_op */
    void (*run)(const struct sl_pool_args *args);
};

const struct sl_pool *sl_pool_select(uint32_t isa, int element, int op);
const struct sl_pool *sl_pool_at(size_t i);

/* Every kernel is an object of its own name; the list says which there are. */
#define SL_KERNEL(kernel) extern const struct sl_pool kernel;
#include "kernels/pool/pool.inc"
#undef SL_KERNEL
