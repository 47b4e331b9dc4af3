/* kernels/conv/fold_scalar.h: portable summing of patches, output pixel by output pixel, of the
 * type that the including file names (kernels/cpu/element.h), the kernel KERNEL. */
#pragma once

#include "kernels/cpu/clamp.h"
#include "kernels/cpu/element.h"
#include "kernels/cpu/isa.h"

enum { CHANNELS = 64 }; /* at a time */

/* The input index whose tap k lands on output o, or SIZE_MAX. */
static size_t source(size_t o, size_t k, size_t stride, size_t dilation, size_t pad, size_t in)
{
    size_t at = o + pad, tap = k * dilation;
    if (at < tap || (at - tap) % stride != 0 || (at - tap) / stride >= in)
        return SIZE_MAX;
    return (at - tap) / stride;
}

static void add(size_t count, const SL_ELEMENT *restrict patch, float *restrict sums)
{
    for (size_t o = 0; o < count; o++)
        sums[o] += SL_GET(patch[o]);
}

/* Channels c .. c + count of group g of one output pixel; `sums` holds the bias. */
static void pixel(const struct SL_NAME(sl_fold, _args) * a, size_t oy, size_t ox, size_t g,
                  size_t c, size_t count, float *sums)
{
    size_t taps = a->kernel_h * a->kernel_w, oc = a->group_out_c;
    for (size_t ky = 0; ky < a->kernel_h; ky++) {
        size_t y = source(oy, ky, a->stride_h, a->dilation_h, a->pad_top, a->in_h);
        for (size_t kx = 0; y != SIZE_MAX && kx < a->kernel_w; kx++) {
            size_t x = source(ox, kx, a->stride_w, a->dilation_w, a->pad_left, a->in_w);
            if (x == SIZE_MAX)
                continue;
            const SL_ELEMENT *patch = a->patches + (y * a->in_w + x) * a->groups * taps * oc;
            add(count, patch + (g * taps + ky * a->kernel_w + kx) * oc + c, sums);
        }
    }
}

static void pixels(const struct SL_NAME(sl_fold, _args) * args, size_t g, size_t c, size_t count)
{
    const SL_ELEMENT *bias = args->bias ? args->bias + g * args->group_out_c + c : NULL;
    SL_ELEMENT *out = args->out + g * args->group_out_c + c;
    for (size_t oy = 0; oy < args->out_h; oy++)
        for (size_t ox = 0; ox < args->out_w; ox++, out += args->groups * args->group_out_c) {
            float sums[CHANNELS];
            for (size_t i = 0; i < count; i++)
                sums[i] = bias ? SL_GET(bias[i]) : 0;
            pixel(args, oy, ox, g, c, count, sums);
            for (size_t i = 0; i < count; i++)
                out[i] = SL_PUT(sl_clamp(sums[i], args->min, args->max));
        }
}

static void run(const struct SL_NAME(sl_fold, _args) * args)
{
    for (size_t g = 0; g < args->groups; g++)
        for (size_t c = 0; c < args->group_out_c; c += CHANNELS) {
            size_t left = args->group_out_c - c;
            pixels(args, g, c, left < CHANNELS ? left : CHANNELS);
        }
}

const struct SL_NAME(sl_fold, ) KERNEL = {
    .name = SL_TEXT(KERNEL),
    .needs = SL_ISA_NONE,
    .run = run,
};
