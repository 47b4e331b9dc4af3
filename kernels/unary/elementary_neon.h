/* kernels/unary/elementary_neon.h: elementary functions, some vectors at a time, in f32; of the
 * type that the including file names (kernels/cpu/element.h). That file defines KERNEL(verb), NEEDS
 * and VECTORS, and the functions load() and store() between ELEMENTS in memory and VECTORS of
 * floats. */
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

/* `call` of the vector x and of p, which holds the parameter a. */
#define SL_UNARY_NEON(verb, code, call)                                                            \
    static void run_##verb(size_t count, const SL_ELEMENT *in, SL_ELEMENT *out, float a, float b)  \
    {                                                                                              \
        float32x4_t p = vdupq_n_f32(a), v[VECTORS], x;                                             \
        SL_ELEMENT rest[ELEMENTS] = {0};                                                           \
        (void)b;                                                                                   \
        (void)p;                                                                                   \
        for (size_t turns = count / ELEMENTS; turns > 0; turns--) {                                \
            load(in, v);                                                                           \
            SL_UNROLL                                                                              \
            for (size_t j = 0; j < VECTORS; j++) {                                                 \
                x = v[j];                                                                          \
                v[j] = call;                                                                       \
            }                                                                                      \
            store(out, v);                                                                         \
            in += ELEMENTS;                                                                        \
            out += ELEMENTS;                                                                       \
            SL_FORGET(in);                                                                         \
            SL_FORGET(out);                                                                        \
        }                                                                                          \
        if (count % ELEMENTS == 0)                                                                 \
            return;                                                                                \
        memcpy(rest, in, count % ELEMENTS * sizeof(rest[0]));                                      \
        load(rest, v);                                                                             \
        for (size_t j = 0; j < VECTORS; j++) {                                                     \
            x = v[j];                                                                              \
            v[j] = call;                                                                           \
        }                                                                                          \
        store(rest, v);                                                                            \
        memcpy(out, rest, count % ELEMENTS * sizeof(rest[0]));                                     \
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
#if SL_TYPE_CODE(SL_TYPE) == SL_TYPE_f16 /* of f32: sigmoid_neon.c */
SL_UNARY_NEON(sigmoid, SL_UNARY_SIGMOID, formula_sigmoid(x))
#endif
SL_UNARY_NEON(tanh, SL_UNARY_TANH, formula_tanh(x))
SL_UNARY_NEON(hardswish, SL_UNARY_HARDSWISH, formula_hardswish(x))
SL_UNARY_NEON(elu, SL_UNARY_ELU, formula_elu(x, p))
SL_UNARY_NEON(leaky_relu, SL_UNARY_LEAKY_RELU, formula_leaky_relu(x, p))
