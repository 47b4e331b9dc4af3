/* kernels/depthwise/depthwise_3x3_sme2.h: 3x3 depthwise convolution, stride 1 and 2, SME2:
 * multi-vector products into ZA, strip by strip; of the type that the including file names
 * (kernels/cpu/element.h), the kernels KERNEL(stride). That file defines LEAST_VL, words of the
 * shortest vector (rows go by 8 in longer ones, by 4 in this), weights_bytes() and pack_weights()
 * of either stride, and what runs a strip at stride 2. */
#pragma once

#include <arm_sme.h>

#include "kernels/cpu/element.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/depthwise/depthwise_strip.h"

/* At most one row or column of padding on each side. */
static bool is_3x3(const struct sl_depthwise_shape *s, size_t stride)
{
    size_t span_h = (s->out_h - 1) * stride + 3, span_w = (s->out_w - 1) * stride + 3;
    return svcntsw() >= LEAST_VL && s->kernel_h == 3 && s->kernel_w == 3 && s->multiplier == 1 &&
           s->stride_h == stride && s->stride_w == stride && s->dilation_h == 1 &&
           s->dilation_w == 1 && s->pad_top <= 1 && s->pad_left <= 1 && s->out_h > 0 &&
           s->out_w > 0 && span_h <= s->in_h + s->pad_top + 1 &&
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

#define SL_WEIGHTS(stride)                                                                         \
    static size_t weights_bytes_##stride(const struct sl_depthwise_shape *s);                      \
    static void pack_weights_##stride(const struct sl_depthwise_shape *s,                          \
                                      const SL_ELEMENT *weights, const SL_ELEMENT *bias,           \
                                      void *packed);

SL_WEIGHTS(s1)
SL_WEIGHTS(s2)
static void run_strip_s2(struct SL_NAME(sl_depthwise, _strip) *
                         strip) __arm_streaming __arm_inout("za");

static size_t workspace_bytes(const struct sl_depthwise_shape *shape)
{
    (void)shape;
    return 0;
}

/* The columns of a strip, which all strips of an image share. */
static struct SL_NAME(sl_depthwise, _strip)
    columns_of(const struct SL_NAME(sl_depthwise, _args) * args, size_t stride)
{
    const struct sl_depthwise_shape *s = &args->shape;
    struct SL_NAME(sl_depthwise, _strip) strip = {
        .in_row_bytes = (int64_t)(s->in_w * s->channels * sizeof(SL_ELEMENT)),
        .out_row_bytes = (int64_t)(s->out_w * s->channels * sizeof(SL_ELEMENT)),
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
    const struct SL_NAME(sl_depthwise, _args) * args;
    size_t stride;
    struct SL_NAME(sl_depthwise, _strip) columns;
};

static void run_body(const void *pointer) __arm_streaming __arm_inout("za")
{
    const struct strips *strips = pointer;
    const struct SL_NAME(sl_depthwise, _args) *args = strips->args;
    const struct sl_depthwise_shape *s = &args->shape;
    struct SL_NAME(sl_depthwise, _strip) columns = strips->columns, *strip = &columns;
    size_t stride = strips->stride;
    int64_t shift = stride == 1 ? (int64_t)(strip->lead * s->channels) : 0;
    size_t most = stride == 1 && svcntw() > LEAST_VL ? 8 : 4;
    for (size_t b = 0; b < s->batch; b++) {
        const SL_ELEMENT *in = args->in + b * s->in_h * s->in_w * s->channels;
        SL_ELEMENT *out = args->out + b * s->out_h * s->out_w * s->channels;
        for (size_t y = 0; y < s->out_h; y += strip->rows) {
            int64_t first = (int64_t)(y * stride) - (int64_t)s->pad_top;
            strip->rows = s->out_h - y < most ? s->out_h - y : most;
            strip->in = in + first * (int64_t)(s->in_w * s->channels);
            strip->out = out + y * s->out_w * s->channels - shift;
            strip->top = first < 0;
            strip->bottom = first + (int64_t)((strip->rows - 1) * stride + 3) > (int64_t)s->in_h;
            if (stride == 1)
                SL_NAME(sl_depthwise, _3x3s1_sme2_asm)(strip);
            else
                run_strip_s2(strip);
        }
    }
}

static void run_s1(const struct SL_NAME(sl_depthwise, _args) * args)
{
    struct strips strips = {args, 1, columns_of(args, 1)};
    if (args->shape.channels > 0)
        sl_streaming_run_za(run_body, &strips);
}

static void run_s2(const struct SL_NAME(sl_depthwise, _args) * args)
{
    struct strips strips = {args, 2, columns_of(args, 2)};
    if (args->shape.channels > 0)
        sl_streaming_run_za(run_body, &strips);
}

#define SL_DEPTHWISE_SME2(stride)                                                                  \
    const struct SL_NAME(sl_depthwise, ) KERNEL(stride) = {                                        \
        .name = SL_TEXT(KERNEL(stride)),                                                           \
        .needs = SL_ISA_SME2,                                                                      \
        .fits = fits_##stride,                                                                     \
        .weights_bytes = weights_bytes_##stride,                                                   \
        .pack_weights = pack_weights_##stride,                                                     \
        .workspace_bytes = workspace_bytes,                                                        \
        .run = run_##stride,                                                                       \
    };

SL_DEPTHWISE_SME2(s1)
SL_DEPTHWISE_SME2(s2)
