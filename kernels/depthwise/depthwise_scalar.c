/* kernels/depthwise/depthwise_scalar.c: portable depthwise convolution, pixel by pixel.
 *
 * Packed weights are the biases, [channels * multiplier], then the weights as they are. */
#include <string.h>

#include "kernels/cpu/clamp.h"
#include "kernels/cpu/isa.h"
#include "kernels/depthwise/depthwise.h"

static size_t weights_bytes(const struct sl_depthwise_shape *shape)
{
    return (shape->kernel_h * shape->kernel_w + 1) * shape->channels * shape->multiplier *
           sizeof(float);
}

static void pack_weights(const struct sl_depthwise_shape *shape, const float *weights,
                         const float *bias, void *packed)
{
    float *out = packed;
    size_t count = shape->channels * shape->multiplier;
    for (size_t i = 0; i < count; i++)
        out[i] = bias ? bias[i] : 0;
    memcpy(out + count, weights, shape->kernel_h * shape->kernel_w * count * sizeof(float));
}

static size_t workspace_bytes(const struct sl_depthwise_shape *shape)
{
    (void)shape;
    return 0;
}

/* Adds one input pixel times one tap to all channels of an output pixel. */
static void tap(const struct sl_depthwise_shape *s, const float *in, const float *w, float *out)
{
    if (s->multiplier == 1) {
        for (size_t c = 0; c < s->channels; c++)
            out[c] += in[c] * w[c];
        return;
    }
    for (size_t c = 0; c < s->channels; c++)
        for (size_t m = 0; m < s->multiplier; m++)
            out[c * s->multiplier + m] += in[c] * w[c * s->multiplier + m];
}

static void pixel(const struct sl_depthwise_args *args, const float *in, size_t oy, size_t ox,
                  float *out)
{
    const struct sl_depthwise_shape *s = &args->shape;
    size_t count = s->channels * s->multiplier;
    const float *w = args->weights;
    memcpy(out, w, count * sizeof(float));
    for (size_t ky = 0; ky < s->kernel_h; ky++) {
        size_t y = oy * s->stride_h + ky * s->dilation_h - s->pad_top; /* wraps when outside */
        for (size_t kx = 0; kx < s->kernel_w; kx++) {
            size_t x = ox * s->stride_w + kx * s->dilation_w - s->pad_left;
            w += count;
            if (y < s->in_h && x < s->in_w)
                tap(s, in + (y * s->in_w + x) * s->channels, w, out);
        }
    }
    for (size_t i = 0; i < count; i++)
        out[i] = sl_clamp(out[i], args->min, args->max);
}

static void run(const struct sl_depthwise_args *args)
{
    const struct sl_depthwise_shape *s = &args->shape;
    float *out = args->out;
    for (size_t n = 0; n < s->batch; n++) {
        const float *in = args->in + n * s->in_h * s->in_w * s->channels;
        for (size_t oy = 0; oy < s->out_h; oy++)
            for (size_t ox = 0; ox < s->out_w; ox++, out += s->channels * s->multiplier)
                pixel(args, in, oy, ox, out);
    }
}

const struct sl_depthwise sl_depthwise_f32_f32_f32_1x1_scalar = {
    .name = "sl_depthwise_f32_f32_f32_1x1_scalar",
    .needs = SL_ISA_NONE,
    .weights_bytes = weights_bytes,
    .pack_weights = pack_weights,
    .workspace_bytes = workspace_bytes,
    .run = run,
};
