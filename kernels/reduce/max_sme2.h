/* kernels/reduce/max_sme2.h: the largest of rows and of columns in streaming mode, four vectors at
 * a time; of the type that the including file names (kernels/cpu/element.h), the kernel KERNEL. */
#pragma once

#include <arm_sme.h>
#include <arm_sve.h>

#include "kernels/cpu/element.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"

#if SL_TYPE_CODE(SL_TYPE) == SL_TYPE_f16
#define OF(verb) verb##_f16
#define BITS(verb) verb##16
#define VALUE float16_t
typedef svfloat16_t vec_t;
typedef svfloat16x4_t quad_t;
#define LANES() svcnth()
#define WHILE_LANES(i, end) svwhilelt_b16_u64(i, end)
#define WHILE_QUADS(i, end) svwhilelt_c16_u64(i, end, 4)
#else
#define OF(verb) verb##_f32
#define BITS(verb) verb##32
#define VALUE float
typedef svfloat32_t vec_t;
typedef svfloat32x4_t quad_t;
#define LANES() svcntw()
#define WHILE_LANES(i, end) svwhilelt_b32_u64(i, end)
#define WHILE_QUADS(i, end) svwhilelt_c32_u64(i, end, 4)
#endif
#define JOINED_2(name, end) name##end
#define JOINED(name, end) JOINED_2(name, end)
#define OF_QUAD(verb) JOINED(OF(verb), _x4)
#define OF_M(verb) JOINED(OF(verb), _m)

/* max_sme2_asm.S: rows of at least four vectors. */
void SL_TYPE_NAME(sl_max_rows, _sme2_asm)(const VALUE *in, size_t rows, size_t count,
                                          VALUE *out) __arm_streaming;

static inline __attribute__((always_inline)) quad_t larger(quad_t best, svcount_t some,
                                                           const VALUE *at) __arm_streaming
{
    return OF_QUAD(svmax)(best, OF_QUAD(svld1)(some, at));
}

/* Takes fewer elements than four vectors hold, a vector at a time. */
static VALUE of_few(const VALUE *in, size_t count) __arm_streaming
{
    vec_t best = OF(svdup)(*in);
    for (size_t i = 0; i < count; i += LANES()) {
        svbool_t some = WHILE_LANES(i, count);
        best = OF_M(svmax)(some, best, OF(svld1)(some, in + i));
    }
    return OF(svmaxv)(BITS(svptrue_b)(), best);
}

static void of_rows(const VALUE *in, size_t rows, size_t count, VALUE *out) __arm_streaming
{
    if (rows > 0 && count >= 4 * LANES())
        SL_TYPE_NAME(sl_max_rows, _sme2_asm)(in, rows, count, out);
    else
        for (size_t o = 0; o < rows; o++)
            out[o] = of_few(in + o * count, count);
}

/* Takes up to four vectors of columns. */
static void of_columns(svcount_t some, const VALUE *in, size_t count, size_t step,
                       VALUE *out) __arm_streaming
{
    quad_t best = OF_QUAD(svld1)(some, in);
    for (in += step, count--; count >= 4; count -= 4, in += 4 * step) {
        best = larger(best, some, in);
        best = larger(best, some, in + step);
        best = larger(best, some, in + 2 * step);
        best = larger(best, some, in + 3 * step);
    }
    for (; count > 0; count--, in += step)
        best = larger(best, some, in);
    OF_QUAD(svst1)(some, out, best);
}

static void body(const void *pointer) __arm_streaming
{
    const struct SL_NAME(sl_reduce, _args) *args = pointer;
    size_t inner = args->inner, count = args->reduced, quad = 4 * LANES();
    const VALUE *in = (const VALUE *)(const void *)args->in;
    VALUE *out = (VALUE *)(void *)args->out;
    if (inner == 1) {
        of_rows(in, args->outer, count, out);
        return;
    }
    for (size_t o = 0; o < args->outer; o++, in += count * inner, out += inner)
        for (size_t i = 0; i < inner; i += quad)
            of_columns(WHILE_QUADS(i, inner), in + i, count, inner, out + i);
}

static void run(const struct SL_NAME(sl_reduce, _args) * args)
{
    sl_streaming_run(body, args);
}

const struct SL_NAME(sl_reduce, ) KERNEL = {
    .name = SL_TEXT(KERNEL),
    .needs = SL_ISA_SME2,
    .op = SL_REDUCE_MAX,
    .run = run,
};
