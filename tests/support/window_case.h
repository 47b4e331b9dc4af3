/* tests/support/window_case.h: small layers of windows of which one size is given, for tests that
 * try every remainder of it. */
#pragma once

#include "kernels/conv/conv.h"
#include "kernels/cpu/isa.h"
#include "kernels/depthwise/depthwise.h"
#include "tests/support/kernel_case.h"

/* The longest block of any engine, of `vectors` vectors of 32-bit words or of `least` lanes. */
static inline size_t sl_case_block(size_t vectors, size_t least)
{
    size_t lanes = vectors * sl_isa_svl_bytes() / 4;
    return lanes > least ? lanes : least;
}

enum { SL_CASE_CONV_SIZES = 3, SL_CASE_DEPTHWISE_SIZES = 5 };

/* `which` 0: so many output channels; 1: pixels; 2: input channels. */
static inline struct sl_conv_shape sl_case_conv_of(int which, size_t size)
{
    if (which == 0)
        return (struct sl_conv_shape){1, 2, 2, 2, 1, 1, 3, size, 2, 2, 1, 1, 1, 1, 1, 0};
    if (which == 1)
        return (struct sl_conv_shape){1, 1, size, 1, size, 1, 2, 3, 1, 3, 1, 1, 1, 1, 0, 1};
    return (struct sl_conv_shape){1, 2, 2, 2, 2, 1, size, 2, 1, 2, 1, 1, 1, 1, 0, 1};
}

/* So many channels; `which`: the usual windows and strides. */
static inline struct sl_depthwise_shape sl_case_depthwise_of(size_t which, size_t channels)
{
    size_t side = (size_t[]){3, 3, 5, 5, 7}[which % SL_CASE_DEPTHWISE_SIZES];
    size_t stride = (size_t[]){1, 2, 1, 2, 1}[which % SL_CASE_DEPTHWISE_SIZES];
    size_t pad = side / 2, out = 2 / stride;
    return (struct sl_depthwise_shape){1,    2,      3,      out, 4 / stride, channels, 1,  side,
                                       side, stride, stride, 1,   1,          pad,      pad};
}

/* Does `call`, which finds kernel, size, shape and seed, for every kernel of a list of convolutions
 * that runs here, with every remainder of output channels, of pixels and of input channels, on one
 * block and on the next. */
#define SL_CASE_CONV_SIZED(family, wanted, call)                                                   \
    {                                                                                              \
        const struct sl_##family *kernel;                                                          \
        size_t block = sl_case_block(2, 32);                                                       \
        for (size_t i = 0; (kernel = sl_##family##_at(i)) != NULL; i++) {                          \
            uint32_t seed = 10;                                                                    \
            if (!(wanted) || !sl_case_may_run(kernel->name, kernel->needs))                        \
                continue;                                                                          \
            for (size_t size = 1; size > 0; size = sl_case_next_size(size, block))                 \
                for (int which = 0; which < SL_CASE_CONV_SIZES; which++) {                         \
                    struct sl_conv_shape shape = sl_case_conv_of(which, size);                     \
                    call;                                                                          \
                }                                                                                  \
        }                                                                                          \
    }

/* The same of depthwise convolutions and their channels, in blocks of so many `vectors`; of the
 * usual windows one that the kernel takes. */
#define SL_CASE_DEPTHWISE_SIZED(family, wanted, vectors, call)                                     \
    {                                                                                              \
        const struct sl_##family *kernel;                                                          \
        size_t block = sl_case_block(vectors, 32), which = 0;                                      \
        for (size_t i = 0; (kernel = sl_##family##_at(i)) != NULL; i++) {                          \
            uint32_t seed = 9;                                                                     \
            if (!(wanted) || !sl_case_may_run(kernel->name, kernel->needs))                        \
                continue;                                                                          \
            for (size_t size = 1; size > 0; size = sl_case_next_size(size, block), which++) {      \
                struct sl_depthwise_shape shape = sl_case_depthwise_of(which, size);               \
                for (size_t n = 1; kernel->fits && !kernel->fits(&shape) && n < 5; n++)            \
                    shape = sl_case_depthwise_of(which + n, size);                                 \
                call;                                                                              \
            }                                                                                      \
        }                                                                                          \
    }
