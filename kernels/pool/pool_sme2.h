/* kernels/pool/pool_sme2.h: pooling in streaming mode, four vectors of channels at a time; of the
 * type that the including file names (kernels/cpu/element.h), the kernels KERNEL(op). That file
 * defines window(), what a window gives, and of what it sums itself take() and finish(). */
#pragma once

#include <arm_sme.h>
#include <arm_sve.h>
#include <stdbool.h>

#include "kernels/cpu/element.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"

#if SL_TYPE_CODE(SL_TYPE) == SL_TYPE_f16
#define QUAD svfloat16x4_t
#define QUADS(verb) verb##_f16_x4
#define VALUE float16_t
#define VALUES(value) svdup_f16((float16_t)(value))
#define COUNT() svcnth()
#define WHILE_SOME(i, end) svwhilelt_c16_u64(i, end, 4)
#define MODE __arm_streaming __arm_inout("za")
#define RUN_BODY sl_streaming_run_za
#else
#define QUAD svfloat32x4_t
#define QUADS(verb) verb##_f32_x4
#define VALUE float
#define VALUES(value) svdup_f32(value)
#define COUNT() svcntw()
#define WHILE_SOME(i, end) svwhilelt_c32_u64(i, end, 4)
#define MODE __arm_streaming
#define RUN_BODY sl_streaming_run
#endif
#define LOAD_QUAD(some, at) QUADS(svld1)(some, (const VALUE *)(const void *)(at))

/* The part of a window that lies inside, along one axis: taps first .. end. */
struct span {
    size_t first, end;
};

static inline struct span span_of(size_t out, size_t stride, size_t dilation, size_t pad,
                                  size_t kernel, size_t size) __arm_streaming
{
    size_t at = out * stride; /* of tap 0, moved by pad */
    struct span span = {0, kernel};
    if (at < pad)
        span.first = (pad - at + dilation - 1) / dilation;
    if (at + (kernel - 1) * dilation >= size + pad)
        span.end = (size + pad - at + dilation - 1) / dilation;
    return span;
}

/* The taps of a window that lie inside, four vectors of channels. */
struct taps {
    const SL_ELEMENT *first;
    size_t rows, columns; /* at least 1 each */
    size_t step, line;    /* elements from tap to tap, from row to row */
};

static inline QUAD take(int op, QUAD sum, QUAD x) MODE;
static inline QUAD finish(int op, QUAD sum, float divisor) MODE;
static inline QUAD window(int op, svcount_t some, const struct taps *taps) MODE;

static inline __attribute__((always_inline)) QUAD clamp(QUAD x, float min,
                                                        float max) __arm_streaming
{
    return QUADS(svmin_single)(QUADS(svmax_single)(x, VALUES(min)), VALUES(max));
}

static inline __attribute__((always_inline)) QUAD taken_together(int op, svcount_t some,
                                                                 const struct taps *taps) MODE
{
    const SL_ELEMENT *row = taps->first;
    QUAD sum = LOAD_QUAD(some, row);
    for (size_t x = 1; x < taps->columns; x++)
        sum = take(op, sum, LOAD_QUAD(some, row + x * taps->step));
    for (size_t y = 1; y < taps->rows; y++) {
        row += taps->line;
        for (size_t x = 0; x < taps->columns; x++)
            sum = take(op, sum, LOAD_QUAD(some, row + x * taps->step));
    }
    return finish(op, sum, (float)(taps->rows * taps->columns));
}

/* All channels of the output pixel whose first inner tap is at `in`; `rows` x `columns` taps. */
static inline __attribute__((always_inline)) void pixel(int op,
                                                        const struct SL_NAME(sl_pool, _args) * a,
                                                        const SL_ELEMENT *in, size_t rows,
                                                        size_t columns, SL_ELEMENT *out) MODE
{
    struct taps taps = {in, rows, columns, a->dilation_w * a->channels,
                        a->dilation_h * a->in_w * a->channels};
    for (size_t c = 0; c < a->channels; c += 4 * COUNT(), taps.first += 4 * COUNT()) {
        svcount_t some = WHILE_SOME(c, a->channels);
        QUADS(svst1)(some, (VALUE *)(void *)(out + c),
                     clamp(window(op, some, &taps), a->min, a->max));
    }
}

struct sl_pool_2x2 {                 /* the assembly knows its layout */
    const SL_ELEMENT *upper, *lower; /* the first window's pixels */
    SL_ELEMENT *out;
    size_t channels, pixels; /* at least 1 each; pixels of an output row */
    float min, max;
    size_t rows, step_bytes; /* rows of output, at least 1; from one's pixels to the next one's */
};

void SL_TYPE_NAME(sl_pool_max_2x2, _sme2_asm)(const struct sl_pool_2x2 *row) __arm_streaming;

/* 2x2 windows at stride 2 that lie inside: the common down-sampling, of one image. */
static inline void image_of_2x2(const struct SL_NAME(sl_pool, _args) * a, const SL_ELEMENT *in,
                                SL_ELEMENT *out) __arm_streaming
{
    size_t line = a->in_w * a->channels;
    struct sl_pool_2x2 rows = {in,     in + line, out,      a->channels,           a->out_w,
                               a->min, a->max,    a->out_h, 2 * line * sizeof(*in)};
    SL_TYPE_NAME(sl_pool_max_2x2, _sme2_asm)(&rows);
}

