/* kernels/unary/unary.h: y[i] = f(x[i]) in f32 or half precision. In place is allowed (out == in).
 *
 * Halves are computed in f32 and rounded once: over all 65,536 of them no kernel is more than 0.51
 * ulp from the exact result, GELU among them, but hard-swish in SME2 and in NEON that computes with
 * halves, which is 2.2: it rounds thrice, to the bit as XNNPACK does. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/element.h"

enum sl_unary_op {
    SL_UNARY_CLAMP, /* min(max(x, a), b); a NaN stays */
    SL_UNARY_ABS,
    SL_UNARY_NEGATE,
    SL_UNARY_FLOOR,
    SL_UNARY_CEILING,
    SL_UNARY_ROUND, /* ties to even */
    SL_UNARY_TRUNCATE,
    SL_UNARY_SIGN, /* -1, 0 or 1; a NaN stays */
    SL_UNARY_SQRT,
    SL_UNARY_RSQRT, /* 1 / sqrt(x) */
    SL_UNARY_EXP,
    SL_UNARY_LOG,
    SL_UNARY_SIN,
    SL_UNARY_COS,
    SL_UNARY_SIGMOID,
    SL_UNARY_TANH,
    SL_UNARY_HARDSWISH,  /* x / 6 * min(max(x + 3, 0), 6) */
    SL_UNARY_GELU,       /* x / 2 * (1 + erf(x / sqrt 2)) */
    SL_UNARY_ELU,        /* x < 0 ? a * (e^x - 1) : x */
    SL_UNARY_LEAKY_RELU, /* x < 0 ? a * x : x */
    SL_UNARY_GELU_TANH,  /* x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))) */
    SL_UNARY_RECIPROCAL,
    SL_UNARY_ROOT,         /* x^(1/2): the square root, but 0 of -0 and inf of -inf */
    SL_UNARY_INVERSE_ROOT, /* x^(-1/2): 1 over that */
    SL_UNARY_EXPM1,        /* e^x - 1 */
    SL_UNARY_LOG1P,        /* log(1 + x) */
    SL_UNARY_LOG2,
    SL_UNARY_LOG10,
    SL_UNARY_ERF,
    SL_UNARY_SINH,
    SL_UNARY_COSH,
    SL_UNARY_ASINH,
    SL_UNARY_ACOSH,
    SL_UNARY_ATANH,
    SL_UNARY_ASIN,
    SL_UNARY_ACOS,
    SL_UNARY_ATAN,
    SL_UNARY_OP_END
};

struct sl_unary {
    const char *name;
    uint32_t needs;
    int element; /* enum sl_element: the type of what goes in and out */
    int op;      /* enum sl_unary_op */
    void (*run)(size_t count, const void *in, void *out, float a, float b);
};

const struct sl_unary *sl_unary_select(uint32_t isa, int element, int op);
const struct sl_unary *sl_unary_at(size_t i);

/* Every kernel is an object of its own name; the list says which there are. */
#define SL_KERNEL(kernel) extern const struct sl_unary kernel;
#include "kernels/unary/unary.inc"
#undef SL_KERNEL

/* One kernel, in a template. */
#define SL_UNARY_KERNEL(kernel, isa, code, function)                                               \
    const struct sl_unary kernel = {                                                               \
        .name = SL_TEXT(kernel),                                                                   \
        .needs = isa,                                                                              \
        .element = SL_TYPE_ELEMENT,                                                                \
        .op = code,                                                                                \
        .run = function,                                                                           \
    };

/* How far the kernel's results are from the exact ones at most, in units in the last place of f32:
 * measured on a dense sweep (a million floats of either sign, wherever the function does something)
 * and rounded up, and what the test of the family holds it to; `sme2lab kernels bench` prints it.
 * Rounding alone is 0.5. In SME2, NEON and portable C: exp 1.1, 1.1, 1; log 1.3, 1.3, 1; sine and
 * cosine 1.6, 1.6, 1; rsqrt 1.5; sigmoid and hard-swish 2.4; tanh 2.9, 2.8, 2.2; GELU 4, 3.9, 0.6;
 * elu 1.7, 2, 1.5; asin 1.7, acos 1.2, atan 2.2, sinh 2.1, cosh 1.9, asinh 1.4, acosh 2, atanh 1.8,
 * expm1 1.3, erf 1.1, log10 1.7, log1p and log2 1; GELU by tanh 130 where it is near zero (23 above
 * -5), 0.6 in portable C; others 0.51, and those that only choose, round or change signs 0. In
 * NEON, GELU and sigmoid are zero where no normal number is the result, and GELU by tanh in SME2
 * too below 1e-36, which is not counted. For halves it is over all of them, in their units. */
double sl_unary_most_ulp(const struct sl_unary *kernel);
