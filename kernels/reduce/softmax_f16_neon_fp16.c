/* kernels/reduce/softmax_f16_neon_fp16.c: softmax in half precision but for the sum.
 *
 * Each step is rounded as XNNPACK rounds it, so that what follows in a network of halves adds up
 * the same numbers: e^x is 2^n (1 + t (c1 + t c2)) for x = n ln 2 + t; the sum is in f32. */
#include "kernels/cpu/isa.h"
#include "kernels/reduce/reduce.h"

#define SL_TYPE f16
#include "kernels/cpu/neon_vector.inc"

SL_INLINE vec_t bits(uint16_t value)
{
    return vreinterpretq_f16_u16(vdupq_n_u16(value));
}

enum { QUAD = 4, BLOCK = QUAD * LANES };

/* The start values of the sums: one instruction loads four vectors, where four would copy one. */
#define EIGHT(x) x, x, x, x, x, x, x, x
#define FOUR_OF(x) EIGHT(x), EIGHT(x), EIGHT(x), EIGHT(x)
static const uint16_t begins[2][BLOCK] = {
    {FOUR_OF(0x660f)}, /* 1551: n and the exponent's bias in the lowest bits */
    {FOUR_OF(0x3c0e)}, /* c1 */
};

/* e^x of 1 or 4 vectors for x <= 0, 0 where that is no normal half. */
SL_INLINE void exponentials(size_t vectors, vec_t x[])
{
    const uint16_t *begin = begins[0];
    vec_t n[QUAD], p[QUAD];
    SL_FORGET(begin);
    const vec_t shift = v_load(begin);
    v_load_all(begin, vectors, n);
    v_load_all(begin + BLOCK, vectors, p);
    SL_UNROLL
    for (size_t i = 0; i < vectors; i++) {
        n[i] = vfmaq_f16(n[i], x[i], bits(0x3dc5) /* log2(e) */);
        vec_t power = vreinterpretq_f16_s16(vshlq_n_s16(vreinterpretq_s16_f16(n[i]), 10));
        n[i] = vsubq_f16(n[i], shift);
        vec_t t = vfmaq_f16(x[i], n[i], bits(0xb98c)); /* -ln(2), upper part */
        t = vfmaq_f16(t, n[i], bits(0x0af4));          /* and lower */
        p[i] = vfmaq_f16(p[i], bits(0x37f9), t);
        vec_t y = vfmaq_f16(power, p[i], vmulq_f16(t, power));
        uint16x8_t vanishes = vcltq_f16(x[i], bits(0xc8da)); /* -9.7 */
        x[i] = vreinterpretq_f16_u16(vbicq_u16(vreinterpretq_u16_f16(y), vanishes));
    }
}

/* The rest behind a row's whole vectors: the vector that ends with it, or a shorter row. */
SL_INLINE vec_t load_rest(const uint16_t *row, size_t count)
{
    return count >= LANES ? v_load(row + count - LANES) : v_load_some(row, count);
}

SL_INLINE void store_rest(uint16_t *row, size_t count, vec_t v)
{
    if (count >= LANES)
        v_store(row + count - LANES, v);
    else
        v_store_some(row, v, count);
}

/* Without the lanes of load_rest() that are in whole vectors, or behind the row. */
SL_INLINE vec_t rest_alone(vec_t v, size_t count)
{
    static const int16_t order[] = {0, 1, 2, 3, 4, 5, 6, 7};
    int16x8_t lane = vld1q_s16(order), rest = vdupq_n_s16((int16_t)(count % LANES));
    uint16x8_t in = count >= LANES ? vcgeq_s16(vaddq_s16(lane, rest), vdupq_n_s16(LANES))
                                   : vcltq_s16(lane, rest);
    return vreinterpretq_f16_u16(vandq_u16(vreinterpretq_u16_f16(v), in));
}

