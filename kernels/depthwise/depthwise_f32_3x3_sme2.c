/* kernels/depthwise/depthwise_f32_3x3_sme2.c: 3x3 depthwise convolution, stride 1 and 2, SME2:
 * multi-vector FMLA into ZA, strip by strip. */
#include <arm_sme.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/depthwise/depthwise.h"
#include "kernels/depthwise/depthwise_strip.h"

enum { VECTORS = 13 }; /* of weights for VL channels: bias four times, 9 taps */

/* At most one row or column of padding on each side. */
static bool is_3x3(const struct sl_depthwise_shape *s, size_t stride)
{
    size_t span_h = (s->out_h - 1) * stride + 3, span_w = (s->out_w - 1) * stride + 3;
    return s->kernel_h == 3 && s->kernel_w == 3 && s->multiplier == 1 && s->stride_h == stride &&
           s->stride_w == stride && s->dilation_h == 1 && s->dilation_w == 1 && s->pad_top <= 1 &&
           s->pad_left <= 1 && s->out_h > 0 && s->out_w > 0 && span_h <= s->in_h + s->pad_top + 1 &&
           span_w <= s->in_w + s->pad_left + 1;
}

static bool fits_s1(const struct sl_depthwise_shape *shape)
{
    return is_3x3(shape, 1);
}

static bool fits_s2(const struct sl_depthwise_shape *shape)
{
    return is_3x3(shape, 2);
}

static size_t weights_bytes(const struct sl_depthwise_shape *s)
{
    size_t vl = svcntsw();
    return (s->channels + vl - 1) / vl * VECTORS * vl * sizeof(float);
}

static void pack_weights(const struct sl_depthwise_shape *s, const float *weights,
                         const float *bias, void *packed)
{
    size_t vl = svcntsw(), channels = s->channels;
    float *out = packed;
    for (size_t c0 = 0; c0 < channels; c0 += vl) {
        for (size_t v = 0; v < VECTORS; v++) {
            const float *from = v < 4 ? bias : weights + (v - 4) * channels;
            for (size_t c = c0; c < c0 + vl; c++)
                *out++ = from && c < channels ? from[c] : 0;
        }
    }
}

static size_t workspace_bytes(const struct sl_depthwise_shape *shape)
{
    (void)shape;
    return 0;
}

/* The columns of a strip, which all strips of an image share. */
static struct sl_depthwise_strip columns_of(const struct sl_depthwise_args *args, size_t stride)
{
    const struct sl_depthwise_shape *s = &args->shape;
    struct sl_depthwise_strip strip = {
        .in_row_bytes = (int64_t)(s->in_w * s->channels * sizeof(float)),
        .out_row_bytes = (int64_t)(s->out_w * s->channels * sizeof(float)),
        .weights = args->weights,
        .channels = s->channels,
        .min = args->min,
        .max = args->max,
    };
    strip.trail = (s->out_w - 1) * stride + 3 > s->in_w + s->pad_left;
    strip.body = s->out_w - strip.trail;
    strip.lead = stride == 1 ? 2 - s->pad_left : 1 - s->pad_left;
    return strip;
}

struct strips {
    const struct sl_depthwise_args *args;
    size_t stride;
    struct sl_depthwise_strip columns;
};

static void run_body(const void *pointer) __arm_streaming __arm_inout("za")
{
    const struct strips *strips = pointer;
    const struct sl_depthwise_args *args = strips->args;
    const struct sl_depthwise_shape *s = &args->shape;
    struct sl_depthwise_strip columns = strips->columns, *strip = &columns;
    size_t stride = strips->stride;
    int64_t shift = stride == 1 ? (int64_t)(strip->lead * s->channels) : 0;
    size_t most = stride == 1 && svcntw() > 4 ? 8 : 4;
    for (size_t b = 0; b < s->batch; b++) {
        const float *in = args->in + b * s->in_h * s->in_w * s->channels;
        float *out = args->out + b * s->out_h * s->out_w * s->channels;
        for (size_t y = 0; y < s->out_h; y += strip->rows) {
            int64_t first = (int64_t)(y * stride) - (int64_t)s->pad_top;
            strip->rows = s->out_h - y < most ? s->out_h - y : most;
            strip->in = in + first * (int64_t)(s->in_w * s->channels);
            strip->out = out + y * s->out_w * s->channels - shift;
            strip->top = first < 0;
            strip->bottom = first + (int64_t)((strip->rows - 1) * stride + 3) > (int64_t)s->in_h;
            if (stride == 1)
                sl_depthwise_3x3s1_sme2_asm(strip);
            else
                sl_depthwise_3x3s2_sme2_asm(strip);
        }
    }
}

static void run_s1(const struct sl_depthwise_args *args)
{
    struct strips strips = {args, 1, columns_of(args, 1)};
    if (args->shape.channels > 0)
        sl_streaming_run_za(run_body, &strips);
}

static void run_s2(const struct sl_depthwise_args *args)
{
    struct strips strips = {args, 2, columns_of(args, 2)};
    if (args->shape.channels > 0)
        sl_streaming_run_za(run_body, &strips);
}

#define SL_DEPTHWISE_SME2(stride)                                                                  \
    const struct sl_depthwise sl_depthwise_f32_f32_f32p1vl_3x3##stride##_sme2_mla = {              \
        .name = "sl_depthwise_f32_f32_f32p1vl_3x3" #stride "_sme2_mla",                            \
        .needs = SL_ISA_SME2,                                                                      \
        .fits = fits_##stride,                                                                     \
        .weights_bytes = weights_bytes,                                                            \
        .pack_weights = pack_weights,                                                              \
        .workspace_bytes = workspace_bytes,                                                        \
        .run = run_##stride,                                                                       \
    };

SL_DEPTHWISE_SME2(s1)
SL_DEPTHWISE_SME2(s2)
