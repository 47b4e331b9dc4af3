/* kernels/conv/conv_scalar.h: portable convolution, pixel by pixel, of the type that the including
 * file names (kernels/cpu/element.h), the kernel KERNEL.
 *
 * Packed weights are floats: group by group, panels of NR output channels, the last padded with
 * zeros: NR biases, then [kernel_h][kernel_w][group_in_c][NR]. */
#pragma once

#include "kernels/cpu/clamp.h"
#include "kernels/cpu/element.h"
#include "kernels/cpu/isa.h"

enum { NR = 8 };

/* Floats of one group's panels. */
static size_t group_floats(const struct sl_conv_shape *s)
{
    return (s->group_out_c + NR - 1) / NR * NR * (s->kernel_h * s->kernel_w * s->group_in_c + 1);
}

static size_t weights_bytes(const struct sl_conv_shape *shape)
{
    return shape->groups * group_floats(shape) * sizeof(float);
}

static void pack_weights(const struct sl_conv_shape *shape, const SL_ELEMENT *weights,
                         const SL_ELEMENT *bias, void *packed)
{
    float *out = packed;
    size_t taps = shape->kernel_h * shape->kernel_w * shape->group_in_c, count = shape->group_out_c;
    for (size_t g = 0; g < shape->groups; g++, weights += count * taps) {
        for (size_t o0 = 0; o0 < count; o0 += NR) {
            for (size_t o = o0; o < o0 + NR; o++)
                *out++ = bias && o < count ? SL_GET(bias[g * count + o]) : 0;
            for (size_t t = 0; t < taps; t++)
                for (size_t o = o0; o < o0 + NR; o++)
                    *out++ = o < count ? SL_GET(weights[o * taps + t]) : 0;
        }
    }
}

static size_t workspace_bytes(const struct sl_conv_shape *shape)
{
    (void)shape;
    return 0;
}

/* One output pixel of one image: NR channels, from the panel at `w`. `in` is the image at the
 * group's first channel. */
static void pixel(const struct sl_conv_shape *s, const SL_ELEMENT *in, size_t oy, size_t ox,
                  const float *w, float *acc)
{
    size_t channels = s->groups * s->group_in_c;
    for (size_t j = 0; j < NR; j++)
        acc[j] = w[j];
    w += NR;
    for (size_t ky = 0; ky < s->kernel_h; ky++) {
        size_t y = oy * s->stride_h + ky * s->dilation_h - s->pad_top; /* wraps when outside */
        for (size_t kx = 0; kx < s->kernel_w; kx++, w += s->group_in_c * NR) {
            size_t x = ox * s->stride_w + kx * s->dilation_w - s->pad_left;
            if (y >= s->in_h || x >= s->in_w)
                continue;
            const SL_ELEMENT *from = in + (y * s->in_w + x) * channels;
            for (size_t i = 0; i < s->group_in_c; i++)
                for (size_t j = 0; j < NR; j++)
                    acc[j] += SL_GET(from[i]) * w[i * NR + j];
        }
    }
}

/* All channels of one output pixel. */
static void channels_of(const struct SL_NAME(sl_conv, _args) * args, const SL_ELEMENT *in,
                        size_t oy, size_t ox, SL_ELEMENT *out)
{
    const struct sl_conv_shape *s = &args->shape;
    size_t taps = s->kernel_h * s->kernel_w * s->group_in_c;
    const float *w = args->weights;
    for (size_t g = 0; g < s->groups; g++, in += s->group_in_c, out += s->group_out_c)
        for (size_t o = 0; o < s->group_out_c; o += NR, w += (taps + 1) * NR) {
            float acc[NR];
            pixel(s, in, oy, ox, w, acc);
            for (size_t j = 0; j < NR && o + j < s->group_out_c; j++)
                out[o + j] = SL_PUT(sl_clamp(acc[j], args->min, args->max));
        }
}

static void run(const struct SL_NAME(sl_conv, _args) * args)
{
    const struct sl_conv_shape *s = &args->shape;
    SL_ELEMENT *out = args->out;
    size_t pixel = args->out_pixel, row = args->out_row;
    sl_conv_strides(s, &pixel, &row);
    for (size_t n = 0; n < s->batch; n++) {
        const SL_ELEMENT *in = args->in + n * s->in_h * s->in_w * s->groups * s->group_in_c;
        for (size_t oy = 0; oy < s->out_h; oy++, out += row)
            for (size_t ox = 0; ox < s->out_w; ox++)
                channels_of(args, in, oy, ox, out + ox * pixel);
    }
}

const struct SL_NAME(sl_conv, ) KERNEL = {
    .name = SL_TEXT(KERNEL),
    .needs = SL_ISA_NONE,
    .weights_bytes = weights_bytes,
    .pack_weights = pack_weights,
    .workspace_bytes = workspace_bytes,
    .run = run,
};
