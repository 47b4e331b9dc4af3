/* kernels/matmul/mla_neon.h: one block of a matrix product in NEON registers, for the kernels that
 * are one inside: matmul and conv.
 *
 * A block is MR rows by NV vectors of 4 columns. Its weights are [k][NV * 4]; its left operand is
 * MR rows, read 4 elements at a time, never past their end. The functions are always inlined into
 * callers whose MR and NV are constants, so the accumulators live in registers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernels/cpu/neon.h"

enum { SL_MLA_MR = 5, SL_MLA_NV = 4, SL_MLA_NR = 16 };

/* Floats of the packed panels before column `column`, a multiple of SL_MLA_NR. A panel is its
 * biases, then [k][columns]; the last panel has as many vectors as it needs. */
static inline size_t sl_mla_panel_offset(size_t column, size_t k)
{
    return column * (k + 1);
}

/* Floats of all panels of n columns. */
static inline size_t sl_mla_panels_floats(size_t n, size_t k)
{
    return (n + 3) / 4 * 4 * (k + 1);
}

/* Vectors of the panel that starts at `column`. */
static inline size_t sl_mla_panel_vectors(size_t n, size_t column)
{
    size_t left = (n - column + 3) / 4;
    return left < SL_MLA_NV ? left : SL_MLA_NV;
}

/* Element (j, p) of the weights is at j * n_stride + p * k_stride. */
void sl_mla_pack_panels(size_t n, size_t k, const float *rhs, size_t n_stride, size_t k_stride,
                        const float *bias, float *packed);

SL_INLINE void sl_mla_start(size_t mr, size_t nv, const float *bias,
                            float32x4_t acc[SL_MLA_MR][SL_MLA_NV])
{
    SL_UNROLL
    for (size_t i = 0; i < mr; i++) {
        SL_UNROLL
        for (size_t j = 0; j < nv; j++)
            acc[i][j] = vld1q_f32(bias + 4 * j);
        SL_FORGET(bias); /* loading pairs again is cheaper than copying vectors */
    }
}

#define SL_MLA_LANE(lane)                                                                          \
    SL_UNROLL                                                                                      \
    for (size_t j = 0; j < nv; j++)                                                                \
        b[j] = vld1q_f32(w + 4 * (nv * (lane) + j));                                               \
    SL_UNROLL                                                                                      \
    for (size_t i = 0; i < mr; i++) {                                                              \
        SL_UNROLL                                                                                  \
        for (size_t j = 0; j < nv; j++)                                                            \
            acc[i][j] = vfmaq_laneq_f32(acc[i][j], b[j], a[i], lane);                              \
    }

/* Adds k steps: row i of the left operand starts at rows[i]. Returns the weights after them. */
SL_INLINE const float *sl_mla_steps(size_t mr, size_t nv, size_t k, const float *const *rows,
                                    const float *w, float32x4_t acc[SL_MLA_MR][SL_MLA_NV])
{
    float32x4_t a[SL_MLA_MR], b[SL_MLA_NV];
    const float *at[SL_MLA_MR];
    SL_UNROLL
    for (size_t i = 0; i < mr; i++)
        at[i] = rows[i];
    for (; k >= 4; k -= 4, w += 16 * nv) {
        SL_FORGET(w);
        SL_UNROLL
        for (size_t i = 0; i < mr; i++, at[i - 1] += 4) {
            SL_FORGET(at[i]);
            a[i] = vld1q_f32(at[i]);
        }
        SL_MLA_LANE(0)
        SL_MLA_LANE(1)
        SL_MLA_LANE(2)
        SL_MLA_LANE(3)
    }
    for (; k > 0; k--, w += 4 * nv) {
        SL_UNROLL
        for (size_t i = 0; i < mr; i++, at[i - 1] += 1)
            a[i] = vld1q_dup_f32(at[i]);
        SL_MLA_LANE(0)
    }
    return w;
}

/* Clamps and stores all rows and vectors of a block. */
SL_INLINE void sl_mla_finish(size_t mr, size_t nv, bool clamp, float min, float max, float *dst,
                             size_t dst_stride, float32x4_t acc[SL_MLA_MR][SL_MLA_NV])
{
    SL_UNROLL
    for (size_t i = 0; i < mr; i++, dst += dst_stride) {
        SL_UNROLL
        for (size_t j = 0; j < nv; j++) {
            if (clamp)
                acc[i][j] = sl_neon_clamp(acc[i][j], vdupq_n_f32(min), vdupq_n_f32(max));
            vst1q_f32(dst + 4 * j, acc[i][j]);
        }
    }
}

/* Copies the first n columns (at most SL_MLA_NR) of a block with SL_MLA_NR columns a row. */
static inline void sl_mla_copy(size_t mr, size_t n, const float *block, float *dst,
                               size_t dst_stride)
{
    for (size_t i = 0; i < mr; i++)
        for (size_t j = 0; j < n; j++)
            dst[i * dst_stride + j] = block[i * SL_MLA_NR + j];
}
