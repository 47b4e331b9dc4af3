/* kernels/binary/binary_sme2.h: binary operators in streaming mode, of the type that the including
 * file names (kernels/cpu/element.h), the kernels KERNEL(verb). With one value for all they are
 * here, four vectors at a time; on two dense operands in assembly, FUNCTION(verb), see
 * binary_dense_sme2_asm.inc. */
#pragma once

#include <arm_sme.h>
#include <arm_sve.h>

#include "kernels/cpu/element.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"

#if SL_TYPE_CODE(SL_TYPE) == SL_TYPE_f16
#define Q(before, after) before##f16##after
#define WHILE svwhilelt_c16_u64
#define ALL_COUNT svptrue_c16
#define ALL_LANES svptrue_b16
#define WIDTH svcnth
typedef svfloat16_t vec_t;
typedef svfloat16x4_t quad_t;
typedef float16_t number_t;
#else
#define Q(before, after) before##f32##after
#define WHILE svwhilelt_c32_u64
#define ALL_COUNT svptrue_c32
#define ALL_LANES svptrue_b32
#define WIDTH svcntw
typedef svfloat32_t vec_t;
typedef svfloat32x4_t quad_t;
typedef float number_t;
#endif

/* What every loop below needs, by value so that it stays in registers. */
#define INLINE static inline __attribute__((always_inline))

#define SL_QUAD_BY_VECTOR(verb, intrinsic)                                                         \
    INLINE quad_t quad_##verb(quad_t x, quad_t y) __arm_streaming                                  \
    {                                                                                              \
        svbool_t all = ALL_LANES();                                                                \
        return Q(svcreate4_, )(intrinsic(all, Q(svget4_, )(x, 0), Q(svget4_, )(y, 0)),             \
                               intrinsic(all, Q(svget4_, )(x, 1), Q(svget4_, )(y, 1)),             \
                               intrinsic(all, Q(svget4_, )(x, 2), Q(svget4_, )(y, 2)),             \
                               intrinsic(all, Q(svget4_, )(x, 3), Q(svget4_, )(y, 3)));            \
    }

SL_QUAD_BY_VECTOR(add, Q(svadd_, _x))
SL_QUAD_BY_VECTOR(subtract, Q(svsub_, _x))
SL_QUAD_BY_VECTOR(multiply, Q(svmul_, _x))
SL_QUAD_BY_VECTOR(divide, Q(svdiv_, _x))

INLINE vec_t prelu(svbool_t all, vec_t x, vec_t slope) __arm_streaming
{
    return Q(svmul_, _m)(Q(svcmplt_n_, )(all, x, 0), x, slope);
}

SL_QUAD_BY_VECTOR(prelu, prelu)

/* 1 where the comparison holds, else 0. */
#define SL_QUAD_BY_COMPARISON(verb, intrinsic)                                                     \
    INLINE vec_t verb(svbool_t all, vec_t x, vec_t y) __arm_streaming                              \
    {                                                                                              \
        return Q(svsel_, )(intrinsic(all, x, y), Q(svdup_, )(1), Q(svdup_, )(0));                  \
    }                                                                                              \
    SL_QUAD_BY_VECTOR(verb, verb)

SL_QUAD_BY_COMPARISON(equal, Q(svcmpeq_, ))
SL_QUAD_BY_COMPARISON(unequal, Q(svcmpne_, ))
SL_QUAD_BY_COMPARISON(less, Q(svcmplt_, ))
SL_QUAD_BY_COMPARISON(atmost, Q(svcmple_, ))

INLINE vec_t keep(svbool_t all, vec_t x, vec_t y) __arm_streaming
{
    return Q(svsel_, )(Q(svcmpne_n_, )(all, x, 0), y, Q(svdup_, )((number_t)-0.0f));
}

INLINE vec_t drop(svbool_t all, vec_t x, vec_t y) __arm_streaming
{
    return Q(svsel_, )(Q(svcmpeq_n_, )(all, x, 0), y, Q(svdup_, )((number_t)-0.0f));
}

SL_QUAD_BY_VECTOR(keep, keep)
SL_QUAD_BY_VECTOR(drop, drop)

INLINE quad_t quad_maximum(quad_t x, quad_t y) __arm_streaming
{
    return Q(svmax_, _x4)(x, y);
}

INLINE quad_t quad_minimum(quad_t x, quad_t y) __arm_streaming
{
    return Q(svmin_, _x4)(x, y);
}

INLINE quad_t quad_dup(number_t x) __arm_streaming
{
    vec_t v = Q(svdup_, )(x);
    return Q(svcreate4_, )(v, v, v, v);
}

INLINE quad_t quad_clamp(quad_t x, vec_t min, vec_t max) __arm_streaming
{
    return Q(svmin_single_, _x4)(Q(svmax_single_, _x4)(x, min), max);
}

