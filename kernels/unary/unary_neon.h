/* kernels/unary/unary_neon.h: the clamp, 8 vectors at a time, of the type that the including file
 * names (kernels/cpu/element.h), the kernel KERNEL. */
#pragma once

#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon_vector.h"

enum { VECTORS = 8 };

static void clamp(size_t count, const SL_ELEMENT *in, SL_ELEMENT *out, float a, float b)
{
    vec_t min = v_set(a), max = v_set(b), v[VECTORS];
    for (; count >= LANES * VECTORS;
         count -= LANES * VECTORS, in += LANES * VECTORS, out += LANES * VECTORS) {
        SL_UNROLL
        for (size_t i = 0; i < VECTORS; i++)
            v[i] = v_clamp(v_load(in + LANES * i), min, max);
        SL_UNROLL
        for (size_t i = 0; i < VECTORS; i++)
            v_store(out + LANES * i, v[i]);
        SL_FORGET(in);
        SL_FORGET(out);
    }
    for (; count >= LANES; count -= LANES, in += LANES, out += LANES)
        v_store(out, v_clamp(v_load(in), min, max));
    if (count > 0)
        v_store_some(out, v_clamp(v_load_some(in, count), min, max), count);
}

const struct SL_NAME(sl_unary, ) KERNEL = {
    .name = SL_TEXT(KERNEL),
    .needs = SL_VECTOR_ISA,
    .op = SL_UNARY_CLAMP,
    .run = clamp,
};
