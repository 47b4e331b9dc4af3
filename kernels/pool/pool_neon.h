/* kernels/pool/pool_neon.h: pooling, 8 vectors of channels at a time; 2x2 windows that lie inside
 * the image have a path of their own; of the type that the including file names
 * (kernels/cpu/element.h). That file defines the kernels, by run(). */
#pragma once

#include <math.h>
#include <stdbool.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon_vector.h"
#include "kernels/cpu/span.h"

enum { VECTORS = 8, VECTORS_OF_2X2 = 4 };

/* The part of a window that lies inside, as an array of pixels. */
struct window {
    size_t rows, cols, row_step, col_step; /* steps in elements */
    vec_t scale, min, max;                 /* scale: of an average */
};

SL_INLINE vec_t take(int op, vec_t acc, vec_t v)
{
    return op == SL_POOL_MAX ? V(vmaxq)(acc, v) : V(vaddq)(acc, v);
}

SL_INLINE void channels_of(int op, size_t vectors, size_t lanes, const struct window *w,
                           const SL_ELEMENT *in, SL_ELEMENT *out)
{
    vec_t acc[VECTORS];
    SL_UNROLL
    for (size_t j = 0; j < vectors; j++)
        acc[j] = v_set(op == SL_POOL_MAX ? -INFINITY : 0);
    for (size_t y = w->rows; y > 0; y--, in += w->row_step) {
        const SL_ELEMENT *at = in;
        for (size_t x = w->cols; x > 0; x--, at += w->col_step) {
            SL_UNROLL
            for (size_t j = 0; j < vectors; j++)
                acc[j] = take(op, acc[j], v_load_some(at + LANES * j, lanes));
        }
    }
    SL_UNROLL
    for (size_t j = 0; j < vectors; j++) {
        acc[j] = op == SL_POOL_MAX ? acc[j] : V(vmulq)(acc[j], w->scale);
        v_store_some(out + LANES * j, v_clamp(acc[j], w->min, w->max), lanes);
    }
}

SL_INLINE void pixel(int op, const struct SL_NAME(sl_pool, _args) * a, const struct window *w,
                     const SL_ELEMENT *in, SL_ELEMENT *out)
{
    size_t c = 0;
    for (; c + LANES * VECTORS <= a->channels; c += LANES * VECTORS)
        channels_of(op, VECTORS, LANES, w, in + c, out + c);
    for (; c + 4 * LANES <= a->channels; c += 4 * LANES)
        channels_of(op, 4, LANES, w, in + c, out + c);
    for (; c + LANES <= a->channels; c += LANES)
        channels_of(op, 1, LANES, w, in + c, out + c);
    if (c < a->channels && c > 0)
        c = a->channels - LANES; /* some of them again, but whole vectors */
    if (c < a->channels)
        channels_of(op, 1, c > 0 ? LANES : a->channels, w, in + c, out + c);
}

/* The largest of four pixels, `vectors` of channels from each pointer, which move on. */
SL_INLINE void channels_of_2x2(size_t vectors, bool clamp, const struct window *w,
                               const SL_ELEMENT *from[4], SL_ELEMENT **out, size_t lanes)
{
    vec_t v[VECTORS_OF_2X2], pixel[4][VECTORS_OF_2X2];
    SL_UNROLL
    for (size_t i = 0; i < 4; i++) {
        if (lanes == LANES)
            v_load_all(from[i], vectors, pixel[i]);
        else
            pixel[i][0] = v_load_some(from[i], lanes);
    }
    SL_UNROLL
    for (size_t j = 0; j < vectors; j++) {
        v[j] = V(vmaxq)(V(vmaxq)(pixel[0][j], pixel[1][j]), V(vmaxq)(pixel[2][j], pixel[3][j]));
        v[j] = clamp ? v_clamp(v[j], w->min, w->max) : v[j];
    }
    SL_UNROLL
    for (size_t j = 0; j < vectors; j++)
        v_store_some(*out + LANES * j, v[j], lanes);
    SL_UNROLL
    for (size_t i = 0; i < 4; i++) {
        from[i] += LANES * (vectors - 1) + lanes;
        SL_FORGET(from[i]);
    }
    *out += LANES * (vectors - 1) + lanes;
}

/* A run of 2x2 windows inside the image: `in` is the first one's upper left pixel. `part`: channels
 * are no whole vectors. */
