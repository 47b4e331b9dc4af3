/* kernels/binary/binary_neon.c: binary operators, 32 elements at a time. */
#include <math.h>
#include <stdbool.h>

#include "kernels/binary/binary.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon.h"

enum { VECTORS = 8 };

SL_INLINE float32x4_t apply(int op, float32x4_t a, float32x4_t b)
{
    switch (op) {
    case SL_BINARY_ADD:
        return vaddq_f32(a, b);
    case SL_BINARY_SUBTRACT:
        return vsubq_f32(a, b);
    case SL_BINARY_MULTIPLY:
        return vmulq_f32(a, b);
    case SL_BINARY_DIVIDE:
        return vdivq_f32(a, b);
    case SL_BINARY_MAXIMUM:
        return vmaxq_f32(a, b);
    case SL_BINARY_PRELU:
        return vbslq_f32(vcltzq_f32(a), vmulq_f32(a, b), a);
    default:
        return vminq_f32(a, b);
    }
}

/* An operand: `dense`, or one value for all. */
SL_INLINE float32x4_t operand(bool dense, const float *at, size_t i, float32x4_t value,
                              size_t lanes)
{
    return dense ? sl_neon_load(at + i, lanes) : value;
}

SL_INLINE void loop(int op, bool clamp, bool a_dense, bool b_dense,
                    const struct sl_binary_args *args)
{
    const float *a = args->a, *b = args->b;
    float *out = args->out;
    size_t i = 0, count = args->count;
    if (count == 0)
        return;
    float32x4_t a0 = vdupq_n_f32(a[0]), b0 = vdupq_n_f32(b[0]), v[VECTORS];
    float32x4_t min = vdupq_n_f32(args->min), max = vdupq_n_f32(args->max);
    for (; i + 4 * VECTORS <= count; i += 4 * VECTORS) {
        SL_UNROLL
        for (size_t j = 0; j < VECTORS; j++) {
            v[j] = apply(op, operand(a_dense, a, i + 4 * j, a0, 4),
                         operand(b_dense, b, i + 4 * j, b0, 4));
            v[j] = clamp ? sl_neon_clamp(v[j], min, max) : v[j];
        }
        SL_UNROLL
        for (size_t j = 0; j < VECTORS; j++)
            vst1q_f32(out + i + 4 * j, v[j]);
    }
    while (i < count) {
        size_t lanes = count - i < 4 ? count - i : 4;
        v[0] = apply(op, operand(a_dense, a, i, a0, lanes), operand(b_dense, b, i, b0, lanes));
        v[0] = clamp ? sl_neon_clamp(v[0], min, max) : v[0];
        sl_neon_store(out + i, v[0], lanes);
        i += lanes;
    }
}

SL_INLINE void run(int op, const struct sl_binary_args *args)
{
    bool clamp = args->min > -INFINITY || args->max < INFINITY;
    if (args->a_step && args->b_step) {
        if (clamp)
            loop(op, true, true, true, args);
        else
            loop(op, false, true, true, args);
    } else if (args->a_step) {
        loop(op, true, true, false, args);
    } else {
        loop(op, true, false, args->b_step != 0, args);
    }
}

#define SL_BINARY_NEON(verb, code)                                                                 \
    static void verb(const struct sl_binary_args *args)                                            \
    {                                                                                              \
        run(code, args);                                                                           \
    }                                                                                              \
    const struct sl_binary sl_binary_##verb##_f32_f32_f32_1x32_neon = {                            \
        .name = "sl_binary_" #verb "_f32_f32_f32_1x32_neon",                                       \
        .needs = SL_ISA_NEON,                                                                      \
        .op = code,                                                                                \
        .run = verb,                                                                               \
    };

SL_BINARY_NEON(add, SL_BINARY_ADD)
SL_BINARY_NEON(subtract, SL_BINARY_SUBTRACT)
SL_BINARY_NEON(multiply, SL_BINARY_MULTIPLY)
SL_BINARY_NEON(divide, SL_BINARY_DIVIDE)
SL_BINARY_NEON(maximum, SL_BINARY_MAXIMUM)
SL_BINARY_NEON(minimum, SL_BINARY_MINIMUM)
SL_BINARY_NEON(prelu, SL_BINARY_PRELU)
