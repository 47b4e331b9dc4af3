/* kernels/layout/resize_neon.h: bilinear resizing by vectors of channels, in the arithmetic of the
 * type that the including file names (kernels/cpu/neon_vector.h), the kernel KERNEL. */
#pragma once

#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon_vector.h"

SL_INLINE vec_t between(vec_t a, vec_t b, vec_t weight)
{
    return V(vfmaq)(a, V(vsubq)(b, a), weight);
}

/* One vector: top left, top right, bottom left, bottom right. */
SL_INLINE vec_t blend(const vec_t corners[4], vec_t x, vec_t y)
{
    return between(between(corners[0], corners[1], x), between(corners[2], corners[3], x), y);
}

enum { VECTORS = 4 }; /* at once */

SL_INLINE void load_vectors(const SL_ELEMENT *at, vec_t out[VECTORS])
{
    SL_UNROLL
    for (size_t j = 0; j < VECTORS; j++)
        out[j] = v_load(at + LANES * j);
}

SL_INLINE void blend_vectors(const SL_ELEMENT *top, const SL_ELEMENT *bottom, size_t right, vec_t x,
                             vec_t y, SL_ELEMENT *out)
{
    vec_t corners[4][VECTORS];
    load_vectors(top, corners[0]);
    load_vectors(top + right, corners[1]);
    load_vectors(bottom, corners[2]);
    load_vectors(bottom + right, corners[3]);
    SL_UNROLL
    for (size_t j = 0; j < VECTORS; j++) {
        const vec_t own[4] = {corners[0][j], corners[1][j], corners[2][j], corners[3][j]};
        v_store(out + LANES * j, blend(own, x, y));
    }
}

SL_INLINE void resize_pixel(size_t channels, const SL_ELEMENT *top, const SL_ELEMENT *bottom,
                            size_t right, float x_weight, float y_weight, SL_ELEMENT *out)
{
    vec_t x = v_set(x_weight), y = v_set(y_weight);
    size_t c = 0;
    for (; c + VECTORS * LANES <= channels; c += VECTORS * LANES)
        blend_vectors(top + c, bottom + c, right, x, y, out + c);
    for (; c + LANES <= channels; c += LANES) {
        const vec_t corners[4] = {v_load(top + c), v_load(top + right + c), v_load(bottom + c),
                                  v_load(bottom + right + c)};
        v_store(out + c, blend(corners, x, y));
    }
    size_t rest = channels - c;
    if (rest == 0)
        return;
    const vec_t corners[4] = {v_load_some(top + c, rest), v_load_some(top + right + c, rest),
                              v_load_some(bottom + c, rest), v_load_some(bottom + right + c, rest)};
    v_store_some(out + c, blend(corners, x, y), rest);
}

#include "kernels/layout/resize_walk.h"

const struct SL_NAME(sl_resize, ) KERNEL = {
    .name = SL_TEXT(KERNEL),
    .needs = SL_VECTOR_ISA,
    .run = run,
};