SL_INLINE float row_max(const uint16_t *in, size_t count)
{
    vec_t max = count >= LANES ? v_load(in + count - LANES) : v_load_dup(in);
    for (size_t i = 1; count < LANES && i < count; i++)
        max = vmaxq_f16(max, v_load_dup(in + i));
    vec_t four[QUAD] = {max, max, max, max}, v[QUAD];
    for (size_t blocks = count / BLOCK; blocks > 0; blocks--) {
        v_load_next(&in, QUAD, v);
        SL_UNROLL
        for (size_t i = 0; i < QUAD; i++)
            four[i] = vmaxq_f16(four[i], v[i]);
    }
    if (count >= BLOCK)
        max = vmaxq_f16(vmaxq_f16(four[0], four[1]), vmaxq_f16(four[2], four[3]));
    for (size_t left = count % BLOCK; left >= LANES; left -= LANES, in += LANES)
        max = vmaxq_f16(max, v_load(in));
    return (float)vmaxvq_f16(max);
}

/* sums: of the lower lanes, of the upper ones. */
SL_INLINE void add(vec_t y, float32x4_t sums[2])
{
    sums[0] = vaddq_f32(sums[0], vcvt_f32_f16(vget_low_f16(y)));
    sums[1] = vaddq_f32(sums[1], vcvt_high_f32_f16(y));
}

SL_INLINE void v_store_next(uint16_t **at, const vec_t v[QUAD])
{
    uint16x8x4_t four;
    SL_UNROLL
    for (size_t i = 0; i < QUAD; i++)
        four.val[i] = vreinterpretq_u16_f16(v[i]);
    vst1q_u16_x4(*at, four);
    *at += BLOCK;
    SL_FORGET(*at);
}

/* Stores the exponentials of a row, and adds them up. */
SL_INLINE float store_exponentials(const uint16_t *in, size_t count, vec_t max, uint16_t *out)
{
    float32x4_t sums[2] = {vdupq_n_f32(0), vdupq_n_f32(0)};
    uint16_t *row = out;
    vec_t last = max, v[QUAD];
    if (count % LANES != 0) { /* before `out` is written, which may be `in` */
        last = vsubq_f16(load_rest(in, count), max);
        exponentials(1, &last);
        add(rest_alone(last, count), sums);
    }
    for (size_t blocks = count / BLOCK; blocks > 0; blocks--) {
        v_load_next(&in, QUAD, v);
        SL_UNROLL
        for (size_t i = 0; i < QUAD; i++)
            v[i] = vsubq_f16(v[i], max);
        exponentials(QUAD, v);
        SL_UNROLL
        for (size_t i = 0; i < QUAD; i++)
            add(v[i], sums);
        v_store_next(&out, v);
    }
    for (size_t left = count % BLOCK; left >= LANES; left -= LANES, in += LANES, out += LANES) {
        v[0] = vsubq_f16(v_load(in), max);
        exponentials(1, v);
        add(v[0], sums);
        v_store(out, v[0]);
    }
    if (count % LANES != 0)
        store_rest(row, count, last);
    return vaddvq_f32(vaddq_f32(sums[0], sums[1]));
}

SL_INLINE void scale(uint16_t *row, size_t count, vec_t by)
{
    uint16_t *out = row;
    vec_t last = by, v[QUAD];
    if (count % LANES != 0)
        last = vmulq_f16(load_rest(row, count), by);
    for (size_t blocks = count / BLOCK; blocks > 0; blocks--) {
        v_load_all(out, QUAD, v);
        SL_UNROLL
        for (size_t i = 0; i < QUAD; i++)
            v[i] = vmulq_f16(v[i], by);
        v_store_next(&out, v);
    }
    for (size_t left = count % BLOCK; left >= LANES; left -= LANES, out += LANES)
        v_store(out, vmulq_f16(v_load(out), by));
    if (count % LANES != 0)
        store_rest(row, count, last);
}

static void run(const struct sl_reduce_args *args)
{
    size_t count = args->reduced;
    const uint16_t *in = args->in;
    uint16_t *out = args->out;
    for (size_t o = count > 0 ? args->outer : 0; o > 0; o--, in += count, out += count) {
        float sum = store_exponentials(in, count, v_set(row_max(in, count)), out);
        scale(out, count, v_set(1 / sum));
    }
}

const struct sl_reduce sl_reduce_softmax_f16_f16_1x8_neon = {
    .name = "sl_reduce_softmax_f16_f16_1x8_neon",
    .needs = SL_ISA_FP16,
    .element = SL_F16,
    .op = SL_REDUCE_SOFTMAX,
    .run = run,
};
