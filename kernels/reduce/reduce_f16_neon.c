/* kernels/reduce/reduce_f16_neon.c: reductions of halves. Base Armv8-A has the conversions. */
#include <string.h>

#include "kernels/cpu/half.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon.h"
#include "kernels/reduce/reduce.h"

/* 8 halves as two vectors. */
SL_INLINE void load_8(const uint16_t *at, float32x4_t pair[2])
{
    float16x8_t halves = vreinterpretq_f16_u16(vld1q_u16(at));
    pair[0] = vcvt_f32_f16(vget_low_f16(halves));
    pair[1] = vcvt_high_f32_f16(halves);
}

static void widen(size_t count, const uint16_t *in, float *out)
{
    float32x4_t pair[2];
    for (; count >= 8; count -= 8, in += 8, out += 8) {
        load_8(in, pair);
        vst1q_f32(out, pair[0]);
        vst1q_f32(out + 4, pair[1]);
    }
    for (; count > 0; count--)
        *out++ = sl_half_to_float(*in++);
}

static void narrow(size_t count, const float *in, uint16_t *out)
{
    for (; count >= 8; count -= 8, in += 8, out += 8) {
        float16x4_t low = vcvt_f16_f32(vld1q_f32(in));
        vst1q_u16(out, vreinterpretq_u16_f16(vcvt_high_f16_f32(low, vld1q_f32(in + 4))));
    }
    for (; count > 0; count--)
        *out++ = sl_half_from_float(*in++);
}

static float row_sum(const uint16_t *in, size_t count)
{
    float32x4_t pair[2], sums[2] = {vdupq_n_f32(0), vdupq_n_f32(0)};
    for (; count >= 8; count -= 8, in += 8) {
        load_8(in, pair);
        sums[0] = vaddq_f32(sums[0], pair[0]);
        sums[1] = vaddq_f32(sums[1], pair[1]);
    }
    float rest = 0;
    for (; count > 0; count--)
        rest += sl_half_to_float(*in++);
    return vaddvq_f32(vaddq_f32(sums[0], sums[1])) + rest;
}

/* Means of 8 columns. */
static void columns(const uint16_t *in, size_t count, size_t step, float scale, uint16_t *out)
{
    float32x4_t pair[2], sums[2] = {vdupq_n_f32(0), vdupq_n_f32(0)};
    float wide[8];
    for (; count > 0; count--, in += step) {
        load_8(in, pair);
        sums[0] = vaddq_f32(sums[0], pair[0]);
        sums[1] = vaddq_f32(sums[1], pair[1]);
    }
    vst1q_f32(wide, vmulq_n_f32(sums[0], scale));
    vst1q_f32(wide + 4, vmulq_n_f32(sums[1], scale));
    narrow(8, wide, out);
}

static void mean(const struct sl_reduce_args *args)
{
    size_t step = args->inner, i;
    for (size_t o = 0; o < args->outer; o++) {
        const uint16_t *in = (const uint16_t *)args->in + o * args->reduced * step;
        uint16_t *out = (uint16_t *)args->out + o * step;
        if (step == 1) {
            *out = sl_half_from_float(row_sum(in, args->reduced) * args->scale);
            continue;
        }
        for (i = 0; i + 8 <= step; i += 8)
            columns(in + i, args->reduced, step, args->scale, out + i);
        for (; i < step; i++) {
            float sum = 0;
            for (size_t r = 0; r < args->reduced; r++)
                sum += sl_half_to_float(in[r * step + i]);
            out[i] = sl_half_from_float(sum * args->scale);
        }
    }
}

const struct sl_reduce sl_reduce_mean_f16_f16_1x8_neon = {
    .name = "sl_reduce_mean_f16_f16_1x8_neon",
    .needs = SL_ISA_NEON,
    .element = SL_F16,
    .op = SL_REDUCE_MEAN,
    .run = mean,
};

enum { BUFFER = 8192 };

/* By the kernel of f32: rows are widened to a buffer, some at a time, and rounded once on their way
 * back. Rows that it does not hold go to the portable kernel. */
static void softmax(const struct sl_reduce_args *args)
{
    float buffer[BUFFER];
    size_t count = args->reduced;
    if (count > BUFFER) {
        sl_reduce_softmax_f16_f16_1x1_scalar.run(args);
        return;
    }
    for (size_t o = 0, rows; o < args->outer && count > 0; o += rows) {
        rows = args->outer - o < BUFFER / count ? args->outer - o : BUFFER / count;
        struct sl_reduce_args wide = {.outer = rows, .reduced = count, .inner = 1};
        wide.in = wide.out = buffer;
        widen(rows * count, (const uint16_t *)args->in + o * count, buffer);
        sl_reduce_softmax_f32_f32_1x16_neon.run(&wide);
        narrow(rows * count, buffer, (uint16_t *)args->out + o * count);
    }
}

const struct sl_reduce sl_reduce_softmax_f16_f16_wide_neon = {
    .name = "sl_reduce_softmax_f16_f16_wide_neon",
    .needs = SL_ISA_NEON,
    .element = SL_F16,
    .op = SL_REDUCE_SOFTMAX,
    .run = softmax,
};