SL_INLINE void run_of_2x2(bool clamp, bool part, const struct SL_NAME(sl_pool, _args) * a,
                          const struct window *window, size_t count, const SL_ELEMENT *in,
                          SL_ELEMENT *out)
{
    struct window w = *window;
    size_t channels = a->channels, step = a->stride_w * channels;
    for (; count > 0; count--, in += step) {
        const SL_ELEMENT *from[4] = {in, in + channels, in + w.row_step,
                                     in + w.row_step + channels};
        size_t c = channels;
        for (; c >= LANES * VECTORS_OF_2X2; c -= LANES * VECTORS_OF_2X2)
            channels_of_2x2(VECTORS_OF_2X2, clamp, &w, from, &out, LANES);
        for (; c >= 2 * LANES; c -= 2 * LANES)
            channels_of_2x2(2, clamp, &w, from, &out, LANES);
        for (; c >= LANES; c -= LANES)
            channels_of_2x2(1, clamp, &w, from, &out, LANES);
        if (part && channels > LANES) { /* some of them again, but whole vectors */
            SL_UNROLL
            for (size_t i = 0; i < 4; i++)
                from[i] -= LANES - c;
            out -= LANES - c;
            channels_of_2x2(1, clamp, &w, from, &out, LANES);
        } else if (part) {
            channels_of_2x2(1, clamp, &w, from, &out, c);
        }
    }
}

/* How many steps of `step` a vector at `at` may go, at most `count`, and still end before `end`. */
static inline size_t steps_inside(const SL_ELEMENT *at, const SL_ELEMENT *end, size_t step,
                                  size_t count)
{
    ptrdiff_t room = end - at - LANES;
    size_t steps = room < 0 ? 0 : (size_t)room / step + 1;
    return steps < count ? steps : count;
}

/* The same of fewer channels than a vector holds: as many windows as whole vectors stay inside of,
 * in the input and in the output; what follows writes again what one writes behind itself. Returns
 * how many. */
SL_INLINE size_t few_of_2x2(bool clamp, const struct SL_NAME(sl_pool, _args) * a,
                            const struct window *w, size_t count, const SL_ELEMENT *in,
                            SL_ELEMENT *out)
{
    size_t channels = a->channels, step = a->stride_w * channels, planes = a->batch * channels;
    const SL_ELEMENT *lower = in + w->row_step, *end = a->in + planes * a->in_h * a->in_w;
    count = steps_inside(lower + channels, end, step, count);
    count = steps_inside(out, a->out + planes * a->out_h * a->out_w, channels, count);
    for (size_t i = count; i > 0; i--, in += step, lower += step, out += channels) {
        vec_t v = V(vmaxq)(v_load(in), v_load(in + channels));
        v = V(vmaxq)(v, v_load(lower));
        v = V(vmaxq)(v, v_load(lower + channels));
        v_store(out, clamp ? v_clamp(v, w->min, w->max) : v);
    }
    return count;
}

/* The largest of four vectors, `at` from the pixels. */
SL_INLINE vec_t largest_of_2x2(bool clamp, const struct window *w, const SL_ELEMENT *const from[4],
                               size_t at)
{
    vec_t v = V(vmaxq)(V(vmaxq)(v_load(from[0] + at), v_load(from[1] + at)),
                       V(vmaxq)(v_load(from[2] + at), v_load(from[3] + at)));
    return clamp ? v_clamp(v, w->min, w->max) : v;
}

/* The same of as many channels as `vectors` hold, the last of which may lap over the one before. */
SL_INLINE void some_of_2x2(bool clamp, size_t vectors, const struct SL_NAME(sl_pool, _args) * a,
                           const struct window *window, size_t count, const SL_ELEMENT *in,
                           SL_ELEMENT *out)
{
    struct window w = *window;
    size_t channels = a->channels, step = a->stride_w * channels, last = channels - LANES;
    const SL_ELEMENT *from[4] = {in, in + channels, in + w.row_step, in + w.row_step + channels};
    for (; count > 0; count--, out += channels) {
        SL_UNROLL
        for (size_t j = 0; j + 1 < vectors; j++)
            v_store(out + LANES * j, largest_of_2x2(clamp, &w, from, LANES * j));
        v_store(out + last, largest_of_2x2(clamp, &w, from, last));
        SL_UNROLL
        for (size_t i = 0; i < 4; i++) {
            from[i] += step;
            SL_FORGET(from[i]);
        }
    }
}

