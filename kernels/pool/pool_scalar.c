/* kernels/pool/pool_scalar.c: portable pooling, pixel by pixel. */
#include <math.h>

#include "kernels/cpu/clamp.h"
#include "kernels/cpu/isa.h"
#include "kernels/pool/pool.h"

static void take(int op, size_t channels, const float *in, float *out)
{
    if (op == SL_POOL_AVERAGE) {
        for (size_t c = 0; c < channels; c++)
            out[c] += in[c];
        return;
    }
    for (size_t c = 0; c < channels; c++)
        out[c] = in[c] > out[c] || in[c] != in[c] ? in[c] : out[c]; /* a NaN stays in: not > */
}

/* All channels of one output pixel of one image. */
static void pixel(const struct sl_pool_args *a, const float *in, size_t oy, size_t ox, float *out)
{
    size_t valid = 0;
    for (size_t c = 0; c < a->channels; c++)
        out[c] = a->op == SL_POOL_MAX ? -INFINITY : 0;
    for (size_t ky = 0; ky < a->kernel_h; ky++) {
        size_t y = oy * a->stride_h + ky * a->dilation_h - a->pad_top; /* wraps when outside */
        for (size_t kx = 0; kx < a->kernel_w; kx++) {
            size_t x = ox * a->stride_w + kx * a->dilation_w - a->pad_left;
            if (y >= a->in_h || x >= a->in_w)
                continue;
            valid++;
            take(a->op, a->channels, in + (y * a->in_w + x) * a->channels, out);
        }
    }
    float divisor = a->op == SL_POOL_AVERAGE ? (float)valid : 1;
    for (size_t c = 0; c < a->channels; c++)
        out[c] = sl_clamp(out[c] / divisor, a->min, a->max);
}

static void run(const struct sl_pool_args *args)
{
    float *out = args->out;
    for (size_t n = 0; n < args->batch; n++) {
        const float *in = args->in + n * args->in_h * args->in_w * args->channels;
        for (size_t oy = 0; oy < args->out_h; oy++)
            for (size_t ox = 0; ox < args->out_w; ox++, out += args->channels)
                pixel(args, in, oy, ox, out);
    }
}

const struct sl_pool sl_pool_max_f32_f32_1x1_scalar = {
    .name = "sl_pool_max_f32_f32_1x1_scalar",
    .needs = SL_ISA_NONE,
    .op = SL_POOL_MAX,
    .run = run,
};

const struct sl_pool sl_pool_average_f32_f32_1x1_scalar = {
    .name = "sl_pool_average_f32_f32_1x1_scalar",
    .needs = SL_ISA_NONE,
    .op = SL_POOL_AVERAGE,
    .run = run,
};
