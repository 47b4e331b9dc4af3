/* kernels/binary/binary_neon.h: binary operators, 8 vectors at a time, six times a turn; of the
 * type that the including file names (kernels/cpu/element.h), the kernels KERNEL(verb). */
#pragma once

#include <math.h>
#include <stdbool.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon_vector.h"

enum { VECTORS = 8, LONG_TURN = 48 }; /* as far as the offsets of paired loads reach */

SL_INLINE vec_t apply(int op, vec_t a, vec_t b)
{
    switch (op) {
    case SL_BINARY_ADD:
        return V(vaddq)(a, b);
    case SL_BINARY_SUBTRACT:
        return V(vsubq)(a, b);
    case SL_BINARY_MULTIPLY:
        return V(vmulq)(a, b);
    case SL_BINARY_DIVIDE:
        return V(vdivq)(a, b);
    case SL_BINARY_MAXIMUM:
        return V(vmaxq)(a, b);
    case SL_BINARY_PRELU:
        return V(vbslq)(V(vcltzq)(a), V(vmulq)(a, b), a);
    case SL_BINARY_KEEP:
        return V(vbslq)(V(vceqzq)(a), v_set(-0.0f), b);
    case SL_BINARY_DROP:
        return V(vbslq)(V(vceqzq)(a), b, v_set(-0.0f));
    case SL_BINARY_EQUAL:
        return V(vbslq)(V(vceqq)(a, b), v_set(1), v_set(0));
    case SL_BINARY_UNEQUAL:
        return V(vbslq)(V(vceqq)(a, b), v_set(0), v_set(1));
    case SL_BINARY_LESS:
        return V(vbslq)(V(vcltq)(a, b), v_set(1), v_set(0));
    case SL_BINARY_ATMOST:
        return V(vbslq)(V(vcleq)(a, b), v_set(1), v_set(0));
    default:
        return V(vminq)(a, b);
    }
}

/* An operand: `dense`, or one value for all. */
SL_INLINE vec_t operand(bool dense, const SL_ELEMENT *at, size_t i, vec_t value, size_t lanes)
{
    return dense ? v_load_some(at + i, lanes) : value;
}

/* What a loop keeps in registers; a pointer to one value is not moved on. */
struct stream {
    const SL_ELEMENT *a, *b;
    SL_ELEMENT *out;
    vec_t a0, b0, min, max;
};

/* Vectors first .. first + VECTORS. */
SL_INLINE void vectors_from(size_t first, int op, bool clamp, bool a_dense, bool b_dense,
                            const struct stream *s)
{
    vec_t v[VECTORS];
    SL_UNROLL
    for (size_t j = 0; j < VECTORS; j++) {
        size_t i = LANES * (first + j);
        v[j] = apply(op, operand(a_dense, s->a, i, s->a0, LANES),
                     operand(b_dense, s->b, i, s->b0, LANES));
        v[j] = clamp ? v_clamp(v[j], s->min, s->max) : v[j];
    }
    SL_UNROLL
    for (size_t j = 0; j < VECTORS; j++)
        v_store(s->out + LANES * (first + j), v[j]);
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
                    const struct SL_NAME(sl_binary, _args) * args)
{
    size_t count = args->count;
    if (count == 0)
        return;
    struct stream s = {
        args->a,          args->b,         args->out, v_load_dup(args->a), v_load_dup(args->b),
        v_set(args->min), v_set(args->max)};
    for (size_t turns = count / (LANES * LONG_TURN); turns > 0; turns--) {
        SL_UNROLL
        for (size_t first = 0; first < LONG_TURN; first += VECTORS)
            vectors_from(first, op, clamp, a_dense, b_dense, &s);
        move_on(a_dense, b_dense, LANES * LONG_TURN, &s);
    }
    count %= LANES * LONG_TURN;
    for (; count >= LANES * VECTORS; count -= LANES * VECTORS) {
        vectors_from(0, op, clamp, a_dense, b_dense, &s);
        move_on(a_dense, b_dense, LANES * VECTORS, &s);
    }
    for (size_t i = 0; i < count;) {
        size_t lanes = count - i < LANES ? count - i : LANES;
        vec_t v =
            apply(op, operand(a_dense, s.a, i, s.a0, lanes), operand(b_dense, s.b, i, s.b0, lanes));
        v_store_some(s.out + i, clamp ? v_clamp(v, s.min, s.max) : v, lanes);
        i += lanes;
    }
}

SL_INLINE void run(int op, const struct SL_NAME(sl_binary, _args) * args)
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
    static void verb(const struct SL_NAME(sl_binary, _args) * args)                                \
    {                                                                                              \
        run(code, args);                                                                           \
    }                                                                                              \
    const struct SL_NAME(sl_binary, ) KERNEL(verb) = {                                             \
        .name = SL_TEXT(KERNEL(verb)),                                                             \
        .needs = SL_VECTOR_ISA,                                                                    \
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
SL_BINARY_NEON(equal, SL_BINARY_EQUAL)
SL_BINARY_NEON(unequal, SL_BINARY_UNEQUAL)
SL_BINARY_NEON(less, SL_BINARY_LESS)
SL_BINARY_NEON(atmost, SL_BINARY_ATMOST)
SL_BINARY_NEON(keep, SL_BINARY_KEEP)
SL_BINARY_NEON(drop, SL_BINARY_DROP)
