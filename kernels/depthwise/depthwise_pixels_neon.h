/* kernels/depthwise/depthwise_pixels_neon.h: windows of any size, stride, dilation and padding, one
 * multiplier, 4 vectors of channels and more; of the type that the including file names
 * (kernels/cpu/element.h), the kernel KERNEL, the assembly FUNCTION(pixels).
 *
 * Up to 6 windows whose taps inside the image are the same ones are summed together: those of a row
 * but at its ends, and of the columns there. Channels beyond the last whole 4 vectors are done with
 * those before them again. Packed weights are rows of the channels: the biases, then the taps. */
#pragma once

#include <math.h>
#include <string.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon_vector.h"
#include "kernels/cpu/span.h"

enum { BLOCK = 4 * LANES, PIXELS = 6 };

/* The assembly knows its layout. Steps are in bytes. */
struct sl_depthwise_pixels {
    const SL_ELEMENT *in, *weights; /* of the first tap inside, for the first window */
    const SL_ELEMENT *bias;
    SL_ELEMENT *out;
    size_t rows, cols; /* of taps inside */
    size_t row_step;   /* from behind a row of taps to the next */
    size_t next_tap;   /* from the last window's input to the first one's for the next tap */
    size_t next_pixel; /* from window to window */
    size_t weight_step, weight_skip;
    size_t out_step;
    size_t blocks;            /* of channels */
    const SL_ELEMENT *bounds; /* the least and the largest result, or NULL */
};

typedef void (*pixels_fn)(const struct sl_depthwise_pixels *job);
void FUNCTION(1)(const struct sl_depthwise_pixels *job);
void FUNCTION(2)(const struct sl_depthwise_pixels *job);
void FUNCTION(3)(const struct sl_depthwise_pixels *job);
void FUNCTION(4)(const struct sl_depthwise_pixels *job);
void FUNCTION(5)(const struct sl_depthwise_pixels *job);
void FUNCTION(6)(const struct sl_depthwise_pixels *job);
static const pixels_fn functions[PIXELS] = {FUNCTION(1), FUNCTION(2), FUNCTION(3),
                                            FUNCTION(4), FUNCTION(5), FUNCTION(6)};

static size_t weights_bytes(const struct sl_depthwise_shape *shape)
{
    return (shape->kernel_h * shape->kernel_w + 1) * shape->channels * sizeof(SL_ELEMENT);
}

static void pack_weights(const struct sl_depthwise_shape *shape, const SL_ELEMENT *weights,
                         const SL_ELEMENT *bias, void *packed)
{
    size_t row = shape->channels * sizeof(SL_ELEMENT);
    memset(packed, 0, row);
    if (bias)
        memcpy(packed, bias, row);
    memcpy((char *)packed + row, weights, weights_bytes(shape) - row);
}

static size_t workspace_bytes(const struct sl_depthwise_shape *shape)
{
    (void)shape;
    return 0;
}

struct image {
    const struct sl_depthwise_shape *shape;
    const SL_ELEMENT *in, *packed, *bounds;
    SL_ELEMENT *out;
};

