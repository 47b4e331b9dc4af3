/* kernels/pool/argmax_scalar.c: portable pooling with places, window by window. */
#include <math.h>

#include "kernels/cpu/isa.h"
#include "kernels/pool/argmax.h"

/* The first place of the largest value of one channel; pixels are `step` floats apart. */
static size_t place_of(const float *in, size_t row, size_t step, size_t kernel_h, size_t kernel_w)
{
    float best = *in;
    size_t place = 0;
    for (size_t ky = 0; ky < kernel_h; ky++)
        for (size_t kx = 0; kx < kernel_w; kx++) {
            float value = in[ky * row + kx * step];
            if (!isnan(best) && !(value <= best)) {
                best = value;
                place = ky * kernel_w + kx;
            }
        }
    return place;
}

static void run(const struct sl_argmax_args *args)
{
    size_t channels = args->channels, row = args->out_w * args->kernel_w * channels, at = 0;
    for (size_t oy = 0; oy < args->batch * args->out_h; oy++)
        for (size_t ox = 0; ox < args->out_w; ox++) {
            const float *in = args->in + oy * args->kernel_h * row + ox * args->kernel_w * channels;
            for (size_t c = 0; c < channels; c++, at++) {
                size_t place = place_of(in + c, row, channels, args->kernel_h, args->kernel_w);
                args->out[at] =
                    in[place / args->kernel_w * row + place % args->kernel_w * channels + c];
                args->index[at] = (int32_t)place;
            }
        }
}

const struct sl_argmax sl_argmax_f32_f32_1x1_scalar = {
    .name = "sl_argmax_f32_f32_1x1_scalar",
    .needs = SL_ISA_NONE,
    .run = run,
};
