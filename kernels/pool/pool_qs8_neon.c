/* kernels/pool/pool_qs8_neon.c: max pooling of int8, NEON: 64 channels of a pixel at a time, then
 * 16, then those left. */
#include <string.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon.h"
#include "kernels/cpu/span.h"
#include "kernels/pool/pool_qs8.h"

/* The part of a window that lies inside; steps are in bytes. */
struct window {
    size_t rows, columns, down, across;
    int8x16_t min, max;
};

/* `count` is 16 but for the last channels, where `vectors` is 1. */
SL_INLINE void channels_of(size_t vectors, size_t count, const struct window *w, const int8_t *in,
                           int8_t *out)
{
    int8x16_t y[4];
    SL_UNROLL
    for (size_t j = 0; j < vectors; j++)
        y[j] = w->min;
    for (size_t r = w->rows; r > 0; r--, in += w->down) {
        const int8_t *at = in;
        for (size_t c = w->columns; c > 0; c--, at += w->across) {
            SL_UNROLL
            for (size_t j = 0; j < vectors; j++)
                y[j] = vmaxq_s8(y[j], sl_neon_bytes(at + 16 * j, count));
        }
    }
    SL_UNROLL
    for (size_t j = 0; j < vectors; j++) {
        y[j] = vminq_s8(y[j], w->max);
        if (count == 16)
            vst1q_s8(out + 16 * j, y[j]);
        else
            memcpy(out, &y[j], count);
    }
}

static void pixel(size_t channels, const struct window *w, const int8_t *in, int8_t *out)
{
    for (; channels >= 64; channels -= 64, in += 64, out += 64)
        channels_of(4, 16, w, in, out);
    for (; channels >= 16; channels -= 16, in += 16, out += 16)
        channels_of(1, 16, w, in, out);
    if (channels > 0)
        channels_of(1, channels, w, in, out);
}

/* One row of output pixels; `in` is the image. */
static void row_of(const struct sl_pool_qs8_args *a, const int8_t *in, size_t oy, int8_t *out)
{
    size_t top = oy * a->stride_h - a->pad_top, line = a->in_w * a->channels;
    struct sl_span rows = sl_span_of(top, a->kernel_h, a->dilation_h, a->in_h);
    struct window w = {.rows = rows.to - rows.from,
                       .down = a->dilation_h * line,
                       .across = a->dilation_w * a->channels,
                       .min = vdupq_n_s8(a->min),
                       .max = vdupq_n_s8(a->max)};
    in += (top + rows.from * a->dilation_h) * line;
    for (size_t ox = 0; ox < a->out_w; ox++, out += a->channels) {
        size_t left = ox * a->stride_w - a->pad_left;
        struct sl_span columns = sl_span_of(left, a->kernel_w, a->dilation_w, a->in_w);
        w.columns = columns.to - columns.from;
        pixel(a->channels, &w, in + (left + columns.from * a->dilation_w) * a->channels, out);
    }
}

static void run(const struct sl_pool_qs8_args *a)
{
    int8_t *out = a->out;
    for (size_t b = 0; b < a->batch; b++)
        for (size_t oy = 0; oy < a->out_h; oy++, out += a->out_w * a->channels)
            row_of(a, a->in + b * a->in_h * a->in_w * a->channels, oy, out);
}

const struct sl_pool_qs8 sl_pool_max_qs8_qs8_1x64_neon = {
    .name = "sl_pool_max_qs8_qs8_1x64_neon",
    .needs = SL_ISA_NEON,
    .run = run,
};
