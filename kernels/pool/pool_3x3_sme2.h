/* kernels/pool/pool_3x3_sme2.h: largest values of 3x3 windows that lie inside, in streaming mode.
 * The including file defines POOL_ARGS, what the kernel is called with, SL_ELEMENT, VALUE, the same
 * as the instructions know it, COUNT(), how many a vector holds, and POOL_3X3, the assembly. */
#pragma once

#include <arm_sme.h>
#include <stddef.h>

struct sl_pool_3x3 {      /* the assembly knows its layout */
    const SL_ELEMENT *in; /* the first tap of four vectors of channels, from `channel` on */
    SL_ELEMENT *out;
    size_t windows;          /* at least 1 */
    size_t step, line, next; /* elements from tap to tap, row to row, window to window */
    size_t channels, channel;
    VALUE min, max;
};

void POOL_3X3(const struct sl_pool_3x3 *row) __arm_streaming;

/* `count` neighbouring windows, the first one's first tap at `in`. */
static inline void windows_of_3x3(const POOL_ARGS *a, const SL_ELEMENT *in, size_t count,
                                  SL_ELEMENT *out) __arm_streaming
{
    struct sl_pool_3x3 row = {.windows = count,
                              .step = a->dilation_w * a->channels,
                              .line = a->dilation_h * a->in_w * a->channels,
                              .next = a->stride_w * a->channels,
                              .channels = a->channels,
                              .min = (VALUE)a->min,
                              .max = (VALUE)a->max};
    for (size_t c = 0; c < a->channels; c += 4 * COUNT()) {
        row.in = in + c;
        row.out = out + c;
        row.channel = c;
        POOL_3X3(&row);
    }
}

/* How many windows of a row, from the one at output column `ox`, lie inside to their full width. */
static inline size_t inside_from(const POOL_ARGS *a, size_t ox) __arm_streaming
{
    size_t x = ox * a->stride_w - a->pad_left, width = (a->kernel_w - 1) * a->dilation_w + 1;
    if (ox * a->stride_w < a->pad_left || x + width > a->in_w)
        return 0;
    size_t count = (a->in_w - x - width) / a->stride_w + 1;
    return count < a->out_w - ox ? count : a->out_w - ox;
}
