/* kernels/depthwise/depthwise_neon.h: windows of any size, stride, dilation and padding, one
 * multiplier: 4 pixels of a row by 4 vectors of channels at a time where the windows lie inside the
 * row; of the type that the including file names (kernels/cpu/element.h), the kernel KERNEL.
 *
 * Packed weights are rows of the channels, padded to whole vectors: the biases, then the taps. */
#pragma once

#include <string.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon_vector.h"
#include "kernels/cpu/span.h"

enum { VECTORS = 4, PIXELS = 4 };

static size_t row_elements(const struct sl_depthwise_shape *s)
{
    return (s->channels + LANES - 1) / LANES * LANES;
}

static size_t weights_bytes(const struct sl_depthwise_shape *shape)
{
    return (shape->kernel_h * shape->kernel_w + 1) * row_elements(shape) * sizeof(SL_ELEMENT);
}

static void pack_weights(const struct sl_depthwise_shape *shape, const SL_ELEMENT *weights,
                         const SL_ELEMENT *bias, void *packed)
{
    SL_ELEMENT *out = packed;
    size_t count = shape->channels, step = row_elements(shape);
    memset(packed, 0, weights_bytes(shape));
    if (bias)
        memcpy(out, bias, count * sizeof(SL_ELEMENT));
    for (size_t t = 0; t < shape->kernel_h * shape->kernel_w; t++)
        memcpy(out + (t + 1) * step, weights + t * count, count * sizeof(SL_ELEMENT));
}

static size_t workspace_bytes(const struct sl_depthwise_shape *shape)
{
    (void)shape;
    return 0;
}

/* The part of a window that lies inside. Steps are in elements. */
struct window {
    size_t rows, cols, row_step, col_step;
    size_t pixel_step;  /* from the window of one output pixel to that of the next */
    size_t channels;    /* and from output pixel to output pixel */
    size_t weight_step; /* from tap to tap */
    size_t skipped;     /* taps between the last of one row and the first of the next */
    float min, max;
};

/* `bias` and `weights` (the first tap inside), `in` and `out` are at the first channel. */
SL_INLINE void block(size_t pixels, size_t vectors, size_t lanes, const struct window *w,
                     const SL_ELEMENT *bias, const SL_ELEMENT *weights, const SL_ELEMENT *in,
                     SL_ELEMENT *out)
{
    vec_t acc[PIXELS][VECTORS], tap[VECTORS];
    SL_UNROLL
    for (size_t p = 0; p < pixels; p++) {
        SL_UNROLL
        for (size_t j = 0; j < vectors; j++)
            acc[p][j] = v_load(bias + LANES * j);
    }
    for (size_t y = w->rows; y > 0; y--, in += w->row_step, weights += w->skipped) {
        const SL_ELEMENT *at = in;
        for (size_t x = w->cols; x > 0; x--, at += w->col_step, weights += w->weight_step) {
            SL_UNROLL
            for (size_t j = 0; j < vectors; j++)
                tap[j] = v_load(weights + LANES * j);
            SL_UNROLL
            for (size_t p = 0; p < pixels; p++) {
                SL_UNROLL
                for (size_t j = 0; j < vectors; j++)
                    acc[p][j] = V(vfmaq)(
                        acc[p][j], v_load_some(at + p * w->pixel_step + LANES * j, lanes), tap[j]);
            }
        }
    }
    SL_UNROLL
    for (size_t p = 0; p < pixels; p++) {
        SL_UNROLL
        for (size_t j = 0; j < vectors; j++)
            v_store_some(out + p * w->channels + LANES * j,
                         v_clamp(acc[p][j], v_set(w->min), v_set(w->max)), lanes);
    }
}

SL_INLINE void channels_of(size_t pixels, const struct window *window, const SL_ELEMENT *bias,
                           const SL_ELEMENT *weights, const SL_ELEMENT *in, SL_ELEMENT *out)
{
    struct window w = *window;
    size_t c = 0;
    for (; c + LANES * VECTORS <= w.channels; c += LANES * VECTORS)
        block(pixels, VECTORS, LANES, &w, bias + c, weights + c, in + c, out + c);
    for (; c + LANES <= w.channels; c += LANES)
        block(pixels, 1, LANES, &w, bias + c, weights + c, in + c, out + c);
    if (c == w.channels)
        return;
    if (c > 0) { /* some of them again, but a whole vector */
        c = w.channels - LANES;
        block(pixels, 1, LANES, &w, bias + c, weights + c, in + c, out + c);
    } else {
        block(pixels, 1, w.channels, &w, bias, weights, in, out);
    }
}

enum { SLIDING = 5, TOGETHER = 2 };

/* PIXELS whole windows of SLIDING columns, next to each other, TOGETHER vectors of channels: each
 * input of a row is loaded once for all of them. */
