/* kernels/layout/resize_walk.h: bilinear resizing pixel by pixel, each made by the resize_pixel()
 * of the including file: of `channels`, between four pixels, `right` elements apart in a row. That
 * file may define RESIZE_MODE, the mode of what stands here (__arm_streaming), and RESIZE_WALK, the
 * name of the walk. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#if !defined(RESIZE_MODE)
#define RESIZE_MODE
#endif
#if !defined(RESIZE_WALK)
#define RESIZE_WALK run
#endif

/* Where an output pixel lies between two input pixels of an axis. */
struct place {
    size_t first, second;
    float weight; /* of the second */
};

static inline __attribute__((always_inline)) struct place place_of(size_t o, size_t in, size_t out,
                                                                   bool align_corners) RESIZE_MODE
{
    bool ends = align_corners && out != 1;
    float scale = (float)(in - ends) / (float)(out - ends), last = (float)(in - 1);
    float start = align_corners ? 0 : 0.5f * scale - 0.5f, at = (float)o * scale + start;
    at = at < 0 ? 0 : at;
    at = at > last ? last : at;
    size_t first = (size_t)at;
    return (struct place){first, first + 1 < in ? first + 1 : first, at - (float)first};
}

static void RESIZE_WALK(const struct SL_NAME(sl_resize, _args) * args) RESIZE_MODE
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
                resize_pixel(channels, top + x.first * channels, bottom + x.first * channels,
                             (x.second - x.first) * channels, x.weight, y.weight, out);
            }
        }
    }
}
