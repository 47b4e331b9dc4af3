/* kernels/depthwise/depthwise_qs8_scalar.c: portable depthwise convolution in int8, pixel by pixel.
 *
 * Packed weights are biases and scales, [channels * multiplier] each, then the weights as they are.
 */
#include <string.h>

#include "kernels/cpu/isa.h"
#include "kernels/depthwise/depthwise_qs8.h"

static size_t count_of(const struct sl_depthwise_shape *shape)
{
    return shape->channels * shape->multiplier;
}

static size_t weights_bytes(const struct sl_depthwise_shape *shape)
{
    return count_of(shape) * (sizeof(int32_t) + sizeof(float) + shape->kernel_h * shape->kernel_w);
}

static void pack_weights(const struct sl_depthwise_shape *shape, const int8_t *weights,
                         const struct sl_requant *requant, void *packed)
{
    size_t count = count_of(shape);
    int32_t *bias = packed;
    for (size_t i = 0; i < count; i++)
        bias[i] = requant->bias ? requant->bias[i] : 0;
    memcpy(bias + count, requant->scale, count * sizeof(float));
    memcpy(bias + 2 * count, weights, shape->kernel_h * shape->kernel_w * count);
}

static size_t workspace_bytes(const struct sl_depthwise_shape *shape)
{
    return count_of(shape) * sizeof(uint32_t);
}

/* Adds one input pixel times one tap to all channels of an output pixel. */
static void tap(const struct sl_depthwise_qs8_args *args, const int8_t *in, const int8_t *w,
                uint32_t *acc)
{
    size_t count = count_of(&args->shape), multiplier = args->shape.multiplier;
    for (size_t i = 0; i < count; i++)
        acc[i] += (uint32_t)((in[i / multiplier] - args->in_zero) * w[i]);
}

static void pixel(const struct sl_depthwise_qs8_args *args, const int8_t *in, size_t oy, size_t ox,
                  int8_t *out)
{
    const struct sl_depthwise_shape *s = &args->shape;
    size_t count = count_of(s);
    uint32_t *acc = args->workspace;
    const float *scale = (const float *)args->weights + count;
    const int8_t *w = (const int8_t *)(scale + count);
    memcpy(acc, args->weights, count * sizeof(int32_t));
    for (size_t ky = 0; ky < s->kernel_h; ky++) {
        size_t y = oy * s->stride_h + ky * s->dilation_h - s->pad_top; /* wraps when outside */
        for (size_t kx = 0; kx < s->kernel_w; kx++, w += count) {
            size_t x = ox * s->stride_w + kx * s->dilation_w - s->pad_left;
            if (y < s->in_h && x < s->in_w)
                tap(args, in + (y * s->in_w + x) * s->channels, w, acc);
        }
    }
    for (size_t i = 0; i < count; i++)
        out[i] = sl_requant((int32_t)acc[i], scale[i], args->out_quant);
}

static void run(const struct sl_depthwise_qs8_args *args)
{
    const struct sl_depthwise_shape *s = &args->shape;
    int8_t *out = args->out;
    for (size_t n = 0; n < s->batch; n++)
        for (size_t oy = 0; oy < s->out_h; oy++)
            for (size_t ox = 0; ox < s->out_w; ox++, out += count_of(s))
                pixel(args, args->in + n * s->in_h * s->in_w * s->channels, oy, ox, out);
}

const struct sl_depthwise_qs8 sl_depthwise_qs8_qs8_qs8_1x1_scalar = {
    .name = "sl_depthwise_qs8_qs8_qs8_1x1_scalar",
    .needs = SL_ISA_NONE,
    .weights_bytes = weights_bytes,
    .pack_weights = pack_weights,
    .workspace_bytes = workspace_bytes,
    .run = run,
};
