/* kernels/unary/unary_qs8_table.c: functions of quantised values as tables. Nothing is fused, as
 * nothing is in XNNPACK. */
#include <math.h>
#include <stdbool.h>

#include "kernels/cpu/clamp.h"
#include "kernels/unary/unary_qs8.h"

#pragma STDC FP_CONTRACT OFF

static float sigmoid(float x)
{
    double e = exp((double)sl_clamp(x, -100, 100)); /* beyond, f32 has 0 and 1 */
    return (float)(e / (1 + e));
}

static float gelu(float x)
{
    double half = x / 2;
    return (float)(half * (1 + erf((double)x * sqrt(2.0) / 2)));
}

/* The functions of f32 that need no parameter; NULL for others. */
static float (*plain(int op))(float)
{
    static float (*const functions[SL_UNARY_OP_END])(float) = {
        [SL_UNARY_ABS] = fabsf,       [SL_UNARY_FLOOR] = floorf, [SL_UNARY_CEILING] = ceilf,
        [SL_UNARY_SQRT] = sqrtf,      [SL_UNARY_EXP] = expf,     [SL_UNARY_LOG] = logf,
        [SL_UNARY_SIN] = sinf,        [SL_UNARY_COS] = cosf,     [SL_UNARY_TANH] = tanhf,
        [SL_UNARY_SIGMOID] = sigmoid, [SL_UNARY_GELU] = gelu,
    };
    return op < SL_UNARY_OP_END ? functions[op] : NULL;
}

static float apply(const struct sl_unary_qs8_function *f, float x)
{
    float (*function)(float) = plain(f->op);
    if (function)
        return function(x);
    switch (f->op) {
    case SL_UNARY_CLAMP:
        return sl_clamp(x, f->a, f->b);
    case SL_UNARY_NEGATE:
        return -x;
    case SL_UNARY_RSQRT:
        return 1 / sqrtf(x);
    case SL_UNARY_HARDSWISH:
        return x / 6 * sl_clamp(x + 3, 0, 6);
    case SL_UNARY_ELU:
        return x < 0 ? f->a * expm1f(x) : x;
    default: /* SL_UNARY_QS8_SQUARE */
        return x * x;
    }
}

/* A NaN becomes 0, the raw value. */
static int8_t quantised(const struct sl_unary_qs8_function *f, float y)
{
    float inverse = 1.0f / f->out_scale, product = y * inverse, q = product + (float)f->out_zero;
    return isnan(q) ? 0 : (int8_t)sl_clamp(rintf(q), -128, 127);
}

/* out_zero + (x - in_zero) * m / 256, ties up. */
static int8_t scaled(const struct sl_unary_qs8_function *f, int32_t distance, int32_t multiplier)
{
    int32_t y = (distance * multiplier + 128 + f->out_zero * 256) >> 8;
    return (int8_t)(y < -128 ? -128 : y > 127 ? 127 : y);
}

/* Multipliers for values above and below the zero point. 0, -1 when out of range. */
static int multipliers(const struct sl_unary_qs8_function *f, int32_t *above, int32_t *below)
{
    float ratio = f->in_scale / f->out_scale;
    float other = f->op == SL_UNARY_LEAKY_RELU ? ratio * f->a : ratio;
    if (!(ratio >= 0x1p-8f && ratio <= 0x1p+7f && fabsf(other) >= 0x1p-8f && other <= 0x1p+7f &&
          other >= -0x1.fffcp+6f))
        return -1;
    *above = (int32_t)lrintf(256 * ratio);
    *below = (int32_t)lrintf(256 * other);
    return 0;
}

int sl_unary_qs8_table(const struct sl_unary_qs8_function *f, int8_t *table)
{
    bool fixed = f->op == SL_UNARY_QS8_CONVERT || f->op == SL_UNARY_LEAKY_RELU;
    int32_t above = 0, below = 0;
    if (fixed && multipliers(f, &above, &below) < 0)
        return -1;
    for (int32_t x = -128; x < 128; x++) {
        int32_t distance = x - f->in_zero;
        table[(uint8_t)x] =
            fixed ? scaled(f, distance, distance < 0 ? below : above)
                  : quantised(f, apply(f, ((float)x - (float)f->in_zero) * f->in_scale));
    }
    return 0;
}
