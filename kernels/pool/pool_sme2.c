/* kernels/pool/pool_sme2.c: pooling in streaming mode, four vectors of channels at a time. */
#include <arm_sme.h>
#include <arm_sve.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/pool/pool.h"

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

static inline __attribute__((always_inline)) svfloat32x4_t take(int op, svfloat32x4_t sum,
                                                                svfloat32x4_t x) __arm_streaming
{
    if (op == SL_POOL_MAX)
        return svmax_f32_x4(sum, x);
    svbool_t all = svptrue_b32();
    return svcreate4_f32(svadd_f32_x(all, svget4_f32(sum, 0), svget4_f32(x, 0)),
                         svadd_f32_x(all, svget4_f32(sum, 1), svget4_f32(x, 1)),
                         svadd_f32_x(all, svget4_f32(sum, 2), svget4_f32(x, 2)),
                         svadd_f32_x(all, svget4_f32(sum, 3), svget4_f32(x, 3)));
}

static inline __attribute__((always_inline)) svfloat32x4_t finish(int op, svfloat32x4_t sum,
                                                                  float divisor, float min,
                                                                  float max) __arm_streaming
{
    if (op == SL_POOL_AVERAGE) {
        svbool_t all = svptrue_b32();
        sum = svcreate4_f32(svdiv_n_f32_x(all, svget4_f32(sum, 0), divisor),
                            svdiv_n_f32_x(all, svget4_f32(sum, 1), divisor),
                            svdiv_n_f32_x(all, svget4_f32(sum, 2), divisor),
                            svdiv_n_f32_x(all, svget4_f32(sum, 3), divisor));
    }
    return svmin_single_f32_x4(svmax_single_f32_x4(sum, svdup_f32(min)), svdup_f32(max));
}

/* All channels of the output pixel whose first inner tap is at `in`; `rows` x `columns` taps. */
static inline __attribute__((always_inline)) void pixel(int op, const struct sl_pool_args *a,
                                                        const float *in, size_t rows,
                                                        size_t columns, float *out) __arm_streaming
{
    size_t step = a->dilation_w * a->channels, line = a->dilation_h * a->in_w * a->channels;
    float divisor = (float)(rows * columns);
    for (size_t c = 0; c < a->channels; c += 4 * svcntw()) {
        svcount_t some = svwhilelt_c32_u64(c, a->channels, 4);
        const float *row = in + c;
        svfloat32x4_t sum = svld1_f32_x4(some, row);
        for (size_t x = 1; x < columns; x++)
            sum = take(op, sum, svld1_f32_x4(some, row + x * step));
        for (size_t y = 1; y < rows; y++) {
            row += line;
            for (size_t x = 0; x < columns; x++)
                sum = take(op, sum, svld1_f32_x4(some, row + x * step));
        }
        svst1_f32_x4(some, out + c, finish(op, sum, divisor, a->min, a->max));
    }
}

struct sl_pool_2x2 {            /* the assembly knows its layout */
    const float *upper, *lower; /* the first window's pixels */
    float *out;
    size_t channels, pixels; /* at least 1 each; pixels of output */
    float min, max;
};

void sl_pool_max_2x2_sme2_asm(const struct sl_pool_2x2 *row) __arm_streaming;

/* 2x2 windows at stride 2 that lie inside: the common down-sampling. */
static inline __attribute__((always_inline)) void
row_of_2x2(int op, const struct sl_pool_args *a, const float *in, float *out) __arm_streaming
{
    size_t channels = a->channels, line = a->in_w * channels;
    if (op == SL_POOL_MAX) {
        struct sl_pool_2x2 row = {in, in + line, out, channels, a->out_w, a->min, a->max};
        sl_pool_max_2x2_sme2_asm(&row);
        return;
    }
    for (size_t c = 0; c < channels; c += 4 * svcntw()) {
        svcount_t some = svwhilelt_c32_u64(c, channels, 4);
        const float *upper = in + c, *lower = in + line + c;
        float *to = out + c;
        for (size_t x = a->out_w; x > 0; x--) {
            svfloat32x4_t sum =
                take(op, svld1_f32_x4(some, upper), svld1_f32_x4(some, upper + channels));
            sum = take(op, sum, svld1_f32_x4(some, lower));
            sum = take(op, sum, svld1_f32_x4(some, lower + channels));
            svst1_f32_x4(some, to, finish(op, sum, 4, a->min, a->max));
            upper += 2 * channels;
            lower += 2 * channels;
            to += channels;
        }
    }
}

static bool is_2x2(const struct sl_pool_args *a) __arm_streaming
{
    return a->kernel_h == 2 && a->kernel_w == 2 && a->stride_h == 2 && a->stride_w == 2 &&
           a->dilation_h == 1 && a->dilation_w == 1 && a->pad_top == 0 && a->pad_left == 0 &&
           2 * a->out_h <= a->in_h && 2 * a->out_w <= a->in_w && a->out_w > 0 && a->channels > 0;
}

static inline __attribute__((always_inline)) void row_of_any(int op, const struct sl_pool_args *a,
                                                             const float *in, size_t oy,
                                                             float *out) __arm_streaming
{
    struct span v = span_of(oy, a->stride_h, a->dilation_h, a->pad_top, a->kernel_h, a->in_h);
    size_t y = oy * a->stride_h + v.first * a->dilation_h - a->pad_top;
    for (size_t ox = 0; ox < a->out_w; ox++, out += a->channels) {
        struct span h = span_of(ox, a->stride_w, a->dilation_w, a->pad_left, a->kernel_w, a->in_w);
        size_t x = ox * a->stride_w + h.first * a->dilation_w - a->pad_left;
        pixel(op, a, in + (y * a->in_w + x) * a->channels, v.end - v.first, h.end - h.first, out);
    }
}

static inline __attribute__((always_inline)) void run(int op,
                                                      const struct sl_pool_args *a) __arm_streaming
{
    bool simple = is_2x2(a);
    size_t row = a->out_w * a->channels;
    for (size_t n = 0; n < a->batch; n++) {
        const float *in = a->in + n * a->in_h * a->in_w * a->channels;
        float *out = a->out + n * a->out_h * row;
        for (size_t oy = 0; oy < a->out_h; oy++, out += row) {
            if (simple)
                row_of_2x2(op, a, in + 2 * oy * a->in_w * a->channels, out);
            else
                row_of_any(op, a, in, oy, out);
        }
    }
}

static void max_body(const void *args) __arm_streaming
{
    run(SL_POOL_MAX, args);
}

static void run_max(const struct sl_pool_args *args)
{
    sl_streaming_run(max_body, args);
}

static void average_body(const void *args) __arm_streaming
{
    run(SL_POOL_AVERAGE, args);
}

static void run_average(const struct sl_pool_args *args)
{
    sl_streaming_run(average_body, args);
}

const struct sl_pool sl_pool_max_f32_f32_4vl_sme2 = {
    .name = "sl_pool_max_f32_f32_4vl_sme2",
    .needs = SL_ISA_SME2,
    .op = SL_POOL_MAX,
    .run = run_max,
};

const struct sl_pool sl_pool_average_f32_f32_4vl_sme2 = {
    .name = "sl_pool_average_f32_f32_4vl_sme2",
    .needs = SL_ISA_SME2,
    .op = SL_POOL_AVERAGE,
    .run = run_average,
};
