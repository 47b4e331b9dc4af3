/* kernels/depthwise/depthwise_f32_any_sme2.c: depthwise convolution with any window, SME2: four
 * vectors of channels at a time, a multi-vector FMLA into ZA for each tap that lies inside; four
 * output pixels side by side share the loads of the weights. */
#include <arm_sme.h>
#include <arm_sve.h>
#include <string.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/depthwise/depthwise.h"

/* Packed weights: for each 4 VL channels the bias, then the taps row by row, 4 VL wide, padded with
 * zeros. */
static size_t taps_of(const struct sl_depthwise_shape *s) __arm_streaming_compatible
{
    return s->kernel_h * s->kernel_w;
}

static bool fits(const struct sl_depthwise_shape *shape)
{
    return shape->multiplier == 1;
}

static size_t weights_bytes(const struct sl_depthwise_shape *s)
{
    size_t quad = 4 * svcntsw();
    return (s->channels + quad - 1) / quad * quad * (1 + taps_of(s)) * sizeof(float);
}

static void pack_weights(const struct sl_depthwise_shape *s, const float *weights,
                         const float *bias, void *packed)
{
    size_t quad = 4 * svcntsw(), channels = s->channels;
    float *out = packed;
    memset(packed, 0, weights_bytes(s));
    for (size_t c = 0; c < channels; c += quad) {
        size_t count = channels - c < quad ? channels - c : quad;
        if (bias)
            memcpy(out, bias + c, count * sizeof(float));
        for (size_t tap = 0; tap < taps_of(s); tap++) {
            out += quad;
            memcpy(out, weights + tap * channels + c, count * sizeof(float));
        }
        out += quad;
    }
}

static size_t workspace_bytes(const struct sl_depthwise_shape *shape)
{
    (void)shape;
    return 0;
}

/* The taps of a window that lie inside, along one axis: first .. end. */
struct span {
    size_t first, end;
};

static inline struct span span_of(size_t out, size_t stride, size_t dilation, size_t pad,
                                  size_t kernel, size_t size) __arm_streaming __arm_inout("za")
{
    size_t at = out * stride; /* of tap 0, moved by pad */
    struct span span = {0, kernel};
    if (at < pad)
        span.first = (pad - at + dilation - 1) / dilation;
    if (at + (kernel - 1) * dilation >= size + pad)
        span.end = at >= size + pad ? 0 : (size + pad - at + dilation - 1) / dilation;
    if (span.first > span.end)
        span.first = span.end;
    return span;
}

/* What the pixels of one output row share. */
struct line {
    const struct sl_depthwise_args *args;
    const float *in; /* the row of the first tap inside; not read when v is empty */
    float *out;
    struct span v;
};

/* Channels c .. of one output pixel. `in` is its first tap inside, `weights` that tap's. */
static inline void pixel(const struct line *line, const float *in, const float *weights,
                         svcount_t some, size_t columns,
                         float *out) __arm_streaming __arm_inout("za")
{
    const struct sl_depthwise_args *a = line->args;
    const struct sl_depthwise_shape *s = &a->shape;
    svcount_t all = svptrue_c32();
    size_t quad = 4 * svcntw(), step = s->dilation_w * s->channels;
    size_t down = s->dilation_h * s->in_w * s->channels, weights_down = s->kernel_w * quad;
    for (size_t ky = line->v.end - line->v.first; ky > 0; ky--) {
        const float *tap = in, *weight = weights;
        for (size_t kx = columns / 2; kx > 0; kx--, tap += 2 * step, weight += 2 * quad) {
            svmla_za32_f32_vg1x4(0, svld1_f32_x4(some, tap), svld1_f32_x4(all, weight));
            svmla_za32_f32_vg1x4(0, svld1_f32_x4(some, tap + step),
                                 svld1_vnum_f32_x4(all, weight, 4));
        }
        if (columns % 2)
            svmla_za32_f32_vg1x4(0, svld1_f32_x4(some, tap), svld1_f32_x4(all, weight));
        in += down;
        weights += weights_down;
    }
    svfloat32x4_t sum = svread_za32_f32_vg1x4(0);
    sum = svmin_single_f32_x4(svmax_single_f32_x4(sum, svdup_f32(a->min)), svdup_f32(a->max));
    svst1_f32_x4(some, out, sum);
}

/* Channels c .. of four output pixels whose windows lie inside from left to right; each has its own
 * group. `in` and `weights` as above. */
