/* kernels/depthwise/depthwise_any_sme2.h: depthwise convolution with any window, SME2: four vectors
 * of channels at a time, a multi-vector product into ZA for each tap that lies inside; output
 * pixels side by side share the loads of the weights, and of seven columns those of the input; of
 * the type that the including file names (kernels/cpu/element.h), the kernel KERNEL.
 *
 * That file defines QUAD, four vectors, and load(); WIDTH(), elements of a vector; ALL(), and
 * WHILE() of channels; and of a pixel's sums, of which there are PIXELS in ZA at a time: start()
 * with the biases, add() products with weights, and finish(). place_of() says where the bias of a
 * block's channel lies. */
#pragma once

#include <arm_sme.h>
#include <arm_sve.h>
#include <string.h>

#include "kernels/cpu/element.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"

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

/* Channels of a block. */
static size_t quad_of(void)
{
    return 4 * svcntsb() / sizeof(SL_ELEMENT);
}

static size_t block_bytes(const struct sl_depthwise_shape *s,
                          size_t quad) __arm_streaming_compatible
{
    return quad * (sizeof(float) + taps_of(s) * sizeof(SL_ELEMENT));
}

static size_t weights_bytes(const struct sl_depthwise_shape *s)
{
    return (s->channels + quad_of() - 1) / quad_of() * block_bytes(s, quad_of());
}

