/* kernels/binary/binary_neon.c: binary operators, 32 elements at a time, six times a turn. */
#include <math.h>
#include <stdbool.h>

#include "kernels/binary/binary.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon.h"

enum { VECTORS = 8, LONG_TURN = 48 }; /* as far as the offsets of paired loads reach */

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

/* What a loop keeps in registers; a pointer to one value is not moved on. */
struct stream {
    const float *a, *b;
    float *out;
    float32x4_t a0, b0, min, max;
};

/* Vectors first .. first + VECTORS. */
SL_INLINE void vectors_from(size_t first, int op, bool clamp, bool a_dense, bool b_dense,
                            const struct stream *s)
{
    float32x4_t v[VECTORS];
    SL_UNROLL
    for (size_t j = 0; j < VECTORS; j++) {
        size_t i = 4 * (first + j);
        v[j] = apply(op, operand(a_dense, s->a, i, s->a0, 4), operand(b_dense, s->b, i, s->b0, 4));
        v[j] = clamp ? sl_neon_clamp(v[j], s->min, s->max) : v[j];
    }
    SL_UNROLL
    for (size_t j = 0; j < VECTORS; j++)
        vst1q_f32(s->out + 4 * (first + j), v[j]);
}

SL_INLINE void move_on(bool a_dense, bool b_dense, size_t elements, struct stream *s)
{
    s->a += a_dense ? elements : 0;
    s->b += b_dense ? elements : 0;
    s->out += elements;
    SL_FORGET(s->a);
    SL_FORGET(s->b);
    SL_FORGET(s->out);
}

SL_INLINE void loop(int op, bool clamp, bool a_dense, bool b_dense,
                    const struct sl_binary_args *args)
{
    size_t count = args->count;
    if (count == 0)
        return;
    struct stream s = {args->a,
                       args->b,
                       args->out,
                       vdupq_n_f32(args->a[0]),
                       vdupq_n_f32(args->b[0]),
                       vdupq_n_f32(args->min),
                       vdupq_n_f32(args->max)};
    for (size_t turns = count / (4 * LONG_TURN); turns > 0; turns--) {
        SL_UNROLL
        for (size_t first = 0; first < LONG_TURN; first += VECTORS)
            vectors_from(first, op, clamp, a_dense, b_dense, &s);
        move_on(a_dense, b_dense, 4 * LONG_TURN, &s);
    }
    count %= 4 * LONG_TURN;
    for (; count >= 4 * VECTORS; count -= 4 * VECTORS) {
        vectors_from(0, op, clamp, a_dense, b_dense, &s);
        move_on(a_dense, b_dense, 4 * VECTORS, &s);
    }
    for (size_t i = 0; i < count;) {
        size_t lanes = count - i < 4 ? count - i : 4;
        float32x4_t v =
            apply(op, operand(a_dense, s.a, i, s.a0, lanes), operand(b_dense, s.b, i, s.b0, lanes));
        sl_neon_store(s.out + i, clamp ? sl_neon_clamp(v, s.min, s.max) : v, lanes);
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
