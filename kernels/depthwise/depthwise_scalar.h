/* kernels/depthwise/depthwise_scalar.h: portable depthwise convolution, some channels of a pixel at
 * a time, of the type that the including file names (kernels/cpu/element.h), the kernel KERNEL.
 *
 * Packed weights are the biases, [channels * multiplier], then the weights as they are. */
#pragma once

#include <string.h>

#include "kernels/cpu/clamp.h"
#include "kernels/cpu/element.h"
#include "kernels/cpu/isa.h"

enum { CHANNELS = 64 }; /* at a time */

static size_t weights_bytes(const struct sl_depthwise_shape *shape)
{
    return (shape->kernel_h * shape->kernel_w + 1) * shape->channels * shape->multiplier *
           sizeof(SL_ELEMENT);
}

static void pack_weights(const struct sl_depthwise_shape *shape, const SL_ELEMENT *weights,
                         const SL_ELEMENT *bias, void *packed)
{
    SL_ELEMENT *out = packed;
    size_t count = shape->channels * shape->multiplier;
    for (size_t i = 0; i < count; i++)
        out[i] = bias ? bias[i] : SL_PUT(0);
    memcpy(out + count, weights, shape->kernel_h * shape->kernel_w * count * sizeof(SL_ELEMENT));
}

static size_t workspace_bytes(const struct sl_depthwise_shape *shape)
{
    (void)shape;
    return 0;
}

/* Some channels of an output pixel. */
struct block {
    size_t first, count;
    float sums[CHANNELS];
};

/* Adds one input pixel times one tap. */
static void tap(size_t multiplier, const SL_ELEMENT *in, const SL_ELEMENT *w, struct block *b)
{
    if (multiplier == 1) {
        for (size_t i = 0; i < b->count; i++)
            b->sums[i] += SL_GET(in[b->first + i]) * SL_GET(w[b->first + i]);
        return;
    }
    for (size_t i = 0; i < b->count; i++)
        b->sums[i] += SL_GET(in[(b->first + i) / multiplier]) * SL_GET(w[b->first + i]);
}

static void block_of(const struct SL_NAME(sl_depthwise, _args) * args, const SL_ELEMENT *in,
                     size_t oy, size_t ox, struct block *b)
{
    const struct sl_depthwise_shape *s = &args->shape;
    const SL_ELEMENT *w = args->weights;
    for (size_t i = 0; i < b->count; i++)
        b->sums[i] = SL_GET(w[b->first + i]);
    for (size_t ky = 0; ky < s->kernel_h; ky++) {
        size_t y = oy * s->stride_h + ky * s->dilation_h - s->pad_top; /* wraps when outside */
        for (size_t kx = 0; kx < s->kernel_w; kx++) {
            size_t x = ox * s->stride_w + kx * s->dilation_w - s->pad_left;
            w += s->channels * s->multiplier;
            if (y < s->in_h && x < s->in_w)
                tap(s->multiplier, in + (y * s->in_w + x) * s->channels, w, b);
        }
    }
}

static void pixel(const struct SL_NAME(sl_depthwise, _args) * args, const SL_ELEMENT *in, size_t oy,
                  size_t ox, SL_ELEMENT *out)
{
    size_t count = args->shape.channels * args->shape.multiplier;
    struct block b;
    for (b.first = 0; b.first < count; b.first += CHANNELS) {
        b.count = count - b.first < CHANNELS ? count - b.first : CHANNELS;
        block_of(args, in, oy, ox, &b);
        for (size_t i = 0; i < b.count; i++)
            out[b.first + i] = SL_PUT(sl_clamp(b.sums[i], args->min, args->max));
    }
}

static void run(const struct SL_NAME(sl_depthwise, _args) * args)
{
    const struct sl_depthwise_shape *s = &args->shape;
    SL_ELEMENT *out = args->out;
    for (size_t n = 0; n < s->batch; n++) {
        const SL_ELEMENT *in = args->in + n * s->in_h * s->in_w * s->channels;
        for (size_t oy = 0; oy < s->out_h; oy++)
            for (size_t ox = 0; ox < s->out_w; ox++, out += s->channels * s->multiplier)
                pixel(args, in, oy, ox, out);
    }
}

const struct SL_NAME(sl_depthwise, ) KERNEL = {
    .name = SL_TEXT(KERNEL),
    .needs = SL_ISA_NONE,
    .weights_bytes = weights_bytes,
    .pack_weights = pack_weights,
    .workspace_bytes = workspace_bytes,
    .run = run,
};
