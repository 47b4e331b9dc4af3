/* kernels/pool/pool_qs8_scalar.c: portable max pooling of int8, pixel by pixel. */
#include <string.h>

#include "kernels/cpu/isa.h"
#include "kernels/pool/pool_qs8.h"

static int8_t larger(int8_t x, int8_t y)
{
    return x > y ? x : y;
}

/* All channels of one output pixel of one image. */
static void pixel(const struct sl_pool_qs8_args *a, const int8_t *in, size_t oy, size_t ox,
                  int8_t *out)
{
    memset(out, INT8_MIN, a->channels);
    for (size_t t = 0; t < a->kernel_h * a->kernel_w; t++) {
        /* these wrap when outside */
        size_t y = oy * a->stride_h + t / a->kernel_w * a->dilation_h - a->pad_top;
        size_t x = ox * a->stride_w + t % a->kernel_w * a->dilation_w - a->pad_left;
        if (y >= a->in_h || x >= a->in_w)
            continue;
        const int8_t *from = in + (y * a->in_w + x) * a->channels;
        for (size_t c = 0; c < a->channels; c++)
            out[c] = larger(out[c], from[c]);
    }
    for (size_t c = 0; c < a->channels; c++)
        out[c] = larger(out[c], a->min) < a->max ? larger(out[c], a->min) : a->max;
}

static void run(const struct sl_pool_qs8_args *args)
{
    size_t rows = args->batch * args->out_h;
    int8_t *out = args->out;
    for (size_t row = 0; row < rows; row++) {
        const int8_t *in = args->in + row / args->out_h * args->in_h * args->in_w * args->channels;
        for (size_t ox = 0; ox < args->out_w; ox++, out += args->channels)
            pixel(args, in, row % args->out_h, ox, out);
    }
}

const struct sl_pool_qs8 sl_pool_max_qs8_qs8_1x1_scalar = {
    .name = "sl_pool_max_qs8_qs8_1x1_scalar",
    .needs = SL_ISA_NONE,
    .run = run,
};
