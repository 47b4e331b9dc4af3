/* tests/unit/kernels/unary/exact.h: unary operators by the C library in f64. */
#pragma once

#include <math.h>

#include "kernels/unary/unary.h"

/* `param` is the operator's first parameter. */
static inline double sl_exact_unary(int op, double param, double x)
{
    switch (op) {
    case SL_UNARY_ABS:
        return fabs(x);
    case SL_UNARY_NEGATE:
        return -x;
    case SL_UNARY_FLOOR:
        return floor(x);
    case SL_UNARY_CEILING:
        return ceil(x);
    case SL_UNARY_SQRT:
        return sqrt(x);
    case SL_UNARY_RSQRT:
        return 1 / sqrt(x);
    case SL_UNARY_EXP:
        return exp(x);
    case SL_UNARY_LOG:
        return log(x);
    case SL_UNARY_SIN:
        return sin(x);
    case SL_UNARY_COS:
        return cos(x);
    case SL_UNARY_SIGMOID:
        return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x));
    case SL_UNARY_TANH:
        return tanh(x);
    case SL_UNARY_HARDSWISH:
        return x / 6 * (x < -3 ? 0 : x > 3 ? 6 : x + 3);
    case SL_UNARY_GELU:
        return x * 0.5 * erfc(-x / sqrt(2.0));
    case SL_UNARY_ELU:
        return x < 0 ? param * expm1(x) : x;
    default:
        return x < 0 ? param * x : x;
    }
}
