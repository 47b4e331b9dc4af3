/* kernels/reduce/rms_f16_neon.c: RMS norm of rows of halves in f32, which base Armv8-A converts. */
#include <math.h>
#include <stdbool.h>

#include "kernels/cpu/half.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon.h"
#include "kernels/reduce/reduce.h"

enum { EIGHT = 8, BLOCK = 32 };

SL_INLINE float32x4x2_t wide(uint16x8_t bits)
{
    float16x8_t halves = vreinterpretq_f16_u16(bits);
    return (float32x4x2_t){{vcvt_f32_f16(vget_low_f16(halves)), vcvt_high_f32_f16(halves)}};
}

/* The last halves of a row, fewer than EIGHT, and zeros. */
SL_INLINE uint16x8_t load_rest(const uint16_t *at, size_t count)
{
    uint16_t rest[EIGHT] = {0};
    memcpy(rest, at, count * sizeof(*at));
    return vld1q_u16(rest);
}

SL_INLINE void add_squares(uint16x8_t eight, float32x4_t sum[2])
{
    float32x4x2_t v = wide(eight);
    sum[0] = vfmaq_f32(sum[0], v.val[0], v.val[0]);
    sum[1] = vfmaq_f32(sum[1], v.val[1], v.val[1]);
}

static float squares_of(const uint16_t *in, size_t count)
{
    float32x4_t none = vdupq_n_f32(0), sum[4] = {none, none, none, none};
    for (size_t blocks = count / BLOCK; blocks > 0; blocks--) {
        uint16x8x4_t v = sl_neon_next_x16(&in);
        SL_UNROLL
        for (size_t i = 0; i < 4; i++)
            add_squares(v.val[i], sum + i % 2 * 2);
    }
    for (count %= BLOCK; count >= EIGHT; count -= EIGHT, in += EIGHT)
        add_squares(vld1q_u16(in), sum);
    if (count > 0)
        add_squares(load_rest(in, count), sum + 2);
    return vaddvq_f32(vaddq_f32(vaddq_f32(sum[0], sum[1]), vaddq_f32(sum[2], sum[3])));
}

SL_INLINE uint16x8_t scaled(bool weighted, uint16x8_t eight, uint16x8_t weight, float32x4_t rstd)
{
    float32x4x2_t v = wide(eight), w = wide(weight);
    SL_UNROLL
    for (size_t j = 0; j < 2; j++) {
        v.val[j] = vmulq_f32(v.val[j], rstd);
        v.val[j] = weighted ? vmulq_f32(v.val[j], w.val[j]) : v.val[j];
    }
    return vreinterpretq_u16_f16(vcvt_high_f16_f32(vcvt_f16_f32(v.val[0]), v.val[1]));
}

SL_INLINE void scale_row(bool weighted, const uint16_t *in, const uint16_t *weight,
                         float32x4_t rstd, size_t count, uint16_t *out)
{
    for (size_t blocks = count / BLOCK; blocks > 0; blocks--, out += BLOCK) {
        uint16x8x4_t v = sl_neon_next_x16(&in), w = v;
        if (weighted)
            w = sl_neon_next_x16(&weight);
        SL_UNROLL
        for (size_t i = 0; i < 4; i++)
            v.val[i] = scaled(weighted, v.val[i], w.val[i], rstd);
        vst1q_u16_x4(out, v);
    }
    for (count %= BLOCK; count >= EIGHT; count -= EIGHT, in += EIGHT, out += EIGHT) {
        uint16x8_t w = vld1q_u16(weighted ? weight : in);
        vst1q_u16(out, scaled(weighted, vld1q_u16(in), w, rstd));
        weight += weighted ? EIGHT : 0;
    }
    if (count == 0)
        return;
    uint16_t rest[EIGHT];
    vst1q_u16(rest, scaled(weighted, load_rest(in, count), load_rest(weighted ? weight : in, count),
                           rstd));
    memcpy(out, rest, count * sizeof(*out));
}

static void rms_norm(const struct sl_reduce_args *args)
{
    size_t count = args->reduced;
    for (size_t o = 0; count > 0 && o < args->outer; o++) {
        const uint16_t *in = (const uint16_t *)args->in + o * count;
        float rstd = 1 / sqrtf(squares_of(in, count) / (float)count + args->eps);
        if (args->weight)
            scale_row(true, in, args->weight, vdupq_n_f32(rstd), count,
                      (uint16_t *)args->out + o * count);
        else
            scale_row(false, in, NULL, vdupq_n_f32(rstd), count, (uint16_t *)args->out + o * count);
        if (args->rstd)
            ((uint16_t *)args->rstd)[o] = sl_half_from_float(rstd);
    }
}

const struct sl_reduce sl_reduce_rms_norm_f16_f16_1x32_neon = {
    .name = "sl_reduce_rms_norm_f16_f16_1x32_neon",
    .needs = SL_ISA_NEON,
    .element = SL_F16,
    .op = SL_REDUCE_RMS_NORM,
    .run = rms_norm,
};
