/* kernels/pool/pool_scalar.h: portable pooling, some channels of a pixel at a time, of the type
 * that the including file names (kernels/cpu/element.h), the kernels KERNEL(op). */
#pragma once

#include <math.h>

#include "kernels/cpu/clamp.h"
#include "kernels/cpu/element.h"
#include "kernels/cpu/isa.h"

enum { CHANNELS = 64 }; /* at a time */

static void take(int op, size_t channels, const SL_ELEMENT *in, float *sums)
{
    if (op == SL_POOL_AVERAGE) {
        for (size_t c = 0; c < channels; c++)
            sums[c] += SL_GET(in[c]);
        return;
    }
    for (size_t c = 0; c < channels; c++) {
        float x = SL_GET(in[c]);
        sums[c] = x > sums[c] || x != x ? x : sums[c]; /* a NaN stays in: not > */
    }
}

/* Channels first .. first + count of one output pixel of one image. */
static void pixel(const struct SL_NAME(sl_pool, _args) * a, const SL_ELEMENT *in, size_t oy,
                  size_t ox, size_t count, SL_ELEMENT *out)
{
    size_t valid = 0;
    float sums[CHANNELS];
    for (size_t c = 0; c < count; c++)
        sums[c] = a->op == SL_POOL_MAX ? -INFINITY : 0;
    for (size_t ky = 0; ky < a->kernel_h; ky++) {
        size_t y = oy * a->stride_h + ky * a->dilation_h - a->pad_top; /* wraps when outside */
        for (size_t kx = 0; kx < a->kernel_w; kx++) {
            size_t x = ox * a->stride_w + kx * a->dilation_w - a->pad_left;
            if (y >= a->in_h || x >= a->in_w)
                continue;
            valid++;
            take(a->op, count, in + (y * a->in_w + x) * a->channels, sums);
        }
    }
    float divisor = a->op == SL_POOL_AVERAGE ? (float)valid : 1;
    for (size_t c = 0; c < count; c++)
        out[c] = SL_PUT(sl_clamp(sums[c] / divisor, a->min, a->max));
}

static void run(const struct SL_NAME(sl_pool, _args) * args)
{
    SL_ELEMENT *out = args->out;
    for (size_t n = 0; n < args->batch; n++) {
        const SL_ELEMENT *in = args->in + n * args->in_h * args->in_w * args->channels;
        for (size_t oy = 0; oy < args->out_h; oy++)
            for (size_t ox = 0; ox < args->out_w; ox++, out += args->channels)
                for (size_t c = 0, left = args->channels; left > 0; c += CHANNELS) {
                    size_t count = left < CHANNELS ? left : CHANNELS;
                    pixel(args, in + c, oy, ox, count, out + c);
                    left -= count;
                }
    }
}

const struct SL_NAME(sl_pool, ) KERNEL(max) = {
    .name = SL_TEXT(KERNEL(max)),
    .needs = SL_ISA_NONE,
    .op = SL_POOL_MAX,
    .run = run,
};

const struct SL_NAME(sl_pool, ) KERNEL(average) = {
    .name = SL_TEXT(KERNEL(average)),
    .needs = SL_ISA_NONE,
    .op = SL_POOL_AVERAGE,
    .run = run,
};
