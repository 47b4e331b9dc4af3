/* kernels/pool/pool_average_f16_neon.c: averages of halves, summed in f32 and rounded once, up to
 * 32 channels at a time. Base Armv8-A has the conversions. */
#include "kernels/cpu/half.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon.h"
#include "kernels/cpu/span.h"
#include "kernels/pool/pool.h"

enum { EIGHTS = 4 };

/* The taps of a window that lie inside, from `first` on. */
struct taps {
    const uint16_t *first;
    size_t rows, columns, line, step; /* the last two in elements: from row to row, tap to tap */
    float scale, min, max;
};

SL_INLINE void add_eight(const uint16_t *at, float32x4_t sum[2])
{
    float16x8_t x = vreinterpretq_f16_u16(vld1q_u16(at));
    sum[0] = vaddq_f32(sum[0], vcvt_f32_f16(vget_low_f16(x)));
    sum[1] = vaddq_f32(sum[1], vcvt_high_f32_f16(x));
}

SL_INLINE void put_eight(const struct taps *t, const float32x4_t sum[2], uint16_t *out)
{
    float32x4_t y[2], min = vdupq_n_f32(t->min), max = vdupq_n_f32(t->max);
    for (size_t i = 0; i < 2; i++)
        y[i] = sl_neon_clamp(vmulq_n_f32(sum[i], t->scale), min, max);
    vst1q_u16(out, vreinterpretq_u16_f16(vcvt_high_f16_f32(vcvt_f16_f32(y[0]), y[1])));
}

SL_INLINE void channels_of(size_t eights, const struct taps *t, size_t c, uint16_t *out)
{
    float32x4_t sum[EIGHTS][2];
    const uint16_t *row = t->first + c;
    SL_UNROLL
    for (size_t j = 0; j < eights; j++)
        sum[j][0] = sum[j][1] = vdupq_n_f32(0);
    for (size_t y = t->rows; y > 0; y--, row += t->line) {
        const uint16_t *at = row;
        for (size_t x = t->columns; x > 0; x--, at += t->step) {
            SL_UNROLL
            for (size_t j = 0; j < eights; j++)
                add_eight(at + 8 * j, sum[j]);
        }
    }
    SL_UNROLL
    for (size_t j = 0; j < eights; j++)
        put_eight(t, sum[j], out + c + 8 * j);
}

static uint16_t one_channel(const struct taps *t, size_t c)
{
    float sum = 0;
    for (size_t y = 0; y < t->rows; y++)
        for (size_t x = 0; x < t->columns; x++)
            sum += sl_half_to_float(t->first[y * t->line + x * t->step + c]);
    sum *= t->scale;
    sum = sum < t->min ? t->min : sum;
    return sl_half_from_float(sum > t->max ? t->max : sum);
}

static void pixel(const struct taps *t, size_t channels, uint16_t *out)
{
    size_t c = 0;
    for (; c + 8 * EIGHTS <= channels; c += 8 * EIGHTS)
        channels_of(EIGHTS, t, c, out);
    for (; c + 8 <= channels; c += 8)
        channels_of(1, t, c, out);
    if (c < channels && channels >= 8) /* some of them again, but whole vectors */
        channels_of(1, t, channels - 8, out);
    else
        for (; c < channels; c++)
            out[c] = one_channel(t, c);
}

static void row(const struct sl_pool_args *a, const uint16_t *in, size_t oy, uint16_t *out)
{
    size_t y = oy * a->stride_h - a->pad_top; /* wraps when outside */
    struct sl_span ys = sl_span_of(y, a->kernel_h, a->dilation_h, a->in_h);
    struct taps t = {.rows = ys.to - ys.from,
                     .line = a->dilation_h * a->in_w * a->channels,
                     .step = a->dilation_w * a->channels,
                     .min = a->min,
                     .max = a->max};
    in += (y + ys.from * a->dilation_h) * a->in_w * a->channels;
    for (size_t ox = 0; ox < a->out_w; ox++, out += a->channels) {
        size_t x = ox * a->stride_w - a->pad_left;
        struct sl_span xs = sl_span_of(x, a->kernel_w, a->dilation_w, a->in_w);
        t.columns = xs.to - xs.from;
        t.first = in + (x + xs.from * a->dilation_w) * a->channels;
        t.scale = 1.0f / (float)(t.rows * t.columns);
        pixel(&t, a->channels, out);
    }
}

static void average(const struct sl_pool_args *args)
{
    size_t image = args->in_h * args->in_w * args->channels;
    uint16_t *out = args->out;
    for (size_t i = 0; i < args->batch * args->out_h; i++, out += args->out_w * args->channels)
        row(args, (const uint16_t *)args->in + i / args->out_h * image, i % args->out_h, out);
}

const struct sl_pool sl_pool_average_f16_f16_1x32_neon = {
    .name = "sl_pool_average_f16_f16_1x32_neon",
    .needs = SL_ISA_NEON,
    .element = SL_F16,
    .op = SL_POOL_AVERAGE,
    .run = average,
};
