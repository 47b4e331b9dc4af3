/* kernels/layout/resize_scalar.h: portable bilinear resizing, pixel by pixel, of the type that the
 * including file names (kernels/cpu/element.h), the kernel KERNEL. */
#pragma once

#include "kernels/cpu/element.h"
#include "kernels/cpu/isa.h"

/* Where an output pixel lies between two input pixels of an axis. */
struct place {
    size_t first, second;
    float weight; /* of the second */
};

static struct place place_of(size_t o, size_t in, size_t out, bool align_corners)
{
    bool ends = align_corners && out != 1;
    float scale = (float)(in - ends) / (float)(out - ends), last = (float)(in - 1);
    float at = (float)o * scale;
    if (!align_corners)
        at = at + 0.5f * scale - 0.5f;
    at = at < 0 ? 0 : at;
    at = at > last ? last : at;
    size_t first = (size_t)at;
    return (struct place){first, first + 1 < in ? first + 1 : first, at - (float)first};
}

static void blend(size_t channels, const SL_ELEMENT *const corners[4], float x, float y,
                  SL_ELEMENT *restrict out)
{
    const SL_ELEMENT *tl = corners[0], *tr = corners[1], *bl = corners[2], *br = corners[3];
    for (size_t c = 0; c < channels; c++) {
        float left = SL_GET(tl[c]), top = left + (SL_GET(tr[c]) - left) * x;
        float below = SL_GET(bl[c]), bottom = below + (SL_GET(br[c]) - below) * x;
        out[c] = SL_PUT(top + (bottom - top) * y);
    }
}

static void run(const struct SL_NAME(sl_resize, _args) * args)
{
    size_t channels = args->channels, row = args->in_w * channels;
    SL_ELEMENT *out = args->out;
    for (size_t n = 0; n < args->batch; n++) {
        const SL_ELEMENT *image = args->in + n * args->in_h * row;
        for (size_t oy = 0; oy < args->out_h; oy++) {
            struct place y = place_of(oy, args->in_h, args->out_h, args->align_corners);
            const SL_ELEMENT *top = image + y.first * row, *bottom = image + y.second * row;
            for (size_t ox = 0; ox < args->out_w; ox++, out += channels) {
                struct place x = place_of(ox, args->in_w, args->out_w, args->align_corners);
                const SL_ELEMENT *const corners[4] = {
                    top + x.first * channels, top + x.second * channels,
                    bottom + x.first * channels, bottom + x.second * channels};
                blend(channels, corners, x.weight, y.weight, out);
            }
        }
    }
}

const struct SL_NAME(sl_resize, ) KERNEL = {
    .name = SL_TEXT(KERNEL),
    .needs = SL_ISA_NONE,
    .run = run,
};