static void pack_weights(const struct sl_depthwise_shape *s, const SL_ELEMENT *weights,
                         const SL_ELEMENT *bias, void *packed)
{
    size_t quad = quad_of(), channels = s->channels;
    memset(packed, 0, weights_bytes(s));
    for (size_t c = 0; c < channels; c += quad) {
        size_t count = channels - c < quad ? channels - c : quad;
        float *biases = packed;
        for (size_t i = 0; bias && i < count; i++)
            biases[place_of(i, quad)] = SL_BIAS(bias[c + i]);
        SL_ELEMENT *out = (SL_ELEMENT *)(void *)(biases + quad);
        for (size_t tap = 0; tap < taps_of(s); tap++, out += quad)
            memcpy(out, weights + tap * channels + c, count * sizeof(SL_ELEMENT));
        packed = out;
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
                                  size_t kernel, size_t size) MODE
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

/* Shared by the pixels of one output row. */
struct line {
    const struct SL_NAME(sl_depthwise, _args) * args;
    const SL_ELEMENT *in; /* the row of the first tap inside; not read when v is empty */
    SL_ELEMENT *out;
    struct span v;
};

/* Channels c .. of one output pixel. `in` is its first tap inside, `weights` that tap's. */
static inline void pixel(const struct line *line, const SL_ELEMENT *in, const SL_ELEMENT *weights,
                         svcount_t some, size_t columns, SL_ELEMENT *out) MODE
{
    const struct sl_depthwise_shape *s = &line->args->shape;
    size_t quad = 4 * WIDTH(), step = s->dilation_w * s->channels;
    size_t down = s->dilation_h * s->in_w * s->channels, weights_down = s->kernel_w * quad;
    for (size_t ky = line->v.end - line->v.first; ky > 0; ky--) {
        const SL_ELEMENT *tap = in, *weight = weights;
        for (size_t kx = columns / 2; kx > 0; kx--, tap += 2 * step, weight += 2 * quad) {
            add(0, load(some, tap), load(ALL(), weight));
            add(0, load(some, tap + step), load(ALL(), weight + quad));
        }
        if (columns % 2)
            add(0, load(some, tap), load(ALL(), weight));
        in += down;
        weights += weights_down;
    }
    finish(0, some, line->args->min, line->args->max, out);
}

/* Channels c .. of PIXELS output pixels whose windows lie inside from left to right. `in` and
 * `weights` as above. */
static inline void pixels(const struct line *line, const SL_ELEMENT *in, const SL_ELEMENT *weights,
                          svcount_t some, SL_ELEMENT *out) MODE
{
    const struct sl_depthwise_shape *s = &line->args->shape;
    size_t quad = 4 * WIDTH(), step = s->dilation_w * s->channels;
    size_t across = s->stride_w * s->channels, columns = s->kernel_w;
    size_t down = s->dilation_h * s->in_w * s->channels - columns * step;
    const SL_ELEMENT *second = in + across, *third = second + across, *fourth = third + across;
    uint32_t group = 0;
    size_t at = 0;
    /* Opaque, so that groups become offsets in the instruction and the pointers share one index. */
    __asm__("" : "+r"(group), "+r"(second), "+r"(third), "+r"(fourth));
    for (size_t ky = line->v.end - line->v.first; ky > 0; ky--, at += down) {
        for (size_t kx = columns; kx > 0; kx--, at += step, weights += quad) {
            QUAD weight = load(ALL(), weights);
            add(group, load(some, in + at), weight);
            add(group + PER_PIXEL, load(some, second + at), weight);
#if PIXELS == 4
            add(group + 2 * PER_PIXEL, load(some, third + at), weight);
            add(group + 3 * PER_PIXEL, load(some, fourth + at), weight);
#endif
        }
    }
    for (uint32_t n = 0; n < PIXELS; n++, out += s->channels)
        finish(group + n * PER_PIXEL, some, line->args->min, line->args->max, out);
}

#include "kernels/depthwise/depthwise_sevens_sme2.h"

/* A block of channels from c on of an output row. */
static void block(const struct line *line, const float *biases, size_t c) MODE
{
    const struct sl_depthwise_shape *s = &line->args->shape;
    svcount_t some = WHILE(c, s->channels);
    size_t quad = 4 * WIDTH(), window = (s->kernel_w - 1) * s->dilation_w + 1;
    const SL_ELEMENT *weights = (const SL_ELEMENT *)(const void *)(biases + quad);
    weights += line->v.first * s->kernel_w * quad;
    if (takes_sevens(s)) {
        seven_block(line, biases, weights, c, some);
        return;
    }
    for (size_t ox = 0; ox < s->out_w; ox++) {
        size_t left = ox * s->stride_w;
        SL_ELEMENT *out = line->out + ox * s->channels + c;
        if (line->v.end > line->v.first && left >= s->pad_left && s->out_w - ox >= PIXELS &&
            left + (PIXELS - 1) * s->stride_w + window <= s->in_w + s->pad_left) {
            for (uint32_t n = 0; n < PIXELS; n++)
                start(n * PER_PIXEL, biases);
            pixels(line, line->in + (left - s->pad_left) * s->channels + c, weights, some, out);
            ox += PIXELS - 1;
            continue;
        }
        struct span h = span_of(ox, s->stride_w, s->dilation_w, s->pad_left, s->kernel_w, s->in_w);
        size_t x = left + h.first * s->dilation_w - s->pad_left;
        start(0, biases);
        pixel(line, line->in + x * s->channels + c, weights + h.first * quad, some, h.end - h.first,
              out);
    }
}

static void run_body(const void *pointer) MODE
{
    const struct SL_NAME(sl_depthwise, _args) *args = pointer;
    const struct sl_depthwise_shape *s = &args->shape;
    struct line line = {.args = args, .out = args->out};
    size_t quad = 4 * WIDTH(), step_bytes = block_bytes(s, quad);
    for (size_t b = 0; b < s->batch; b++) {
        const SL_ELEMENT *in = args->in + b * s->in_h * s->in_w * s->channels;
        for (size_t oy = 0; oy < s->out_h; oy++, line.out += s->out_w * s->channels) {
            line.v = span_of(oy, s->stride_h, s->dilation_h, s->pad_top, s->kernel_h, s->in_h);
            size_t y = oy * s->stride_h + line.v.first * s->dilation_h - s->pad_top;
            line.in = in + y * s->in_w * s->channels;
            const char *packed = args->weights;
            for (size_t c = 0; c < s->channels; c += quad, packed += step_bytes)
                block(&line, (const float *)(const void *)packed, c);
        }
    }
}

static void run(const struct SL_NAME(sl_depthwise, _args) * args)
{
    sl_streaming_run_za(run_body, args);
}

const struct SL_NAME(sl_depthwise, ) KERNEL = {
    .name = SL_TEXT(KERNEL),
    .needs = SL_ISA_SME2,
    .fits = fits,
    .weights_bytes = weights_bytes,
    .pack_weights = pack_weights,
    .workspace_bytes = workspace_bytes,
    .run = run,
};
