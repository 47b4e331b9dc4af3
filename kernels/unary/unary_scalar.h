/* kernels/unary/unary_scalar.h: portable unary operators by the C library, of the type that the
 * including file names (kernels/cpu/element.h). */
#pragma once

#include <math.h>

#include "kernels/cpu/clamp.h"
#include "kernels/cpu/element.h"
#include "kernels/cpu/isa.h"

#define SL_UNARY_NAME_2(verb, type) sl_unary_##verb##_##type##_##type##_1x1_scalar
#define SL_UNARY_NAME(verb, type) SL_UNARY_NAME_2(verb, type)

/* `expression` of x, a, b. */
#define SL_UNARY_SCALAR(verb, code, expression)                                                    \
    static void run_##verb(size_t count, const SL_ELEMENT *in, SL_ELEMENT *out, float a, float b)  \
    {                                                                                              \
        (void)a;                                                                                   \
        (void)b;                                                                                   \
        for (size_t i = 0; i < count; i++) {                                                       \
            float x = SL_GET(in[i]);                                                               \
            out[i] = SL_PUT(expression);                                                           \
        }                                                                                          \
    }                                                                                              \
    const struct SL_NAME(sl_unary, ) SL_UNARY_NAME(verb, SL_TYPE) = {                              \
        .name = SL_TEXT(SL_UNARY_NAME(verb, SL_TYPE)),                                             \
        .needs = SL_ISA_NONE,                                                                      \
        .op = code,                                                                                \
        .run = run_##verb,                                                                         \
    };

SL_UNARY_SCALAR(clamp, SL_UNARY_CLAMP, sl_clamp(x, a, b))
SL_UNARY_SCALAR(abs, SL_UNARY_ABS, fabsf(x))
SL_UNARY_SCALAR(negate, SL_UNARY_NEGATE, -x)
SL_UNARY_SCALAR(floor, SL_UNARY_FLOOR, floorf(x))
SL_UNARY_SCALAR(ceiling, SL_UNARY_CEILING, ceilf(x))
SL_UNARY_SCALAR(sqrt, SL_UNARY_SQRT, sqrtf(x))
SL_UNARY_SCALAR(rsqrt, SL_UNARY_RSQRT, 1 / sqrtf(x))
SL_UNARY_SCALAR(exp, SL_UNARY_EXP, expf(x))
SL_UNARY_SCALAR(log, SL_UNARY_LOG, logf(x))
SL_UNARY_SCALAR(sin, SL_UNARY_SIN, sinf(x))
SL_UNARY_SCALAR(cos, SL_UNARY_COS, cosf(x))
SL_UNARY_SCALAR(sigmoid, SL_UNARY_SIGMOID, x < 0 ? expf(x) / (1 + expf(x)) : 1 / (1 + expf(-x)))
SL_UNARY_SCALAR(tanh, SL_UNARY_TANH, tanhf(x))
SL_UNARY_SCALAR(hardswish, SL_UNARY_HARDSWISH, x * (1.0f / 6) * sl_clamp(x + 3, 0, 6))
SL_UNARY_SCALAR(gelu, SL_UNARY_GELU, (float)((double)x * 0.5 * erfc((double)-x * sqrt(0.5))))
SL_UNARY_SCALAR(elu, SL_UNARY_ELU, x < 0 ? a * expm1f(x) : x)
SL_UNARY_SCALAR(leaky_relu, SL_UNARY_LEAKY_RELU, x < 0 ? a * x : x)
SL_UNARY_SCALAR(round, SL_UNARY_ROUND, nearbyintf(x))
SL_UNARY_SCALAR(truncate, SL_UNARY_TRUNCATE, truncf(x))
SL_UNARY_SCALAR(sign, SL_UNARY_SIGN, x != x ? x : (float)((x > 0) - (x < 0)))
SL_UNARY_SCALAR(gelu_tanh, SL_UNARY_GELU_TANH,
                (float)((double)x / (1 + exp(-1.5957691216057308 * (double)x *
                                             (1 + 0.044715 * (double)x * (double)x)))))
SL_UNARY_SCALAR(reciprocal, SL_UNARY_RECIPROCAL, 1 / x)
SL_UNARY_SCALAR(root, SL_UNARY_ROOT, powf(x, 0.5f))
SL_UNARY_SCALAR(inverse_root, SL_UNARY_INVERSE_ROOT, powf(x, -0.5f))
SL_UNARY_SCALAR(expm1, SL_UNARY_EXPM1, expm1f(x))
SL_UNARY_SCALAR(log1p, SL_UNARY_LOG1P, log1pf(x))
SL_UNARY_SCALAR(log2, SL_UNARY_LOG2, log2f(x))
SL_UNARY_SCALAR(log10, SL_UNARY_LOG10, log10f(x))
SL_UNARY_SCALAR(erf, SL_UNARY_ERF, erff(x))
SL_UNARY_SCALAR(sinh, SL_UNARY_SINH, sinhf(x))
SL_UNARY_SCALAR(cosh, SL_UNARY_COSH, coshf(x))
SL_UNARY_SCALAR(asinh, SL_UNARY_ASINH, asinhf(x))
SL_UNARY_SCALAR(acosh, SL_UNARY_ACOSH, acoshf(x))
SL_UNARY_SCALAR(atanh, SL_UNARY_ATANH, atanhf(x))
SL_UNARY_SCALAR(asin, SL_UNARY_ASIN, asinf(x))
SL_UNARY_SCALAR(acos, SL_UNARY_ACOS, acosf(x))
SL_UNARY_SCALAR(atan, SL_UNARY_ATAN, atanf(x))
