/* kernels/unary/elementary_sme2.h: elementary functions in streaming mode, 2 or 4 vectors at a
 * time, in f32; of the type that the including file names (kernels/cpu/element.h), the kernels
 * KERNEL(verb). */
#pragma once

#include <arm_sme.h>
#include <arm_sve.h>
#include <math.h>

#include "kernels/cpu/element.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"

#define FN static inline __attribute__((always_inline))
#define MODE __arm_streaming
#define ALL svptrue_b32()
typedef svfloat32_t vec;
typedef svbool_t mask;
typedef svint32_t ints;

#define v_set svdup_f32
#define v_add(x, y) svadd_f32_x(ALL, x, y)
#define v_sub(x, y) svsub_f32_x(ALL, x, y)
#define v_mul(x, y) svmul_f32_x(ALL, x, y)
#define v_div(x, y) svdiv_f32_x(ALL, x, y)
#define v_fma(sum, x, y) svmla_f32_x(ALL, sum, x, y)
#define v_min(x, y) svmin_f32_x(ALL, x, y)
#define v_max(x, y) svmax_f32_x(ALL, x, y)
#define v_abs(x) svabs_f32_x(ALL, x)
#define v_neg(x) svneg_f32_x(ALL, x)
#define v_sqrt(x) svsqrt_f32_x(ALL, x)
#define v_round(x) svrintn_f32_x(ALL, x)
#define v_less(x, y) svcmplt_f32(ALL, x, y)
#define v_equal(x, y) svcmpeq_f32(ALL, x, y)
#define v_select svsel_f32
#define v_to_ints(x) svcvt_s32_f32_x(ALL, x)
#define v_from_ints(x) svcvt_f32_s32_x(ALL, x)
#define v_bits svreinterpret_s32_f32
#define v_from_bits svreinterpret_f32_s32
#define v_pow2(n) v_from_bits(svlsl_n_s32_x(ALL, svadd_n_s32_x(ALL, n, 127), 23))
#define v_copy_sign(x, sign)                                                                       \
    v_from_bits(svorr_s32_x(ALL, svand_n_s32_x(ALL, v_bits(x), INT32_MAX),                         \
                            svand_n_s32_x(ALL, v_bits(sign), INT32_MIN)))
#define i_set svdup_s32
#define i_add(x, y) svadd_s32_x(ALL, x, y)
#define i_sub(x, y) svsub_s32_x(ALL, x, y)
#define i_and(x, y) svand_s32_x(ALL, x, y)
#define i_shift_right_1(x) svasr_n_s32_x(ALL, x, 1)
#define i_shift_right_23(x) svasr_n_s32_x(ALL, x, 23)
#include "kernels/unary/formula.h"

/* `call` of x, which is each of the vectors of a turn. */
#define ONE(v, call)                                                                               \
    x = v;                                                                                         \
    v = call;
#if SL_TYPE_CODE(SL_TYPE) == SL_TYPE_f16
#define TURN svcnth()
#define DECLARE_WHERE(i, s) svbool_t some = svwhilelt_b16_u64(i, (s)->count)
#define LOAD(from)                                                                                 \
    svfloat16_t halves = svreinterpret_f16_u16(svld1_u16(some, from));                             \
    svfloat32_t v0 = svcvt_f32_f16_x(ALL, halves), v1 = svcvtlt_f32_f16_x(ALL, halves)
#define EACH(call) ONE(v0, call) ONE(v1, call)
#define STORE(to)                                                                                  \
    svst1_u16(some, to, svreinterpret_u16_f16(svcvtnt_f16_f32_m(svcvt_f16_f32_x(ALL, v0), ALL, v1)))
#else
#define TURN (4 * svcntw())
#define DECLARE_WHERE(i, s) svcount_t some = svwhilelt_c32_u64(i, (s)->count, 4)
#define LOAD(from)                                                                                 \
    svfloat32x4_t quad = svld1_f32_x4(some, from);                                                 \
    svfloat32_t v0 = svget4_f32(quad, 0), v1 = svget4_f32(quad, 1), v2 = svget4_f32(quad, 2),      \
                v3 = svget4_f32(quad, 3)
#define EACH(call) ONE(v0, call) ONE(v1, call) ONE(v2, call) ONE(v3, call)
#define STORE(to) svst1_f32_x4(some, to, svcreate4_f32(v0, v1, v2, v3))
#endif

struct span {
    size_t count;
    const SL_ELEMENT *in;
    SL_ELEMENT *out;
    float a;
};

/* `call` of the vector x and of p, which holds the parameter a. */
#define SL_UNARY_SME2(verb, code, call)                                                            \
    static void verb##_body(const void *args) __arm_streaming                                      \
    {                                                                                              \
        const struct span *s = args;                                                               \
        svfloat32_t p = svdup_f32(s->a), x;                                                        \
        (void)p;                                                                                   \
        for (size_t i = 0; i < s->count; i += TURN) {                                              \
            DECLARE_WHERE(i, s);                                                                   \
            LOAD(s->in + i);                                                                       \
            EACH(call)                                                                             \
            STORE(s->out + i);                                                                     \
        }                                                                                          \
    }                                                                                              \
    static void run_##verb(size_t count, const SL_ELEMENT *in, SL_ELEMENT *out, float a, float b)  \
    {                                                                                              \
        struct span args = {count, in, out, a};                                                    \
        (void)b;                                                                                   \
        sl_streaming_run(verb##_body, &args);                                                      \
    }                                                                                              \
    const struct SL_NAME(sl_unary, ) KERNEL(verb) = {                                              \
        .name = SL_TEXT(KERNEL(verb)),                                                             \
        .needs = SL_ISA_SME2,                                                                      \
        .op = code,                                                                                \
        .run = run_##verb,                                                                         \
    };

SL_UNARY_SME2(abs, SL_UNARY_ABS, v_abs(x))
SL_UNARY_SME2(negate, SL_UNARY_NEGATE, v_neg(x))
SL_UNARY_SME2(floor, SL_UNARY_FLOOR, svrintm_f32_x(ALL, x))
SL_UNARY_SME2(ceiling, SL_UNARY_CEILING, svrintp_f32_x(ALL, x))
SL_UNARY_SME2(sqrt, SL_UNARY_SQRT, v_sqrt(x))
SL_UNARY_SME2(rsqrt, SL_UNARY_RSQRT, formula_rsqrt(x))
SL_UNARY_SME2(log, SL_UNARY_LOG, formula_log(x))
SL_UNARY_SME2(leaky_relu, SL_UNARY_LEAKY_RELU, formula_leaky_relu(x, p))
