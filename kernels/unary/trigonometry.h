/* kernels/unary/trigonometry.h: the kernels of sine and cosine of f32 for an engine, whose file
 * defines KERNEL(verb), NEEDS and before them run(), the sine of x + quarters * pi/2. */
#pragma once

#define SL_TYPE f32
#include "kernels/cpu/type.inc"
#include "kernels/unary/unary.h"

#define SL_TRIGONOMETRY(verb, code, quarters)                                                      \
    static void verb##_of(size_t count, const void *in, void *out, float a, float b)               \
    {                                                                                              \
        (void)a;                                                                                   \
        (void)b;                                                                                   \
        run(count, in, out, quarters);                                                             \
    }                                                                                              \
    SL_UNARY_KERNEL(KERNEL(verb), NEEDS, code, verb##_of)

SL_TRIGONOMETRY(sin, SL_UNARY_SIN, 0)
SL_TRIGONOMETRY(cos, SL_UNARY_COS, 1)
