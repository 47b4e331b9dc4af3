/* kernels/layout/resize_scalar.c: portable bilinear resizing, pixel by pixel. */
#include "kernels/cpu/isa.h"
#include "kernels/layout/resize.h"

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

static void blend(size_t channels, const float *const corners[4], float x, float y,
                  float *restrict out)
{
    const float *tl = corners[0], *tr = corners[1], *bl = corners[2], *br = corners[3];
    for (size_t c = 0; c < channels; c++) {
        float top = tl[c] + (tr[c] - tl[c]) * x;
        float bottom = bl[c] + (br[c] - bl[c]) * x;
        out[c] = top + (bottom - top) * y;
    }
}

static void run(const struct sl_resize_args *args)
{
    size_t channels = args->channels, row = args->in_w * channels;
    float *out = args->out;
    for (size_t n = 0; n < args->batch; n++) {
        const float *image = args->in + n * args->in_h * row;
        for (size_t oy = 0; oy < args->out_h; oy++) {
            struct place y = place_of(oy, args->in_h, args->out_h, args->align_corners);
            const float *top = image + y.first * row, *bottom = image + y.second * row;
            for (size_t ox = 0; ox < args->out_w; ox++, out += channels) {
                struct place x = place_of(ox, args->in_w, args->out_w, args->align_corners);
                const float *const corners[4] = {
                    top + x.first * channels, top + x.second * channels,
                    bottom + x.first * channels, bottom + x.second * channels};
                blend(channels, corners, x.weight, y.weight, out);
            }
        }
    }
}

const struct sl_resize sl_resize_f32_f32_1x1_scalar = {
    .name = "sl_resize_f32_f32_1x1_scalar",
    .needs = SL_ISA_NONE,
    .run = run,
};
