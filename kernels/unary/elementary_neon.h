/* kernels/unary/elementary_neon.h: elementary functions, 8 elements at a time, in f32; of the type
 * that the including file names (kernels/cpu/element.h). That file defines KERNEL(verb) and NEEDS,
 * and the functions load_8() and store_8() between 8 elements in memory and two vectors of floats.
 */
#pragma once

#include <math.h>
#include <string.h>

#include "kernels/cpu/element.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon.h"

#define FN SL_INLINE
#define MODE
typedef float32x4_t vec;
typedef uint32x4_t mask;
typedef int32x4_t ints;

#define v_set vdupq_n_f32
#define v_add vaddq_f32
#define v_sub vsubq_f32
#define v_mul vmulq_f32
#define v_div vdivq_f32
#define v_fma vfmaq_f32
#define v_min vminq_f32
#define v_max vmaxq_f32
#define v_abs vabsq_f32
#define v_neg vnegq_f32
#define v_sqrt vsqrtq_f32
#define v_round vrndnq_f32
#define v_less vcltq_f32
#define v_equal vceqq_f32
#define v_select vbslq_f32
#define v_to_ints vcvtq_s32_f32
#define v_from_ints vcvtq_f32_s32
#define v_bits vreinterpretq_s32_f32
#define v_from_bits vreinterpretq_f32_s32
#define v_pow2(n) vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(n, vdupq_n_s32(127)), 23))
#define v_copy_sign(x, sign) vbslq_f32(vdupq_n_u32(0x80000000), sign, x)
#define i_set vdupq_n_s32
#define i_add vaddq_s32
#define i_sub vsubq_s32
#define i_and vandq_s32
#define i_shift_right_1(x) vshrq_n_s32(x, 1)
#define i_shift_right_23(x) vshrq_n_s32(x, 23)
#include "kernels/unary/formula.h"

/* p(t) of gelu() as sums of two powers: four addends, for whole vectors, then one and the clamp;
 * the factors of odd powers, and of t^10. */
static const float gelu_addends[][4] = {
    {1, 1, 1, 1},
    {0x1.6eb408p-5f, 0x1.6eb408p-5f, 0x1.6eb408p-5f, 0x1.6eb408p-5f},
    {0x1.c44b5ep-11f, 0x1.c44b5ep-11f, 0x1.c44b5ep-11f, 0x1.c44b5ep-11f},
    {0x1.f56284p-15f, 0x1.f56284p-15f, 0x1.f56284p-15f, 0x1.f56284p-15f},
    {0x1.31beaep-18f, 0x1.31beaep-18f, 0x1.31beaep-18f, 0x1.31beaep-18f},
};
static const float gelu_factors[] = {0x1.988438p-4f,
                                     0x1.1c17e0p-7f,
                                     0x1.aea9c8p-13f,
                                     -0x1.928c36p-17f,
                                     -0x1.49efeep-21f,
                                     0x1.f4c15ap-25f,
                                     0.5f,
                                     256};

/* x Phi(x) = max(x, 0) - t Phi(-t) of t = |x|. Phi(-t) = p(t)^-8 / 2, which ends in zero, by a
 * polynomial: 20 ulp, or 2^-27 where that is more. The addends are loaded for each vector, four in
 * one instruction, since a sum takes the place of its addend. */
