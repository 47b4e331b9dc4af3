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
#include "kernels/unary/formula_neon.h"

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
SL_UNARY_NEON(log, SL_UNARY_LOG, formula_log(x))
#if SL_TYPE_CODE(SL_TYPE) == SL_TYPE_f16 /* of f32: trigonometry_neon.c */
SL_UNARY_NEON(sin, SL_UNARY_SIN, formula_keep_zero(x, formula_sine_of_half(x, i_set(0))))
SL_UNARY_NEON(cos, SL_UNARY_COS, formula_sine_of_half(x, i_set(1)))
#else /* of halves: powers_f16_neon.c; sigmoids: there and in sigmoid_neon.c */
SL_UNARY_NEON(exp, SL_UNARY_EXP, formula_exp(x))
#endif
SL_UNARY_NEON(tanh, SL_UNARY_TANH, formula_tanh(x))
SL_UNARY_NEON(hardswish, SL_UNARY_HARDSWISH, formula_hardswish(x))
SL_UNARY_NEON(elu, SL_UNARY_ELU, formula_elu(x, p))
SL_UNARY_NEON(leaky_relu, SL_UNARY_LEAKY_RELU, formula_leaky_relu(x, p))
SL_UNARY_NEON(round, SL_UNARY_ROUND, vrndnq_f32(x))
SL_UNARY_NEON(truncate, SL_UNARY_TRUNCATE, vrndq_f32(x))
SL_UNARY_NEON(sign, SL_UNARY_SIGN, formula_sign(x))
SL_UNARY_NEON(gelu_tanh, SL_UNARY_GELU_TANH, formula_gelu_tanh(x))
SL_UNARY_NEON(reciprocal, SL_UNARY_RECIPROCAL, v_div(v_set(1.0f), x))
SL_UNARY_NEON(root, SL_UNARY_ROOT, formula_root(x))
SL_UNARY_NEON(inverse_root, SL_UNARY_INVERSE_ROOT, v_div(v_set(1.0f), formula_root(x)))
SL_UNARY_NEON(expm1, SL_UNARY_EXPM1, formula_expm1(x))
SL_UNARY_NEON(log1p, SL_UNARY_LOG1P, formula_log1p(x))
SL_UNARY_NEON(log2, SL_UNARY_LOG2, formula_log2(x))
SL_UNARY_NEON(log10, SL_UNARY_LOG10, formula_log10(x))
SL_UNARY_NEON(erf, SL_UNARY_ERF, formula_erf(x))
SL_UNARY_NEON(sinh, SL_UNARY_SINH, formula_sinh(x))
SL_UNARY_NEON(cosh, SL_UNARY_COSH, formula_cosh(x))
SL_UNARY_NEON(asinh, SL_UNARY_ASINH, formula_asinh(x))
SL_UNARY_NEON(acosh, SL_UNARY_ACOSH, formula_acosh(x))
SL_UNARY_NEON(atanh, SL_UNARY_ATANH, formula_atanh(x))
SL_UNARY_NEON(asin, SL_UNARY_ASIN, formula_asin(x))
SL_UNARY_NEON(acos, SL_UNARY_ACOS, formula_acos(x))
SL_UNARY_NEON(atan, SL_UNARY_ATAN, formula_atan(x))