static inline void four_pixels(const struct line *line, const float *in, const float *weights,
                               svcount_t some, float *out) __arm_streaming __arm_inout("za")
{
    const struct sl_depthwise_args *a = line->args;
    const struct sl_depthwise_shape *s = &a->shape;
    svcount_t all = svptrue_c32();
    size_t quad = 4 * svcntw(), step = s->dilation_w * s->channels;
    size_t across = s->stride_w * s->channels, columns = s->kernel_w;
    size_t down = s->dilation_h * s->in_w * s->channels - columns * step;
    svfloat32_t min = svdup_f32(a->min), max = svdup_f32(a->max);
    const float *second = in + across, *third = second + across, *fourth = third + across;
    uint32_t group = 0;
    size_t at = 0;
    /* Opaque, so that groups become offsets in the instruction and the pointers share one index. */
    __asm__("" : "+r"(group), "+r"(second), "+r"(third), "+r"(fourth));
    for (size_t ky = line->v.end - line->v.first; ky > 0; ky--, at += down) {
        for (size_t kx = columns; kx > 0; kx--, at += step, weights += quad) {
            svfloat32x4_t weight = svld1_f32_x4(all, weights);
            svmla_za32_f32_vg1x4(group, svld1_f32_x4(some, in + at), weight);
            svmla_za32_f32_vg1x4(group + 1, svld1_f32_x4(some, second + at), weight);
            svmla_za32_f32_vg1x4(group + 2, svld1_f32_x4(some, third + at), weight);
            svmla_za32_f32_vg1x4(group + 3, svld1_f32_x4(some, fourth + at), weight);
        }
    }
    for (uint32_t pixel = 0; pixel < 4; pixel++, out += s->channels) {
        svfloat32x4_t sum = svread_za32_f32_vg1x4(group + pixel);
        svst1_f32_x4(some, out, svmin_single_f32_x4(svmax_single_f32_x4(sum, min), max));
    }
}

static void row(const struct line *line) __arm_streaming __arm_inout("za")
{
    const struct sl_depthwise_shape *s = &line->args->shape;
    const float *packed = line->args->weights;
    size_t quad = 4 * svcntw(), taps = taps_of(s);
    size_t window = (s->kernel_w - 1) * s->dilation_w + 1;
    for (size_t c = 0; c < s->channels; c += quad, packed += (1 + taps) * quad) {
        svcount_t some = svwhilelt_c32_u64(c, s->channels, 4);
        svfloat32x4_t bias = svld1_f32_x4(svptrue_c32(), packed);
        for (size_t ox = 0; ox < s->out_w; ox++) {
            size_t left = ox * s->stride_w;
            if (line->v.end > line->v.first && left >= s->pad_left && s->out_w - ox >= 4 &&
                left + 3 * s->stride_w + window <= s->in_w + s->pad_left) {
                for (uint32_t group = 0; group < 4; group++)
                    svwrite_za32_f32_vg1x4(group, bias);
                four_pixels(line, line->in + (left - s->pad_left) * s->channels + c,
                            packed + (1 + line->v.first * s->kernel_w) * quad, some,
                            line->out + ox * s->channels + c);
                ox += 3;
                continue;
            }
            struct span h =
                span_of(ox, s->stride_w, s->dilation_w, s->pad_left, s->kernel_w, s->in_w);
            size_t x = ox * s->stride_w + h.first * s->dilation_w - s->pad_left;
            size_t tap = line->v.first * s->kernel_w + h.first;
            svwrite_za32_f32_vg1x4(0, bias);
            pixel(line, line->in + x * s->channels + c, packed + (1 + tap) * quad, some,
                  h.end - h.first, line->out + ox * s->channels + c);
        }
    }
}

static void run_body(const void *pointer) __arm_streaming __arm_inout("za")
{
    const struct sl_depthwise_args *args = pointer;
    const struct sl_depthwise_shape *s = &args->shape;
    struct line line = {.args = args, .out = args->out};
    for (size_t b = 0; b < s->batch; b++) {
        const float *in = args->in + b * s->in_h * s->in_w * s->channels;
        for (size_t oy = 0; oy < s->out_h; oy++, line.out += s->out_w * s->channels) {
            line.v = span_of(oy, s->stride_h, s->dilation_h, s->pad_top, s->kernel_h, s->in_h);
            size_t y = oy * s->stride_h + line.v.first * s->dilation_h - s->pad_top;
            line.in = in + y * s->in_w * s->channels;
            row(&line);
        }
    }
}

static void run(const struct sl_depthwise_args *args)
{
    sl_streaming_run_za(run_body, args);
}

const struct sl_depthwise sl_depthwise_f32_f32_f32p4vl_1x1_sme2_mla = {
    .name = "sl_depthwise_f32_f32_f32p4vl_1x1_sme2_mla",
    .needs = SL_ISA_SME2,
    .fits = fits,
    .weights_bytes = weights_bytes,
    .pack_weights = pack_weights,
    .workspace_bytes = workspace_bytes,
    .run = run,
};