SL_INLINE vec gelu(vec x, const float **addends, float32x4_t low, float32x4_t high)
{
    vec t = v_min(v_abs(x), vdupq_laneq_f32(high, 3)), square = v_mul(t, t);
    SL_FORGET(*addends);
    float32x4x4_t p = vld1q_f32_x4(*addends);
    vec last = vld1q_f32(*addends + 16);
    last = vfmaq_laneq_f32(last, t, high, 0);
    last = vfmaq_laneq_f32(last, square, high, 1);
    p.val[3] = v_fma(vfmaq_laneq_f32(p.val[3], t, low, 3), square, last);
    p.val[2] = v_fma(vfmaq_laneq_f32(p.val[2], t, low, 2), square, p.val[3]);
    p.val[1] = v_fma(vfmaq_laneq_f32(p.val[1], t, low, 1), square, p.val[2]);
    vec y = v_fma(vfmaq_laneq_f32(p.val[0], t, low, 0), square, p.val[1]);
    y = v_mul(y, y);
    y = v_mul(y, y);
    y = v_mul(y, y);
    return v_sub(v_max(x, v_set(0)), v_div(vmulq_laneq_f32(t, high, 2), y));
}
#define GELU_CONSTANTS                                                                             \
    const float *addends = gelu_addends[0];                                                        \
    float32x4_t low = vld1q_f32(gelu_factors), high = vld1q_f32(gelu_factors + 4);

/* `call` of the vector x, of p, which holds the parameter a, and of the constants. */
#define SL_UNARY_NEON(verb, code, call) SL_UNARY_NEON_WITH(verb, code, , call)
#define SL_UNARY_NEON_WITH(verb, code, constants, call)                                            \
    static void run_##verb(size_t count, const SL_ELEMENT *in, SL_ELEMENT *out, float a, float b)  \
    {                                                                                              \
        float32x4_t p = vdupq_n_f32(a), pair[2], x;                                                \
        SL_ELEMENT rest[8] = {0};                                                                  \
        (void)b;                                                                                   \
        (void)p;                                                                                   \
        constants for (; count >= 8; count -= 8, in += 8, out += 8)                                \
        {                                                                                          \
            load_8(in, pair);                                                                      \
            x = pair[0];                                                                           \
            pair[0] = call;                                                                        \
            x = pair[1];                                                                           \
            pair[1] = call;                                                                        \
            store_8(out, pair);                                                                    \
        }                                                                                          \
        if (count == 0)                                                                            \
            return;                                                                                \
        memcpy(rest, in, count * sizeof(rest[0]));                                                 \
        load_8(rest, pair);                                                                        \
        x = pair[0];                                                                               \
        pair[0] = call;                                                                            \
        x = pair[1];                                                                               \
        pair[1] = call;                                                                            \
        store_8(rest, pair);                                                                       \
        memcpy(out, rest, count * sizeof(rest[0]));                                                \
    }                                                                                              \
    const struct SL_NAME(sl_unary, ) KERNEL(verb) = {                                              \
        .name = SL_TEXT(KERNEL(verb)),                                                             \
        .needs = NEEDS,                                                                            \
        .op = code,                                                                                \
        .run = run_##verb,                                                                         \
    };

SL_UNARY_NEON(abs, SL_UNARY_ABS, vabsq_f32(x))
SL_UNARY_NEON(negate, SL_UNARY_NEGATE, vnegq_f32(x))
SL_UNARY_NEON(floor, SL_UNARY_FLOOR, vrndmq_f32(x))
SL_UNARY_NEON(ceiling, SL_UNARY_CEILING, vrndpq_f32(x))
SL_UNARY_NEON(sqrt, SL_UNARY_SQRT, vsqrtq_f32(x))
SL_UNARY_NEON(rsqrt, SL_UNARY_RSQRT, formula_rsqrt(x))
SL_UNARY_NEON(exp, SL_UNARY_EXP, formula_exp(x))
SL_UNARY_NEON(log, SL_UNARY_LOG, formula_log(x))
SL_UNARY_NEON(sigmoid, SL_UNARY_SIGMOID, formula_sigmoid(x))
SL_UNARY_NEON(tanh, SL_UNARY_TANH, formula_tanh(x))
SL_UNARY_NEON(hardswish, SL_UNARY_HARDSWISH, formula_hardswish(x))
SL_UNARY_NEON_WITH(gelu, SL_UNARY_GELU, GELU_CONSTANTS, gelu(x, &addends, low, high))
SL_UNARY_NEON(elu, SL_UNARY_ELU, formula_elu(x, p))
SL_UNARY_NEON(leaky_relu, SL_UNARY_LEAKY_RELU, formula_leaky_relu(x, p))
