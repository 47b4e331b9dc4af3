/* kernels/unary/elementary_sme2.h: elementary functions in streaming mode, 2 or 4 vectors at a
 * time, in f32; of the type that the including file names (kernels/cpu/element.h), the kernels
 * KERNEL(verb). */
#pragma once

#include <arm_sme.h>
#include <arm_sve.h>

#include "kernels/cpu/element.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/unary/formula_sme2.h"

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
#if SL_TYPE_CODE(SL_TYPE) == SL_TYPE_f16 /* of f32: trigonometry_sme2.c */
SL_UNARY_SME2(sin, SL_UNARY_SIN, formula_keep_zero(x, formula_sine_of_half(x, i_set(0))))
SL_UNARY_SME2(cos, SL_UNARY_COS, formula_sine_of_half(x, i_set(1)))
#endif
SL_UNARY_SME2(round, SL_UNARY_ROUND, svrintn_f32_x(ALL, x))
SL_UNARY_SME2(truncate, SL_UNARY_TRUNCATE, svrintz_f32_x(ALL, x))
SL_UNARY_SME2(sign, SL_UNARY_SIGN, formula_sign(x))
SL_UNARY_SME2(gelu_tanh, SL_UNARY_GELU_TANH, formula_gelu_tanh(x))
SL_UNARY_SME2(reciprocal, SL_UNARY_RECIPROCAL, v_div(v_set(1.0f), x))
SL_UNARY_SME2(root, SL_UNARY_ROOT, formula_root(x))
SL_UNARY_SME2(inverse_root, SL_UNARY_INVERSE_ROOT, v_div(v_set(1.0f), formula_root(x)))
SL_UNARY_SME2(expm1, SL_UNARY_EXPM1, formula_expm1(x))
SL_UNARY_SME2(log1p, SL_UNARY_LOG1P, formula_log1p(x))
SL_UNARY_SME2(log2, SL_UNARY_LOG2, formula_log2(x))
SL_UNARY_SME2(log10, SL_UNARY_LOG10, formula_log10(x))
SL_UNARY_SME2(erf, SL_UNARY_ERF, formula_erf(x))
SL_UNARY_SME2(sinh, SL_UNARY_SINH, formula_sinh(x))
SL_UNARY_SME2(cosh, SL_UNARY_COSH, formula_cosh(x))
SL_UNARY_SME2(asinh, SL_UNARY_ASINH, formula_asinh(x))
SL_UNARY_SME2(acosh, SL_UNARY_ACOSH, formula_acosh(x))
SL_UNARY_SME2(atanh, SL_UNARY_ATANH, formula_atanh(x))
SL_UNARY_SME2(asin, SL_UNARY_ASIN, formula_asin(x))
SL_UNARY_SME2(acos, SL_UNARY_ACOS, formula_acos(x))
SL_UNARY_SME2(atan, SL_UNARY_ATAN, formula_atan(x))
