/* kernels/matmul/mla_neon.h: one block of a matrix product in NEON registers, for the kernels that
 * are one inside: matmul and conv; of the type that the including file names
 * (kernels/cpu/element.h).
 *
 * A block is MR rows by NV vectors of LANES columns. Its weights are [k][NV * LANES]; its left
 * operand is MR rows, read LANES elements at a time, never past their end. The functions are always
 * inlined into callers whose MR and NV are constants, so the accumulators live in registers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernels/cpu/neon_vector.h"
#include "kernels/matmul/panel_neon.h"

enum { SL_MLA_MR = 5, SL_MLA_NV = 4, SL_MLA_NR = SL_MLA_NV * LANES };

/* Elements of the packed panels before column `column`, a multiple of SL_MLA_NR. A panel is its
 * biases, then [k][columns]; the last panel has as many vectors as it needs. */
static inline size_t sl_mla_panel_offset(size_t column, size_t k)
{
    return column * (k + 1);
}

/* Elements of all panels of n columns. */
static inline size_t sl_mla_panels_elements(size_t n, size_t k)
{
    return (n + LANES - 1) / LANES * LANES * (k + 1);
}

/* Vectors of the panel that starts at `column`. */
static inline size_t sl_mla_panel_vectors(size_t n, size_t column)
{
    size_t left = (n - column + LANES - 1) / LANES;
    return left < SL_MLA_NV ? left : SL_MLA_NV;
}

/* Element (j, p) of the weights is at j * n_stride + p * k_stride. */
static inline void sl_mla_pack_panels(size_t n, size_t k, const SL_ELEMENT *rhs, size_t n_stride,
                                      size_t k_stride, const SL_ELEMENT *bias, SL_ELEMENT *packed)
{
    const struct sl_panel_weights weights = {rhs, n, k, n_stride, k_stride};
    for (size_t j0 = 0; j0 < n; j0 += SL_MLA_NR) {
        size_t width = LANES * sl_mla_panel_vectors(n, j0);
        packed = sl_panel_pack(&weights, j0, width, bias, packed);
    }
}

SL_INLINE void sl_mla_start(size_t mr, size_t nv, const SL_ELEMENT *bias,
                            vec_t acc[SL_MLA_MR][SL_MLA_NV])
{
    SL_UNROLL
    for (size_t i = 0; i < mr; i++) {
        SL_UNROLL
        for (size_t j = 0; j < nv; j++)
            acc[i][j] = v_load(bias + LANES * j);
        SL_FORGET(bias); /* loading pairs again is cheaper than copying vectors */
    }
}

#define SL_MLA_LANE(lane)                                                                          \
    SL_UNROLL                                                                                      \
    for (size_t j = 0; j < nv; j++)                                                                \
        b[j] = v_load(w + LANES * (nv * (lane) + j));                                              \
    SL_UNROLL                                                                                      \
    for (size_t i = 0; i < mr; i++) {                                                              \
        SL_UNROLL                                                                                  \
        for (size_t j = 0; j < nv; j++)                                                            \
            acc[i][j] = V(vfmaq_laneq)(acc[i][j], b[j], a[i], lane);                               \
    }

/* Adds k steps: row i of the left operand starts at rows[i]. Returns the weights after them. */
SL_INLINE const SL_ELEMENT *sl_mla_steps(size_t mr, size_t nv, size_t k,
                                         const SL_ELEMENT *const *rows, const SL_ELEMENT *w,
                                         vec_t acc[SL_MLA_MR][SL_MLA_NV])
{
    vec_t a[SL_MLA_MR], b[SL_MLA_NV];
    const SL_ELEMENT *at[SL_MLA_MR];
    SL_UNROLL
    for (size_t i = 0; i < mr; i++)
        at[i] = rows[i];
    for (; k >= LANES; k -= LANES, w += LANES * LANES * nv) {
        SL_FORGET(w);
        SL_UNROLL
        for (size_t i = 0; i < mr; i++, at[i - 1] += LANES) {
            SL_FORGET(at[i]);
            a[i] = v_load(at[i]);
        }
        SL_MLA_LANE(0)
        SL_MLA_LANE(1)
        SL_MLA_LANE(2)
        SL_MLA_LANE(3)
#if SL_TYPE_CODE(SL_TYPE) == SL_TYPE_f16
        SL_MLA_LANE(4)
        SL_MLA_LANE(5)
        SL_MLA_LANE(6)
        SL_MLA_LANE(7)
#endif
    }
    for (; k > 0; k--, w += LANES * nv) {
        SL_UNROLL
        for (size_t i = 0; i < mr; i++, at[i - 1] += 1)
            a[i] = v_load_dup(at[i]);
        SL_MLA_LANE(0)
    }
    return w;
}

/* Clamps and stores all rows and vectors of a block. */
SL_INLINE void sl_mla_finish(size_t mr, size_t nv, bool clamp, float min, float max,
                             SL_ELEMENT *dst, size_t dst_stride, vec_t acc[SL_MLA_MR][SL_MLA_NV])
{
    SL_UNROLL
    for (size_t i = 0; i < mr; i++, dst += dst_stride) {
        SL_UNROLL
        for (size_t j = 0; j < nv; j++) {
            if (clamp)
                acc[i][j] = v_clamp(acc[i][j], v_set(min), v_set(max));
            v_store(dst + LANES * j, acc[i][j]);
        }
    }
}

/* Copies the first n columns (at most SL_MLA_NR) of a block with SL_MLA_NR columns a row. */
static inline void sl_mla_copy(size_t mr, size_t n, const SL_ELEMENT *block, SL_ELEMENT *dst,
                               size_t dst_stride)
{
    for (size_t i = 0; i < mr; i++, block += SL_MLA_NR, dst += dst_stride) {
        size_t j = 0;
        for (; j + LANES <= n; j += LANES)
            v_store(dst + j, v_load(block + j));
#pragma clang loop vectorize(disable) unroll(disable)
        for (; j < n; j++)
            dst[j] = block[j];
    }
}
