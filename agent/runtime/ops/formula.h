/* agent/runtime/ops/formula.h: functions of floats without branches, which compilers vectorise. */
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

/* The square root as powf(x, 0.5f) has it. */
static inline float sl_formula_root(float x)
{
    float root = sqrtf(x) + 0.0f; /* -0 becomes 0 */
    return x == -INFINITY ? INFINITY : root;
}

/* log(1 + x) within 1 unit in the last place: with u = 1 + x = 2^e * (1 + f), f in [sqrt(1/2) - 1,
 * sqrt(2) - 1], it is log(1 + f) + e * log(2) and what u lost by rounding, over u. */
static inline float sl_formula_log1p(float x)
{
    const uint32_t low = 0x3f3504f3; /* sqrt(1/2) */
    float u = 1.0f + x, mantissa;
    uint32_t bits;
    memcpy(&bits, &u, sizeof(bits));
    bits -= low;
    int32_t exponent = (int32_t)bits >> 23;
    bits = (bits & 0x7fffff) + low;
    memcpy(&mantissa, &bits, sizeof(mantissa));
    float f = exponent == 0 ? x : mantissa - 1.0f;
    float lost = exponent == 0 ? 0.0f : (x - (u - 1.0f)) / u;
    float e = (float)exponent, z = f * f;
    float p = 7.0376836292e-2f * f - 1.1514610310e-1f;
    p = p * f + 1.1676998740e-1f;
    p = p * f - 1.2420140846e-1f;
    p = p * f + 1.4249322787e-1f;
    p = p * f - 1.6668057665e-1f;
    p = p * f + 2.0000714765e-1f;
    p = p * f - 2.4999993993e-1f;
    p = p * f + 3.3333331174e-1f;
    float tail = p * f * z + (e * -2.12194440e-4f + lost) - 0.5f * z;
    float r = (f + tail) + e * 0.693359375f;
    r = x == INFINITY || x == 0.0f ? x : r;
    r = x == -1.0f ? -INFINITY : r;
    return x >= -1.0f ? r : NAN;
}