SL_INLINE void windows_of_2x2(bool clamp, const struct SL_NAME(sl_pool, _args) * a,
                              const struct window *w, size_t count, const SL_ELEMENT *in,
                              SL_ELEMENT *out)
{
    size_t done = 0;
    if (a->channels < LANES)
        done = few_of_2x2(clamp, a, w, count, in, out);
    in += done * a->stride_w * a->channels;
    out += done * a->channels;
    if (a->channels % LANES == 0 && a->channels != 3 * LANES)
        run_of_2x2(clamp, false, a, w, count, in, out);
    else if (a->channels < LANES || a->channels > 4 * LANES)
        run_of_2x2(clamp, true, a, w, count - done, in, out);
    else if (a->channels < 2 * LANES)
        some_of_2x2(clamp, 2, a, w, count, in, out);
    else if (a->channels <= 3 * LANES)
        some_of_2x2(clamp, 3, a, w, count, in, out);
    else
        some_of_2x2(clamp, 4, a, w, count, in, out);
}

/* How many windows of a row, from the one at column `x`, lie inside to their full width. */
static size_t inside_from(const struct SL_NAME(sl_pool, _args) * a, size_t x, size_t left)
{
    if (x >= a->in_w || a->in_w - x < a->kernel_w)
        return 0;
    size_t count = (a->in_w - x - a->kernel_w) / a->stride_w + 1;
    return count < left ? count : left;
}

/* Output row oy of one image. */
SL_INLINE void row(int op, const struct SL_NAME(sl_pool, _args) * a, const SL_ELEMENT *in,
                   size_t oy, SL_ELEMENT *out)
{
    size_t y = oy * a->stride_h - a->pad_top; /* wraps when outside */
    struct sl_span ys = sl_span_of(y, a->kernel_h, a->dilation_h, a->in_h);
    const SL_ELEMENT *from = in + (y + ys.from * a->dilation_h) * a->in_w * a->channels;
    struct window w = {.rows = ys.to - ys.from,
                       .row_step = a->dilation_h * a->in_w * a->channels,
                       .col_step = a->dilation_w * a->channels,
                       .min = v_set(a->min),
                       .max = v_set(a->max)};
    bool two = op == SL_POOL_MAX && w.rows == 2 && a->kernel_h == 2 && a->kernel_w == 2 &&
               a->dilation_w == 1;
    for (size_t ox = 0; ox < a->out_w;) {
        size_t x = ox * a->stride_w - a->pad_left;
        size_t count = two ? inside_from(a, x, a->out_w - ox) : 0;
        if (count > 0) {
            const SL_ELEMENT *at = from + x * a->channels;
            if (a->min > -INFINITY || a->max < INFINITY)
                windows_of_2x2(true, a, &w, count, at, out + ox * a->channels);
            else
                windows_of_2x2(false, a, &w, count, at, out + ox * a->channels);
            ox += count;
            continue;
        }
        struct sl_span xs = sl_span_of(x, a->kernel_w, a->dilation_w, a->in_w);
        w.cols = xs.to - xs.from;
        w.scale = v_set(1.0f / (float)(w.rows * w.cols));
        pixel(op, a, &w, from + (x + xs.from * a->dilation_w) * a->channels,
              out + ox * a->channels);
        ox++;
    }
}

SL_INLINE void run(int op, const struct SL_NAME(sl_pool, _args) * args)
{
    SL_ELEMENT *out = args->out;
    for (size_t n = 0; n < args->batch; n++) {
        const SL_ELEMENT *in = args->in + n * args->in_h * args->in_w * args->channels;
        for (size_t oy = 0; oy < args->out_h; oy++, out += args->out_w * args->channels)
            row(op, args, in, oy, out);
    }
}

static void max(const struct SL_NAME(sl_pool, _args) * args)
{
    run(SL_POOL_MAX, args);
}

const struct SL_NAME(sl_pool, ) KERNEL(max) = {
    .name = SL_TEXT(KERNEL(max)),
    .needs = SL_VECTOR_ISA,
    .op = SL_POOL_MAX,
    .run = max,
};
