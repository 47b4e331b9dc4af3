/* kernels/reduce/softmax_f16_neon_fp16.c: softmax in half precision but for the sum.
 *
 * Each step is rounded as XNNPACK rounds it, so that what follows in a network of halves adds up
 * the same numbers: e^x is 2^n (1 + t (c1 + t c2)) for x = n ln 2 + t; the sum is in f32. */
#include "kernels/cpu/isa.h"
#include "kernels/reduce/reduce_f16.h"

#define SL_TYPE f16
#include "kernels/cpu/neon_vector.h"

SL_INLINE vec_t bits(uint16_t value)
{
    return vreinterpretq_f16_u16(vdupq_n_u16(value));
}

/* e^x for x <= 0, 0 where that is no normal half. */
SL_INLINE vec_t exponential(vec_t x)
{
    const vec_t shift = bits(0x660f); /* 1551: n and the exponent's bias in the lowest bits */
    vec_t n = vfmaq_f16(shift, x, bits(0x3dc5) /* log2(e) */);
    vec_t power = vreinterpretq_f16_s16(vshlq_n_s16(vreinterpretq_s16_f16(n), 10));
    n = vsubq_f16(n, shift);
    vec_t t = vfmaq_f16(x, n, bits(0xb98c)); /* -ln(2), upper part */
    t = vfmaq_f16(t, n, bits(0x0af4));       /* and lower */
    vec_t p = vfmaq_f16(bits(0x3c0e), bits(0x37f9), t);
    vec_t y = vfmaq_f16(power, p, vmulq_f16(t, power));
    uint16x8_t vanishes = vcltq_f16(x, bits(0xc8da)); /* -9.7 */
    return vreinterpretq_f16_u16(vbicq_u16(vreinterpretq_u16_f16(y), vanishes));
}

enum { BLOCK = 4 * LANES };

static float row_max(const uint16_t *in, size_t count)
{
    vec_t max = v_load_dup(in), four[4] = {max, max, max, max};
    for (size_t blocks = count / BLOCK; blocks > 0; blocks--) {
        uint16x8x4_t v = sl_neon_next_x16(&in);
        SL_UNROLL
        for (size_t i = 0; i < 4; i++)
            four[i] = vmaxq_f16(four[i], vreinterpretq_f16_u16(v.val[i]));
    }
    max = vmaxq_f16(vmaxq_f16(four[0], four[1]), vmaxq_f16(four[2], four[3]));
    for (count %= BLOCK; count >= LANES; count -= LANES, in += LANES)
        max = vmaxq_f16(max, v_load(in));
    for (; count > 0; count--, in++)
        max = vmaxq_f16(max, v_load_dup(in));
    return (float)vmaxvq_f16(max);
}

/* sums: of the lower lanes, of the upper ones. */
SL_INLINE uint16x8_t add_exponential(uint16x8_t x, vec_t max, float32x4_t sums[2])
{
    vec_t y = exponential(vsubq_f16(vreinterpretq_f16_u16(x), max));
    sums[0] = vaddq_f32(sums[0], vcvt_f32_f16(vget_low_f16(y)));
    sums[1] = vaddq_f32(sums[1], vcvt_high_f32_f16(y));
    return vreinterpretq_u16_f16(y);
}

/* Stores the exponentials of a row; returns their sum. */
static float store_exponentials(const uint16_t *in, size_t count, float largest, uint16_t *out)
{
    const vec_t max = v_set(largest);
    float32x4_t sums[2] = {vdupq_n_f32(0), vdupq_n_f32(0)};
    for (size_t blocks = count / BLOCK; blocks > 0; blocks--) {
        uint16x8x4_t v = sl_neon_next_x16(&in);
        SL_UNROLL
        for (size_t i = 0; i < 4; i++)
            v.val[i] = add_exponential(v.val[i], max, sums);
        vst1q_u16_x4(out, v);
        out += BLOCK;
        SL_FORGET(out);
    }
    for (count %= BLOCK; count >= LANES; count -= LANES, in += LANES, out += LANES)
        vst1q_u16(out, add_exponential(vld1q_u16(in), max, sums));
    float sum = vaddvq_f32(vaddq_f32(sums[0], sums[1]));
    for (; count > 0; count--, in++, out++) {
        vec_t y = exponential(vsubq_f16(v_load_dup(in), max));
        vst1q_lane_u16(out, vreinterpretq_u16_f16(y), 0);
        sum += (float)vgetq_lane_f16(y, 0);
    }
    return sum;
}

static void scale(uint16_t *row, size_t count, vec_t by)
{
    for (size_t blocks = count / BLOCK; blocks > 0; blocks--) {
        uint16x8x4_t v = vld1q_u16_x4(row);
        SL_UNROLL
        for (size_t i = 0; i < 4; i++)
            v.val[i] = vreinterpretq_u16_f16(vmulq_f16(vreinterpretq_f16_u16(v.val[i]), by));
        vst1q_u16_x4(row, v);
        row += BLOCK;
        SL_FORGET(row);
    }
    for (count %= BLOCK; count >= LANES; count -= LANES, row += LANES)
        v_store(row, vmulq_f16(v_load(row), by));
    if (count > 0)
        v_store_some(row, vmulq_f16(v_load_some(row, count), by), count);
}

static void run(const struct sl_reduce_f16_args *args)
{
    for (size_t o = 0; o < args->outer; o++) {
        const uint16_t *in = args->in + o * args->reduced;
        uint16_t *out = args->out + o * args->reduced;
        size_t count = args->reduced;
        float sum = store_exponentials(in, count, row_max(in, count), out);
        scale(out, count, v_set(1 / sum));
    }
}

const struct sl_reduce_f16 sl_reduce_softmax_f16_f16_1x8_neon = {
    .name = "sl_reduce_softmax_f16_f16_1x8_neon",
    .needs = SL_ISA_FP16,
    .op = SL_REDUCE_SOFTMAX,
    .run = run,
};