SL_INLINE void slide(const struct window *w, const SL_ELEMENT *bias, const SL_ELEMENT *weights,
                     const SL_ELEMENT *in, SL_ELEMENT *out)
{
    vec_t acc[PIXELS][TOGETHER], tap[SLIDING][TOGETHER];
    vec_t min = v_set(w->min), max = v_set(w->max);
    size_t channels = w->channels, weight_step = w->weight_step, row_step = w->row_step;
    SL_UNROLL
    for (size_t i = 0; i < PIXELS * TOGETHER; i++)
        acc[i / TOGETHER][i % TOGETHER] = v_load(bias + LANES * (i % TOGETHER));
    for (size_t y = w->rows; y > 0; y--, in += row_step) {
        const SL_ELEMENT *at = in;
        SL_UNROLL
        for (size_t x = 0; x < SLIDING; x++, weights += weight_step) {
            SL_FORGET(weights);
            SL_UNROLL
            for (size_t j = 0; j < TOGETHER; j++)
                tap[x][j] = v_load(weights + LANES * j);
        }
        SL_UNROLL
        for (size_t x = 0; x < SLIDING + PIXELS - 1; x++, at += channels) {
            SL_FORGET(at);
            SL_UNROLL
            for (size_t j = 0; j < TOGETHER; j++) {
                vec_t v = v_load(at + LANES * j);
                SL_UNROLL
                for (size_t p = 0; p < PIXELS; p++)
                    if (x >= p && x - p < SLIDING)
                        acc[p][j] = V(vfmaq)(acc[p][j], v, tap[x - p][j]);
            }
        }
    }
    SL_UNROLL
    for (size_t p = 0; p < PIXELS; p++, out += channels) {
        SL_FORGET(out);
        SL_UNROLL
        for (size_t j = 0; j < TOGETHER; j++)
            v_store(out + LANES * j, v_clamp(acc[p][j], min, max));
    }
}

static void one_pixel(const struct window *w, const SL_ELEMENT *bias, const SL_ELEMENT *weights,
                      const SL_ELEMENT *in, SL_ELEMENT *out)
{
    channels_of(1, w, bias, weights, in, out);
}

static void some_pixels(const struct window *w, const SL_ELEMENT *bias, const SL_ELEMENT *weights,
                        const SL_ELEMENT *in, SL_ELEMENT *out)
{
    size_t whole = w->channels / (TOGETHER * LANES) * TOGETHER * LANES;
    if (w->cols != SLIDING || w->col_step != w->channels || w->pixel_step != w->channels ||
        whole != w->channels) {
        channels_of(PIXELS, w, bias, weights, in, out);
        return;
    }
    for (size_t c = 0; c < whole; c += TOGETHER * LANES)
        slide(w, bias + c, weights + c, in + c, out + c);
}

/* How many of the next windows, the first at column x, lie inside the row; 1 when fewer than
 * PIXELS do. */
static size_t pixels_from(const struct sl_depthwise_shape *s, size_t x, size_t left)
{
    size_t width = (s->kernel_w - 1) * s->dilation_w + 1 + (PIXELS - 1) * s->stride_w;
    return left >= PIXELS && x < s->in_w && s->in_w - x >= width ? PIXELS : 1;
}

/* Output row oy of one image. */
static void run_row(const struct SL_NAME(sl_depthwise, _args) * args, const SL_ELEMENT *in,
                    size_t oy, SL_ELEMENT *out)
{
    const struct sl_depthwise_shape *s = &args->shape;
    size_t y = oy * s->stride_h - s->pad_top; /* wraps when outside */
    struct sl_span ys = sl_span_of(y, s->kernel_h, s->dilation_h, s->in_h);
    struct window w = {.rows = ys.to - ys.from,
                       .row_step = s->dilation_h * s->in_w * s->channels,
                       .col_step = s->dilation_w * s->channels,
                       .pixel_step = s->stride_w * s->channels,
                       .channels = s->channels,
                       .weight_step = row_elements(s),
                       .min = args->min,
                       .max = args->max};
    const SL_ELEMENT *bias = args->weights;
    for (size_t ox = 0, count; ox < s->out_w; ox += count) {
        size_t x = ox * s->stride_w - s->pad_left;
        struct sl_span xs = sl_span_of(x, s->kernel_w, s->dilation_w, s->in_w);
        w.cols = xs.to - xs.from;
        w.skipped = (s->kernel_w - w.cols) * w.weight_step;
        const SL_ELEMENT *weights = bias + (1 + ys.from * s->kernel_w + xs.from) * w.weight_step;
        size_t first = (y + ys.from * s->dilation_h) * s->in_w + x + xs.from * s->dilation_w;
        const SL_ELEMENT *from = w.rows > 0 && w.cols > 0 ? in + first * s->channels : in;
        count = pixels_from(s, x, s->out_w - ox);
        (count == 1 ? one_pixel : some_pixels)(&w, bias, weights, from, out + ox * s->channels);
    }
}

static void run(const struct SL_NAME(sl_depthwise, _args) * args)
{
    const struct sl_depthwise_shape *s = &args->shape;
    SL_ELEMENT *out = args->out;
    for (size_t n = 0; n < s->batch; n++) {
        const SL_ELEMENT *in = args->in + n * s->in_h * s->in_w * s->channels;
        for (size_t oy = 0; oy < s->out_h; oy++, out += s->out_w * s->channels)
            run_row(args, in, oy, out);
    }
}

static bool fits(const struct sl_depthwise_shape *s)
{
    return s->multiplier == 1;
}

const struct SL_NAME(sl_depthwise, ) KERNEL = {
    .name = SL_TEXT(KERNEL),
    .needs = SL_VECTOR_ISA,
    .fits = fits,
    .weights_bytes = weights_bytes,
    .pack_weights = pack_weights,
    .workspace_bytes = workspace_bytes,
    .run = run,
};