/* `count` windows from (oy, ox) on, in a row or `down` a column. */
static void run_pixels(const struct image *m, size_t oy, size_t ox, size_t count, bool down)
{
    const struct sl_depthwise_shape *s = m->shape;
    size_t pixel = s->channels * sizeof(SL_ELEMENT), line = s->in_w * pixel;
    size_t y = oy * s->stride_h - s->pad_top, x = ox * s->stride_w - s->pad_left; /* may wrap */
    struct sl_span ys = sl_span_of(y, s->kernel_h, s->dilation_h, s->in_h);
    struct sl_span xs = sl_span_of(x, s->kernel_w, s->dilation_w, s->in_w);
    size_t rows = ys.to - ys.from, cols = xs.to - xs.from, next = s->dilation_w * pixel;
    size_t taps = ys.from * s->kernel_w + xs.from;
    size_t first = (y + ys.from * s->dilation_h) * s->in_w + x + xs.from * s->dilation_w;
    struct sl_depthwise_pixels job = {.rows = cols > 0 ? rows : 0,
                                      .cols = cols,
                                      .in = rows > 0 && cols > 0 ? m->in + first * s->channels
                                                                 : m->in,
                                      .weights = m->packed + (taps + 1) * s->channels,
                                      .bias = m->packed,
                                      .out = m->out + (oy * s->out_w + ox) * s->channels,
                                      .row_step = s->dilation_h * line - cols * next,
                                      .next_pixel = down ? s->stride_h * line : s->stride_w * pixel,
                                      .weight_step = pixel,
                                      .weight_skip = (s->kernel_w - cols) * pixel,
                                      .out_step = down ? s->out_w * pixel : pixel,
                                      .blocks = s->channels / BLOCK,
                                      .bounds = m->bounds};
    job.next_tap = next - (count - 1) * job.next_pixel;
    functions[count - 1](&job);
    size_t back = s->channels - BLOCK; /* whole vectors that end with the channels */
    if (s->channels % BLOCK == 0)
        return;
    job.in += back;
    job.weights += back;
    job.bias += back;
    job.out += back;
    job.blocks = 1;
    functions[count - 1](&job);
}

/* The windows from `from` on up to `to`, all with the same taps inside, in groups alike in size. */
static void run_alike(const struct image *m, size_t from, size_t to, size_t other, bool down)
{
    size_t groups = (to - from + PIXELS - 1) / PIXELS;
    for (; groups > 0; groups--) {
        size_t count = (to - from) / groups;
        run_pixels(m, down ? from : other, down ? other : from, count, down);
        from += count;
    }
}

/* Which windows along an axis lie inside as a whole. */
static struct sl_span whole_windows(size_t in, size_t out, size_t kernel, size_t stride,
                                    size_t dilation, size_t pad)
{
    size_t span = (kernel - 1) * dilation + 1, from = (pad + stride - 1) / stride;
    size_t to = in + pad >= span ? (in + pad - span) / stride + 1 : 0;
    to = to < out ? to : out;
    return to > from ? (struct sl_span){from, to} : (struct sl_span){out, out};
}

static void run_image(const struct image *m)
{
    const struct sl_depthwise_shape *s = m->shape;
    struct sl_span xs =
        whole_windows(s->in_w, s->out_w, s->kernel_w, s->stride_w, s->dilation_w, s->pad_left);
    struct sl_span ys =
        whole_windows(s->in_h, s->out_h, s->kernel_h, s->stride_h, s->dilation_h, s->pad_top);
    for (size_t oy = 0; oy < s->out_h; oy++)
        run_alike(m, xs.from, xs.to, oy, false);
    for (size_t ox = 0; ox < s->out_w; ox++) {
        if (ox == xs.from)
            ox = xs.to;
        if (ox == s->out_w)
            break;
        for (size_t oy = 0; oy < ys.from; oy++)
            run_pixels(m, oy, ox, 1, true);
        run_alike(m, ys.from, ys.to, ox, true);
        for (size_t oy = ys.to; oy < s->out_h; oy++)
            run_pixels(m, oy, ox, 1, true);
    }
}

static void run(const struct SL_NAME(sl_depthwise, _args) * args)
{
    const struct sl_depthwise_shape *s = &args->shape;
    const SL_ELEMENT bounds[] = {SL_PUT(args->min), SL_PUT(args->max)};
    bool clamp = args->min > -INFINITY || args->max < INFINITY;
    struct image m = {s, args->in, args->weights, clamp ? bounds : NULL, args->out};
    for (size_t n = 0; n < s->batch; n++) {
        run_image(&m);
        m.in += s->in_h * s->in_w * s->channels;
        m.out += s->out_h * s->out_w * s->channels;
    }
}

/* Where more than a sixth of the channels would be done twice, 3x3 windows of stride 1 have a
 * kernel that needs less. */
static bool fits(const struct sl_depthwise_shape *s)
{
    bool small = s->kernel_h == 3 && s->kernel_w == 3 && s->stride_h == 1;
    size_t done = (s->channels + BLOCK - 1) / BLOCK * BLOCK;
    return s->multiplier == 1 && s->channels >= BLOCK && (!small || done * 6 <= s->channels * 7);
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
