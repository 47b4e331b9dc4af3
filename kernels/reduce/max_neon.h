/* kernels/reduce/max_neon.h: the largest of rows and of columns, of the type that the including
 * file names (kernels/cpu/element.h), the kernel KERNEL. */
#pragma once

#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon_vector.h"

enum { VECTORS = 4 };

SL_INLINE vec_t larger(vec_t a, vec_t b)
{
    return V(vmaxq)(a, b);
}

/* Takes at least a vector; the last one may take some elements again. */
static SL_ELEMENT of_row(const SL_ELEMENT *in, size_t count)
{
    const SL_ELEMENT *last = in + count - LANES;
    vec_t best[VECTORS];
    SL_UNROLL
    for (size_t j = 0; j < VECTORS; j++)
        best[j] = v_load(last);
    for (size_t turns = count / (4 * VECTORS * LANES); turns > 0; turns--) {
        SL_UNROLL
        for (size_t j = 0; j < 4 * VECTORS; j++)
            best[j % VECTORS] = larger(best[j % VECTORS], v_load(in + LANES * j));
        in += 4 * VECTORS * LANES;
        SL_FORGET(in);
    }
    for (; in < last; in += LANES)
        best[0] = larger(best[0], v_load(in));
    best[0] = larger(larger(best[0], best[1]), larger(best[2], best[3]));
    return SL_PUT((float)V(vmaxvq)(best[0]));
}

/* Takes at most a vector, element by element. */
static SL_ELEMENT of_few(const SL_ELEMENT *in, size_t count)
{
    float best = SL_GET(*in);
    for (size_t i = 1; i < count; i++) {
        float value = SL_GET(in[i]);
        best = !(best == best) || value <= best ? best : value;
    }
    return SL_PUT(best);
}

/* Takes `vectors` vectors of columns, or some lanes of one, that lie `step` elements apart. */
SL_INLINE void of_columns(size_t vectors, size_t lanes, const SL_ELEMENT *in, size_t count,
                          size_t step, SL_ELEMENT *out)
{
    vec_t best[VECTORS];
    SL_UNROLL
    for (size_t j = 0; j < vectors; j++)
        best[j] = v_load_some(in + LANES * j, lanes);
    while (--count > 0) {
        in += step;
        SL_UNROLL
        for (size_t j = 0; j < vectors; j++)
            best[j] = larger(best[j], v_load_some(in + LANES * j, lanes));
    }
    SL_UNROLL
    for (size_t j = 0; j < vectors; j++)
        v_store_some(out + LANES * j, best[j], lanes);
}

static void run(const struct SL_NAME(sl_reduce, _args) * args)
{
    size_t inner = args->inner, count = args->reduced;
    const SL_ELEMENT *in = args->in;
    SL_ELEMENT *out = args->out;
    for (size_t o = 0; o < args->outer; o++, in += count * inner, out += inner) {
        size_t i = 0;
        if (inner == 1) {
            *out = count >= LANES ? of_row(in, count) : of_few(in, count);
            continue;
        }
        for (; i + VECTORS * LANES <= inner; i += VECTORS * LANES)
            of_columns(VECTORS, LANES, in + i, count, inner, out + i);
        for (; i + LANES <= inner; i += LANES)
            of_columns(1, LANES, in + i, count, inner, out + i);
        if (i < inner)
            of_columns(1, inner - i, in + i, count, inner, out + i);
    }
}

const struct SL_NAME(sl_reduce, ) KERNEL = {
    .name = SL_TEXT(KERNEL),
    .needs = SL_VECTOR_ISA,
    .op = SL_REDUCE_MAX,
    .run = run,
};