/* The same of averages, a row of the output. */
static inline __attribute__((always_inline)) void
row_of_2x2(int op, const struct SL_NAME(sl_pool, _args) * a, const SL_ELEMENT *in,
           SL_ELEMENT *out) MODE
{
    size_t channels = a->channels, line = a->in_w * channels;
    for (size_t c = 0; c < channels; c += 4 * COUNT()) {
        svcount_t some = WHILE_SOME(c, channels);
        const SL_ELEMENT *upper = in + c, *lower = in + line + c;
        SL_ELEMENT *to = out + c;
        for (size_t x = a->out_w; x > 0; x--) {
            QUAD sum = take(op, LOAD_QUAD(some, upper), LOAD_QUAD(some, upper + channels));
            sum = take(op, sum, LOAD_QUAD(some, lower));
            sum = take(op, sum, LOAD_QUAD(some, lower + channels));
            QUADS(svst1)(some, (VALUE *)(void *)to, clamp(finish(op, sum, 4), a->min, a->max));
            upper += 2 * channels;
            lower += 2 * channels;
            to += channels;
        }
    }
}

static bool is_2x2(const struct SL_NAME(sl_pool, _args) * a) __arm_streaming
{
    return a->kernel_h == 2 && a->kernel_w == 2 && a->stride_h == 2 && a->stride_w == 2 &&
           a->dilation_h == 1 && a->dilation_w == 1 && a->pad_top == 0 && a->pad_left == 0 &&
           2 * a->out_h <= a->in_h && 2 * a->out_w <= a->in_w && a->out_h > 0 && a->out_w > 0 &&
           a->channels > 0;
}

#define POOL_ARGS struct SL_NAME(sl_pool, _args)
#define POOL_3X3 SL_TYPE_NAME(sl_pool_max_3x3, _sme2_asm)
#include "kernels/pool/pool_3x3_sme2.h"

static inline __attribute__((always_inline)) void
row_of_any(int op, const struct SL_NAME(sl_pool, _args) * a, const SL_ELEMENT *in, size_t oy,
           SL_ELEMENT *out) MODE
{
    struct span v = span_of(oy, a->stride_h, a->dilation_h, a->pad_top, a->kernel_h, a->in_h);
    size_t y = oy * a->stride_h + v.first * a->dilation_h - a->pad_top;
    bool threes = v.end - v.first == 3 && a->kernel_w == 3 && op == SL_POOL_MAX;
    for (size_t ox = 0; ox < a->out_w; ox++, out += a->channels) {
        size_t count = threes ? inside_from(a, ox) : 0;
        if (count > 0) {
            size_t at = y * a->in_w + ox * a->stride_w - a->pad_left;
            windows_of_3x3(a, in + at * a->channels, count, out);
            out += (count - 1) * a->channels;
            ox += count - 1;
            continue;
        }
        struct span h = span_of(ox, a->stride_w, a->dilation_w, a->pad_left, a->kernel_w, a->in_w);
        size_t x = ox * a->stride_w + h.first * a->dilation_w - a->pad_left;
        pixel(op, a, in + (y * a->in_w + x) * a->channels, v.end - v.first, h.end - h.first, out);
    }
}

static inline __attribute__((always_inline)) void run(int op,
                                                      const struct SL_NAME(sl_pool, _args) * a) MODE
{
    /* Averages of halves are summed in ZA, by window(). */
    bool simple = is_2x2(a) && (op == SL_POOL_MAX || sizeof(SL_ELEMENT) == sizeof(float));
    size_t row = a->out_w * a->channels;
    for (size_t n = 0; n < a->batch; n++) {
        const SL_ELEMENT *in = a->in + n * a->in_h * a->in_w * a->channels;
        SL_ELEMENT *out = a->out + n * a->out_h * row;
        if (simple && op == SL_POOL_MAX) {
            image_of_2x2(a, in, out);
            continue;
        }
        for (size_t oy = 0; oy < a->out_h; oy++, out += row) {
            if (simple)
                row_of_2x2(op, a, in + 2 * oy * a->in_w * a->channels, out);
            else
                row_of_any(op, a, in, oy, out);
        }
    }
}

static void max_body(const void *args) MODE
{
    run(SL_POOL_MAX, args);
}

static void run_max(const struct SL_NAME(sl_pool, _args) * args)
{
    RUN_BODY(max_body, args);
}

static void average_body(const void *args) MODE
{
    run(SL_POOL_AVERAGE, args);
}

static void run_average(const struct SL_NAME(sl_pool, _args) * args)
{
    RUN_BODY(average_body, args);
}

#define POOL_KERNEL(verb, code)                                                                    \
    const struct SL_NAME(sl_pool, ) KERNEL(verb) = {                                               \
        .name = SL_TEXT(KERNEL(verb)),                                                             \
        .needs = SL_ISA_SME2,                                                                      \
        .op = code,                                                                                \
        .run = run_##verb,                                                                         \
    };

POOL_KERNEL(max, SL_POOL_MAX)
POOL_KERNEL(average, SL_POOL_AVERAGE)
