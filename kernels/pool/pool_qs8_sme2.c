/* kernels/pool/pool_qs8_sme2.c: max pooling of int8, four streaming vectors of channels of a pixel
 * at a time. */
#include <arm_sme.h>
#include <arm_sve.h>
#include <stdbool.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/pool/pool_qs8.h"

#define SL_ELEMENT int8_t
#define VALUE int8_t
#define COUNT() svcntb()
#define POOL_ARGS struct sl_pool_qs8_args
#define POOL_3X3 sl_pool_max_3x3_qs8_sme2_asm
#include "kernels/pool/pool_3x3_sme2.inc"

#define INLINE static inline __attribute__((always_inline))

/* Taps of a window along one axis that lie inside, as kernels/cpu/span.h has them. */
INLINE size_t first_inside(size_t start, size_t dilation, size_t in) __arm_streaming
{
    return start >= in ? ((size_t)0 - start + dilation - 1) / dilation : 0;
}

INLINE size_t end_inside(size_t start, size_t kernel, size_t dilation, size_t in) __arm_streaming
{
    size_t to = first_inside(start, dilation, in);
    size_t first = start + to * dilation; /* inside: every window has a pixel there */
    to += (in - first + dilation - 1) / dilation;
    return to < kernel ? to : kernel;
}

/* The part of a window that lies inside; steps are in bytes. */
struct window {
    size_t rows, columns, down, across;
};

/* Up to four vectors of channels. */
INLINE void channels_of(const struct window *w, svcount_t some, svint8_t min, svint8_t max,
                        const int8_t *in, int8_t *out) __arm_streaming
{
    svint8x4_t y = svcreate4_s8(min, min, min, min);
    size_t columns = w->columns, across = w->across, back = columns * across;
    for (size_t r = w->rows; r > 0; r--, in += w->down - back)
        for (size_t k = columns; k > 0; k--, in += across)
            y = svmax_s8_x4(y, svld1_s8_x4(some, in));
    svst1_s8_x4(some, out, svmin_single_s8_x4(y, max));
}

INLINE svint8_t larger(svint8_t x, svint8_t y) __arm_streaming
{
    return svmax_s8_x(svptrue_b8(), x, y);
}

/* A whole window of 2x2, one vector of channels. */
INLINE void four_of(const struct window *w, svbool_t some, svint8_t min, svint8_t max,
                    const int8_t *in, int8_t *out) __arm_streaming
{
    const int8_t *below = in + w->down;
    svint8_t upper = larger(svld1_s8(some, in), svld1_s8(some, in + w->across));
    svint8_t lower = larger(svld1_s8(some, below), svld1_s8(some, below + w->across));
    svst1_s8(some, out, svclamp_s8(larger(upper, lower), min, max));
}

INLINE void pixel(const struct sl_pool_qs8_args *a, const struct window *w, const int8_t *in,
                  int8_t *out) __arm_streaming
{
    svint8_t min = svdup_s8(a->min), max = svdup_s8(a->max);
    size_t channels = a->channels;
    if (w->rows == 2 && w->columns == 2) {
        for (size_t c = 0; c < channels; c += svcntb())
            four_of(w, svwhilelt_b8_u64(c, channels), min, max, in + c, out + c);
        return;
    }
    for (size_t c = 0; c < channels; c += 4 * svcntb())
        channels_of(w, svwhilelt_c8_u64(c, channels, 4), min, max, in + c, out + c);
}

INLINE void row_of(const struct sl_pool_qs8_args *a, const int8_t *in, size_t oy,
                   int8_t *out) __arm_streaming
{
    size_t top = oy * a->stride_h - a->pad_top, line = a->in_w * a->channels;
    size_t from = first_inside(top, a->dilation_h, a->in_h);
    struct window w = {.rows = end_inside(top, a->kernel_h, a->dilation_h, a->in_h) - from,
                       .down = a->dilation_h * line,
                       .across = a->dilation_w * a->channels};
    in += (top + from * a->dilation_h) * line;
    bool threes = w.rows == 3 && a->kernel_w == 3;
    for (size_t ox = 0; ox < a->out_w; ox++, out += a->channels) {
        size_t left = ox * a->stride_w - a->pad_left;
        size_t count = threes ? inside_from(a, ox) : 0;
        if (count > 0) {
            windows_of_3x3(a, in + left * a->channels, count, out);
            ox += count - 1;
            out += (count - 1) * a->channels;
            continue;
        }
        from = first_inside(left, a->dilation_w, a->in_w);
        w.columns = end_inside(left, a->kernel_w, a->dilation_w, a->in_w) - from;
        pixel(a, &w, in + (left + from * a->dilation_w) * a->channels, out);
    }
}

static void body(const void *pointer) __arm_streaming
{
    const struct sl_pool_qs8_args *a = pointer;
    int8_t *out = a->out;
    for (size_t b = 0; b < a->batch; b++)
        for (size_t oy = 0; oy < a->out_h; oy++, out += a->out_w * a->channels)
            row_of(a, a->in + b * a->in_h * a->in_w * a->channels, oy, out);
}

static void run(const struct sl_pool_qs8_args *args)
{
    sl_streaming_run(body, args);
}

const struct sl_pool_qs8 sl_pool_max_qs8_qs8_1x4vl_sme2 = {
    .name = "sl_pool_max_qs8_qs8_1x4vl_sme2",
    .needs = SL_ISA_SME2,
    .run = run,
};
