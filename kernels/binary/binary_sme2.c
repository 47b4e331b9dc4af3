/* kernels/binary/binary_sme2.c: binary operators in streaming mode. With one value for all they are
 * here, four vectors at a time; on two dense operands in binary_dense_sme2_asm.S. */
#include <arm_sme.h>
#include <arm_sve.h>

#include "kernels/binary/binary.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"

typedef svfloat32x4_t quad_t;

/* What every loop below needs, by value so that it stays in registers. */
#define INLINE static inline __attribute__((always_inline))

#define SL_QUAD_BY_VECTOR(verb, intrinsic)                                                         \
    INLINE quad_t quad_##verb(quad_t x, quad_t y) __arm_streaming                                  \
    {                                                                                              \
        svbool_t all = svptrue_b32();                                                              \
        return svcreate4_f32(intrinsic(all, svget4_f32(x, 0), svget4_f32(y, 0)),                   \
                             intrinsic(all, svget4_f32(x, 1), svget4_f32(y, 1)),                   \
                             intrinsic(all, svget4_f32(x, 2), svget4_f32(y, 2)),                   \
                             intrinsic(all, svget4_f32(x, 3), svget4_f32(y, 3)));                  \
    }

SL_QUAD_BY_VECTOR(add, svadd_f32_x)
SL_QUAD_BY_VECTOR(subtract, svsub_f32_x)
SL_QUAD_BY_VECTOR(multiply, svmul_f32_x)
SL_QUAD_BY_VECTOR(divide, svdiv_f32_x)

INLINE svfloat32_t prelu(svbool_t all, svfloat32_t x, svfloat32_t slope) __arm_streaming
{
    return svmul_f32_m(svcmplt_n_f32(all, x, 0), x, slope);
}

SL_QUAD_BY_VECTOR(prelu, prelu)

INLINE quad_t quad_maximum(quad_t x, quad_t y) __arm_streaming
{
    return svmax_f32_x4(x, y);
}

INLINE quad_t quad_minimum(quad_t x, quad_t y) __arm_streaming
{
    return svmin_f32_x4(x, y);
}

INLINE quad_t quad_dup(float x) __arm_streaming
{
    svfloat32_t v = svdup_f32(x);
    return svcreate4_f32(v, v, v, v);
}

INLINE quad_t quad_clamp(quad_t x, svfloat32_t min, svfloat32_t max) __arm_streaming
{
    return svmin_single_f32_x4(svmax_single_f32_x4(x, min), max);
}

/* One loop: `load_a` and `load_b` give a quad by (predicate, pointer, vectors on). */
#define SL_BINARY_LOOP(verb, load_a, load_b)                                                       \
    {                                                                                              \
        for (; count >= 4 * quad; count -= 4 * quad) {                                             \
            svst1_vnum_f32_x4(                                                                     \
                all, out, 0,                                                                       \
                quad_clamp(quad_##verb(load_a(all, a, 0), load_b(all, b, 0)), min, max));          \
            svst1_vnum_f32_x4(                                                                     \
                all, out, 4,                                                                       \
                quad_clamp(quad_##verb(load_a(all, a, 4), load_b(all, b, 4)), min, max));          \
            svst1_vnum_f32_x4(                                                                     \
                all, out, 8,                                                                       \
                quad_clamp(quad_##verb(load_a(all, a, 8), load_b(all, b, 8)), min, max));          \
            svst1_vnum_f32_x4(                                                                     \
                all, out, 12,                                                                      \
                quad_clamp(quad_##verb(load_a(all, a, 12), load_b(all, b, 12)), min, max));        \
            a += args->a_step * 4 * quad;                                                          \
            b += args->b_step * 4 * quad;                                                          \
            out += 4 * quad;                                                                       \
        }                                                                                          \
        for (size_t i = 0; i < count; i += quad) {                                                 \
            svcount_t some = svwhilelt_c32_u64(i, count, 4);                                       \
            quad_t x = load_a(some, a + args->a_step * i, 0);                                      \
            quad_t y = load_b(some, b + args->b_step * i, 0);                                      \
            svst1_f32_x4(some, out + i, quad_clamp(quad_##verb(x, y), min, max));                  \
        }                                                                                          \
    }

#define LOAD(some, from, vectors) svld1_vnum_f32_x4(some, from, vectors)
#define ALWAYS_A(some, from, vectors) one_a
#define ALWAYS_B(some, from, vectors) one_b

#define SL_BINARY_SME2(verb, code)                                                                 \
    void sl_binary_##verb##_sme2_asm(const void *args) __arm_streaming __arm_inout("za");          \
    static void verb##_by_one(const void *pointer) __arm_streaming                                 \
    {                                                                                              \
        const struct sl_binary_args *args = pointer;                                               \
        if (args->count == 0)                                                                      \
            return;                                                                                \
        const float *a = args->a, *b = args->b;                                                    \
        float *out = args->out;                                                                    \
        size_t count = args->count, quad = 4 * svcntw();                                           \
        svcount_t all = svptrue_c32();                                                             \
        svfloat32_t min = svdup_f32(args->min), max = svdup_f32(args->max);                        \
        quad_t one_a = quad_dup(*a), one_b = quad_dup(*b);                                         \
        if (args->a_step == 0)                                                                     \
            SL_BINARY_LOOP(verb, ALWAYS_A, LOAD)                                                   \
        else                                                                                       \
            SL_BINARY_LOOP(verb, LOAD, ALWAYS_B)                                                   \
    }                                                                                              \
    static void run_##verb(const struct sl_binary_args *args)                                      \
    {                                                                                              \
        if (args->a_step && args->b_step)                                                          \
            sl_streaming_run_za(sl_binary_##verb##_sme2_asm, args);                                \
        else                                                                                       \
            sl_streaming_run(verb##_by_one, args);                                                 \
    }                                                                                              \
    const struct sl_binary sl_binary_##verb##_f32_f32_f32_16vl_sme2 = {                            \
        .name = "sl_binary_" #verb "_f32_f32_f32_16vl_sme2",                                       \
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