/* One loop: `load_a` and `load_b` give a quad by (predicate, pointer, vectors on). */
#define SL_BINARY_LOOP(verb, load_a, load_b)                                                       \
    {                                                                                              \
        for (; count >= 4 * quad; count -= 4 * quad) {                                             \
            Q(svst1_vnum_,                                                                         \
              _x4)(all, out, 0,                                                                    \
                   quad_clamp(quad_##verb(load_a(all, a, 0), load_b(all, b, 0)), min, max));       \
            Q(svst1_vnum_,                                                                         \
              _x4)(all, out, 4,                                                                    \
                   quad_clamp(quad_##verb(load_a(all, a, 4), load_b(all, b, 4)), min, max));       \
            Q(svst1_vnum_,                                                                         \
              _x4)(all, out, 8,                                                                    \
                   quad_clamp(quad_##verb(load_a(all, a, 8), load_b(all, b, 8)), min, max));       \
            Q(svst1_vnum_,                                                                         \
              _x4)(all, out, 12,                                                                   \
                   quad_clamp(quad_##verb(load_a(all, a, 12), load_b(all, b, 12)), min, max));     \
            a += args->a_step * 4 * quad;                                                          \
            b += args->b_step * 4 * quad;                                                          \
            out += 4 * quad;                                                                       \
        }                                                                                          \
        for (size_t i = 0; i < count; i += quad) {                                                 \
            svcount_t some = WHILE(i, count, 4);                                                   \
            quad_t x = load_a(some, a + args->a_step * i, 0);                                      \
            quad_t y = load_b(some, b + args->b_step * i, 0);                                      \
            Q(svst1_, _x4)(some, out + i, quad_clamp(quad_##verb(x, y), min, max));                \
        }                                                                                          \
    }

#define LOAD(some, from, vectors) Q(svld1_vnum_, _x4)(some, from, vectors)
#define ALWAYS_A(some, from, vectors) one_a
#define ALWAYS_B(some, from, vectors) one_b

#define SL_BINARY_SME2(verb, code)                                                                 \
    void FUNCTION(verb)(const void *args) __arm_streaming __arm_inout("za");                       \
    static void verb##_by_one(const void *pointer) __arm_streaming                                 \
    {                                                                                              \
        const struct SL_NAME(sl_binary, _args) *args = pointer;                                    \
        if (args->count == 0)                                                                      \
            return;                                                                                \
        const number_t *a = (const void *)args->a, *b = (const void *)args->b;                     \
        number_t *out = (void *)args->out;                                                         \
        size_t count = args->count, quad = 4 * WIDTH();                                            \
        svcount_t all = ALL_COUNT();                                                               \
        vec_t min = Q(svdup_, )((number_t)args->min), max = Q(svdup_, )((number_t)args->max);      \
        quad_t one_a = quad_dup(*a), one_b = quad_dup(*b);                                         \
        if (args->a_step == 0)                                                                     \
            SL_BINARY_LOOP(verb, ALWAYS_A, LOAD)                                                   \
        else                                                                                       \
            SL_BINARY_LOOP(verb, LOAD, ALWAYS_B)                                                   \
    }                                                                                              \
    static void run_##verb(const struct SL_NAME(sl_binary, _args) * args)                          \
    {                                                                                              \
        if (args->a_step && args->b_step)                                                          \
            sl_streaming_run_za(FUNCTION(verb), args);                                             \
        else                                                                                       \
            sl_streaming_run(verb##_by_one, args);                                                 \
    }                                                                                              \
    const struct SL_NAME(sl_binary, ) KERNEL(verb) = {                                             \
        .name = SL_TEXT(KERNEL(verb)),                                                             \
        .needs = SL_ISA_SME2,                                                                      \
        .op = code,                                                                                \
        .run = run_##verb,                                                                         \
    };

SL_BINARY_SME2(add, SL_BINARY_ADD)
SL_BINARY_SME2(subtract, SL_BINARY_SUBTRACT)
SL_BINARY_SME2(multiply, SL_BINARY_MULTIPLY)
SL_BINARY_SME2(divide, SL_BINARY_DIVIDE)
SL_BINARY_SME2(maximum, SL_BINARY_MAXIMUM)
SL_BINARY_SME2(minimum, SL_BINARY_MINIMUM)
SL_BINARY_SME2(prelu, SL_BINARY_PRELU)
SL_BINARY_SME2(equal, SL_BINARY_EQUAL)
SL_BINARY_SME2(unequal, SL_BINARY_UNEQUAL)
SL_BINARY_SME2(less, SL_BINARY_LESS)
SL_BINARY_SME2(atmost, SL_BINARY_ATMOST)
SL_BINARY_SME2(keep, SL_BINARY_KEEP)
SL_BINARY_SME2(drop, SL_BINARY_DROP)
