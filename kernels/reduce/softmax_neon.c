/* kernels/reduce/softmax_neon.c: softmax of rows, 16 elements at a time.
 *
 * exp(x) is 2^n * e^r with n = round(x / ln 2): e^r = 1 + r * q(r), q of degree 4, fitted for the
 * least relative error on |r| <= ln 2 / 2 (9.2e-8 before rounding). Below the smallest normal
 * number the result is 0. */
#include <math.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon.h"
#include "kernels/reduce/reduce.h"

enum { VECTORS = 4 };

static const float log2_e = 0x1.715476p+0f;
static const float ln2_high = 0x1.62e400p-1f, ln2_low = 0x1.7f7d1cp-20f; /* high: 14 bits */
static const float q[] = {0x1.fffff6p-1f, 0x1.fffdc4p-2f, 0x1.555a6ep-3f, 0x1.573ad0p-5f,
                          0x1.0fa7d8p-7f};
static const float smallest = -0x1.5d589ep+6f; /* ln of the smallest normal number */
static const float magic = 0x1.8000fep23f;     /* adding it rounds; its low bits hold n + 127 */

/* x is at most 0, or NaN. */
SL_INLINE float32x4_t exp_of(float32x4_t x)
{
    float32x4_t t = vfmaq_n_f32(vdupq_n_f32(magic), x, log2_e);
    float32x4_t power = vreinterpretq_f32_s32(vshlq_n_s32(vreinterpretq_s32_f32(t), 23));
    float32x4_t n = vsubq_f32(t, vdupq_n_f32(magic));
    float32x4_t r = vfmsq_n_f32(vfmsq_n_f32(x, n, ln2_high), n, ln2_low);
    float32x4_t y = vfmaq_n_f32(vdupq_n_f32(q[3]), r, q[4]);
    y = vfmaq_f32(vdupq_n_f32(q[2]), y, r);
    y = vfmaq_f32(vdupq_n_f32(q[1]), y, r);
    y = vfmaq_f32(vdupq_n_f32(q[0]), y, r);
    y = vfmaq_f32(power, vmulq_f32(power, r), y);
    uint32x4_t tiny = vcltq_f32(x, vdupq_n_f32(smallest));
    return vreinterpretq_f32_u32(vbicq_u32(vreinterpretq_u32_f32(y), tiny));
}

static float row_max(const float *in, size_t count)
{
    float32x4_t acc[VECTORS];
    SL_UNROLL
    for (size_t j = 0; j < VECTORS; j++)
        acc[j] = vdupq_n_f32(-INFINITY);
    for (; count >= 4 * VECTORS; count -= 4 * VECTORS, in += 4 * VECTORS) {
        SL_UNROLL
        for (size_t j = 0; j < VECTORS; j++)
            acc[j] = vmaxq_f32(acc[j], vld1q_f32(in + 4 * j));
    }
    for (; count >= 4; count -= 4, in += 4)
        acc[0] = vmaxq_f32(acc[0], vld1q_f32(in));
    for (; count > 0; count--, in++)
        acc[1] = vmaxq_f32(acc[1], vdupq_n_f32(*in));
    return vmaxvq_f32(vmaxq_f32(vmaxq_f32(acc[0], acc[1]), vmaxq_f32(acc[2], acc[3])));
}

/* out = exp(in - max); returns the sum. */
static float row_exp(const float *in, float *out, size_t count, float max)
{
    float32x4_t sum = vdupq_n_f32(0), v[VECTORS], top = vdupq_n_f32(max);
    for (; count >= 4 * VECTORS; count -= 4 * VECTORS, in += 4 * VECTORS, out += 4 * VECTORS) {
        SL_UNROLL
        for (size_t j = 0; j < VECTORS; j++) {
            v[j] = exp_of(vsubq_f32(vld1q_f32(in + 4 * j), top));
            sum = vaddq_f32(sum, v[j]);
        }
        SL_UNROLL
        for (size_t j = 0; j < VECTORS; j++)
            vst1q_f32(out + 4 * j, v[j]);
    }
    for (; count >= 4; count -= 4, in += 4, out += 4) {
        v[0] = exp_of(vsubq_f32(vld1q_f32(in), top));
        sum = vaddq_f32(sum, v[0]);
        vst1q_f32(out, v[0]);
    }
    float rest = 0;
    for (; count > 0; count--, in++, out++) {
        *out = vgetq_lane_f32(exp_of(vsubq_f32(vdupq_n_f32(*in), top)), 0);
        rest += *out;
    }
    return vaddvq_f32(sum) + rest;
}

static void row_scale(float *out, size_t count, float scale)
{
    for (; count >= 4 * VECTORS; count -= 4 * VECTORS, out += 4 * VECTORS) {
        SL_UNROLL
        for (size_t j = 0; j < VECTORS; j++)
            vst1q_f32(out + 4 * j, vmulq_n_f32(vld1q_f32(out + 4 * j), scale));
    }
    while (count > 0) {
        size_t lanes = count < 4 ? count : 4;
        sl_neon_store(out, vmulq_n_f32(sl_neon_load(out, lanes), scale), lanes);
        out += lanes;
        count -= lanes;
    }
}

static void softmax(const struct sl_reduce_args *args)
{
    const float *in = args->in;
    float *out = args->out;
    for (size_t rows = args->outer; rows > 0; rows--) {
        float sum = row_exp(in, out, args->reduced, row_max(in, args->reduced));
        row_scale(out, args->reduced, 1 / sum);
        in += args->reduced;
        out += args->reduced;
    }
}

const struct sl_reduce sl_reduce_softmax_f32_f32_1x16_neon = {
    .name = "sl_reduce_softmax_f32_f32_1x16_neon",
    .needs = SL_ISA_NEON,
    .op = SL_REDUCE_SOFTMAX,
    .run = softmax,
};
