/* tests/unit/kernels/unary/exact.h: unary operators by the C library in f64. */
#pragma once

#include <math.h>

#include "kernels/unary/unary.h"

/* Those that the library has by themselves. */
static inline double (*sl_exact_function(int op))(double)
{
    static double (*const functions[SL_UNARY_OP_END])(double) = {
        [SL_UNARY_ABS] = fabs,        [SL_UNARY_FLOOR] = floor,    [SL_UNARY_CEILING] = ceil,
        [SL_UNARY_ROUND] = nearbyint, [SL_UNARY_TRUNCATE] = trunc, [SL_UNARY_SQRT] = sqrt,
        [SL_UNARY_EXP] = exp,         [SL_UNARY_LOG] = log,        [SL_UNARY_SIN] = sin,
        [SL_UNARY_COS] = cos,         [SL_UNARY_TANH] = tanh,      [SL_UNARY_EXPM1] = expm1,
        [SL_UNARY_LOG1P] = log1p,     [SL_UNARY_LOG2] = log2,      [SL_UNARY_LOG10] = log10,
        [SL_UNARY_ERF] = erf,         [SL_UNARY_SINH] = sinh,      [SL_UNARY_COSH] = cosh,
        [SL_UNARY_ASINH] = asinh,     [SL_UNARY_ACOSH] = acosh,    [SL_UNARY_ATANH] = atanh,
        [SL_UNARY_ASIN] = asin,       [SL_UNARY_ACOS] = acos,      [SL_UNARY_ATAN] = atan,
    };
    return functions[op];
}

/* `param` is the operator's first parameter. */
static inline double sl_exact_unary(int op, double param, double x)
{
    if (sl_exact_function(op))
        return sl_exact_function(op)(x);
    switch (op) {
    case SL_UNARY_NEGATE:
        return -x;
    case SL_UNARY_SIGN:
        return isnan(x) ? x : (x > 0) - (x < 0);
    case SL_UNARY_RSQRT:
        return 1 / sqrt(x);
    case SL_UNARY_SIGMOID:
        return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x));
    case SL_UNARY_HARDSWISH:
        return x / 6 * (x < -3 ? 0 : x > 3 ? 6 : x + 3);
    case SL_UNARY_GELU:
        return x * 0.5 * erfc(-x / sqrt(2.0));
    case SL_UNARY_GELU_TANH:
        return x / (1 + exp(-1.5957691216057308 * (x + 0.044715 * x * x * x)));
    case SL_UNARY_RECIPROCAL:
        return 1 / x;
    case SL_UNARY_ROOT:
        return pow(x, 0.5);
    case SL_UNARY_INVERSE_ROOT:
        return pow(x, -0.5);
    case SL_UNARY_ELU:
        return x < 0 ? param * expm1(x) : x;
    default:
        return x < 0 ? param * x : x;
    }
}
