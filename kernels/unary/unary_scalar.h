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
