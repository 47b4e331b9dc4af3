/* kernels/depthwise/depthwise_f32_5x5_sme2.c: 5x5 depthwise convolution, stride 1 and 2, SME2:
 * multi-vector FMLA into ZA, strip by strip. */
#include <arm_sme.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/depthwise/depthwise.h"
#include "kernels/depthwise/depthwise_pack.h"
#include "kernels/depthwise/depthwise_window.h"

/* At most two rows of padding above and below; five groups of ZA are in use at a time. */
static bool is_5x5(const struct sl_depthwise_shape *s, size_t stride)
{
    return s->kernel_h == 5 && s->kernel_w == 5 && s->multiplier == 1 && s->dilation_h == 1 &&
           s->dilation_w == 1 && s->stride_h == stride && s->stride_w == stride &&
           s->pad_top <= 2 && s->out_h > 0 && s->out_w > 0 &&
           (s->out_h - 1) * stride + 5 <= s->in_h + s->pad_top + 2 && svcntsw() >= 8;
}

static size_t weights_bytes(const struct sl_depthwise_shape *s)
{
    size_t vl = svcntsw();
    return (s->channels + vl - 1) / vl * SL_WINDOW_VECTORS * vl * sizeof(float);
}

/* Vector `v` of a block: bias, tap or nothing. */
static const float *source_of(const struct sl_depthwise_shape *s, size_t v, const float *weights,
                              const float *bias)
{
    if (v < 4)
        return bias;
    if (v >= 4 + 25)
        return NULL;
    size_t kx = sl_window_columns(s->stride_w)[(v - 4) / 5], ky = (v - 4) % 5;
    return weights + (5 * ky + kx) * s->channels;
}

static void pack_weights(const struct sl_depthwise_shape *s, const void *weights_in,
                         const void *bias_in, void *packed)
{
    const float *weights = weights_in, *bias = bias_in;
    size_t vl = svcntsw(), channels = s->channels;
    for (size_t c0 = 0; c0 < channels; c0 += vl) {
        for (size_t v = 0; v < SL_WINDOW_VECTORS; v++)
            packed = sl_depthwise_put(source_of(s, v, weights, bias), sizeof(float), c0, channels,
                                      vl, packed);
    }
}

static size_t workspace_bytes(const struct sl_depthwise_shape *shape)
{
    (void)shape;
    return 0;
}

static void run_body(const void *pointer) __arm_streaming __arm_inout("za")
{
    const struct sl_depthwise_args *args = pointer;
    const struct sl_depthwise_shape *s = &args->shape;
    size_t in_row = s->in_w * s->channels, out_row = s->out_w * s->channels;
    struct sl_depthwise_window w = {
        .in_row_bytes = (int64_t)(in_row * sizeof(float)),
        .out_row_bytes = (int64_t)(out_row * sizeof(float)),
        .weights = args->weights,
        .channels = s->channels,
        .pad_left = s->pad_left,
        .in_w = s->in_w,
        .out_w = s->out_w,
        .min = args->min,
        .max = args->max,
    };
    for (size_t line = 0; line < s->batch * s->out_h; line += w.rows) {
        size_t b = line / s->out_h, y = line % s->out_h;
        int64_t first = (int64_t)(y * s->stride_h) - (int64_t)s->pad_top;
        w.rows = s->out_h - y < SL_WINDOW_ROWS ? s->out_h - y : SL_WINDOW_ROWS;
        int64_t below = first + (int64_t)((w.rows - 1) * s->stride_h + 5) - (int64_t)s->in_h;
        w.top = first < 0 ? (uint32_t)-first : 0;
        w.bottom = below > 0 ? (uint32_t)below : 0;
        w.in = (const float *)args->in + ((int64_t)(b * s->in_h) + first) * (int64_t)in_row;
        w.out = (float *)args->out + line * out_row;
        if (s->stride_w == 1)
            sl_depthwise_5x5s1_sme2_asm(&w);
        else
            sl_depthwise_5x5s2_sme2_asm(&w);
    }
}

static void run(const struct sl_depthwise_args *args)
{
    if (args->shape.channels > 0)
        sl_streaming_run_za(run_body, args);
}

#define SL_DEPTHWISE_5X5(stride)                                                                   \
    static bool fits_##stride(const struct sl_depthwise_shape *shape)                              \
    {                                                                                              \
        return is_5x5(shape, stride);                                                              \
    }                                                                                              \
    const struct sl_depthwise sl_depthwise_f32_f32_f32p1vl_5x5s##stride##_sme2_mla = {             \
        .name = "sl_depthwise_f32_f32_f32p1vl_5x5s" #stride "_sme2_mla",                           \
        .needs = SL_ISA_SME2,                                                                      \
        .element = SL_F32,                                                                         \
        .fits = fits_##stride,                                                                     \
        .weights_bytes = weights_bytes,                                                            \
        .pack_weights = pack_weights,                                                              \
        .workspace_bytes = workspace_bytes,                                                        \
        .run = run,                                                                                \
    };

SL_DEPTHWISE_5X5(1)
SL_DEPTHWISE_5X5(2)
