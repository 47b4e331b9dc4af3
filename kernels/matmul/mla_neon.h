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
enum { SL_MLA_MOST_ROWS = 10 }; /* of blocks of fewer vectors */

/* Elements of the packed panels before the one that starts at `column`. A panel is its biases, then
 * [k][columns]. */
static inline size_t sl_mla_panel_offset(size_t column, size_t k)
{
    return column * (k + 1);
}

/* Elements of all panels of n columns. */
static inline size_t sl_mla_panels_elements(size_t n, size_t k)
{
    return (n + LANES - 1) / LANES * LANES * (k + 1);
}

/* Vectors of the panel that starts at `column`: 4, towards the end 3 where that leaves no single
 * one, which would be paid for by whole rows of the left operand. */
static inline size_t sl_mla_panel_vectors(size_t n, size_t column)
{
    size_t left = (n - column + LANES - 1) / LANES;
    if (left < 3)
        return left;
    return left == 3 || left == 5 || left == 6 || left == 9 ? 3 : 4;
}

/* Element (j, p) of the weights is at j * n_stride + p * k_stride. */
static inline void sl_mla_pack_panels(size_t n, size_t k, const SL_ELEMENT *rhs, size_t n_stride,
                                      size_t k_stride, const SL_ELEMENT *bias, SL_ELEMENT *packed)
{
    const struct sl_panel_weights weights = {rhs, n, k, n_stride, k_stride};
    for (size_t j0 = 0, width; j0 < n; j0 += width) {
        width = LANES * sl_mla_panel_vectors(n, j0);
        packed = sl_panel_pack(&weights, j0, width, bias, packed);
    }
}

SL_INLINE void sl_mla_start(size_t mr, size_t nv, const SL_ELEMENT *bias,
                            vec_t acc[SL_MLA_MOST_ROWS][SL_MLA_NV])
{
    SL_UNROLL
    for (size_t i = 0; i < mr; i++) {
        SL_UNROLL
        for (size_t j = 0; j < nv; j++)
            acc[i][j] = v_load(bias + LANES * j);
        SL_FORGET(bias); /* loading pairs again is cheaper than copying vectors */
    }
}

/* The next weights are not loaded before these sums: they would find no free registers. */
#define SL_AFTER(w, row)                                                                           \
    do {                                                                                           \
        if (nv == 4)                                                                               \
            __asm__("" : "+r"(w), "+w"((row)[0]), "+w"((row)[1]), "+w"((row)[2]), "+w"((row)[3])); \
        else if (nv == 3)                                                                          \
            __asm__("" : "+r"(w), "+w"((row)[0]), "+w"((row)[1]), "+w"((row)[2]));                 \
        else if (nv == 2)                                                                          \
            __asm__("" : "+r"(w), "+w"((row)[0]), "+w"((row)[1]));                                 \
    } while (0)

#define SL_MLA_LANE(lane)                                                                          \
    v_load_next(&w, nv, b);                                                                        \
    SL_UNROLL                                                                                      \
    for (size_t i = 0; i < mr; i++) {                                                              \
        SL_UNROLL                                                                                  \
        for (size_t j = 0; j < nv; j++)                                                            \
            acc[i][j] = V(vfmaq_laneq)(acc[i][j], b[j], a[i], lane);                               \
        SL_AFTER(w, acc[i]);                                                                       \
    }

#define SL_MLA_COLUMN(k, lane)                                                                     \
    SL_UNROLL                                                                                      \
    for (size_t i = 0; i < mr; i++)                                                                \
        acc[i][0] = V(vfmaq_laneq)(acc[i][0], b[(k) % 4], a[i][(k) / LANES], lane);

/* Eights of k of one vector of columns: eight of a row, and four vectors of weights, by one
 * instruction. They move on. */
SL_INLINE size_t sl_mla_eights(size_t mr, size_t k, const SL_ELEMENT **at, const SL_ELEMENT **w,
                               vec_t acc[SL_MLA_MOST_ROWS][SL_MLA_NV])
{
    vec_t a[SL_MLA_MOST_ROWS][8 / LANES], b[4];
    for (; k >= 8; k -= 8) {
        SL_UNROLL
        for (size_t i = 0; i < mr; i++)
            v_load_next(&at[i], 8 / LANES, a[i]);
        v_load_next(w, 4, b);
        SL_MLA_COLUMN(0, 0)
        SL_MLA_COLUMN(1, 1)
        SL_MLA_COLUMN(2, 2)
        SL_MLA_COLUMN(3, 3)
        __asm__("" : "+r"(*w), "+w"(b[0]), "+w"(b[3]), "+w"(acc[mr - 1][0]));
        v_load_next(w, 4, b);
        SL_MLA_COLUMN(4, 4 % LANES)
        SL_MLA_COLUMN(5, 5 % LANES)
        SL_MLA_COLUMN(6, 6 % LANES)
        SL_MLA_COLUMN(7, 7 % LANES)
    }
    return k;
}

/* Adds k steps: row i of the left operand starts at rows[i]. Returns the weights after them. */
SL_INLINE const SL_ELEMENT *sl_mla_steps(size_t mr, size_t nv, size_t k,
                                         const SL_ELEMENT *const *rows, const SL_ELEMENT *w,
                                         vec_t acc[SL_MLA_MOST_ROWS][SL_MLA_NV])
{
    vec_t a[SL_MLA_MOST_ROWS], b[SL_MLA_NV];
    const SL_ELEMENT *at[SL_MLA_MOST_ROWS];
    SL_UNROLL
    for (size_t i = 0; i < mr; i++)
        at[i] = rows[i];
    if (nv == 1)
        k = sl_mla_eights(mr, k, at, &w, acc);
    for (; k >= LANES; k -= LANES) {
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
    for (; k > 0; k--) {
        SL_UNROLL
        for (size_t i = 0; i < mr; i++, at[i - 1] += 1)
            a[i] = v_load_dup(at[i]);
        SL_MLA_LANE(0)
    }
    return w;
}

/* Clamps and stores the first `columns` columns of a block. */
SL_INLINE void sl_mla_finish(size_t mr, size_t nv, bool clamp, float min, float max, size_t columns,
                             SL_ELEMENT *dst, size_t dst_stride,
                             vec_t acc[SL_MLA_MOST_ROWS][SL_MLA_NV])
{
    size_t lanes = columns - (nv - 1) * LANES; /* of the last vector */
    SL_UNROLL
    for (size_t i = 0; clamp && i < mr; i++) {
        SL_UNROLL
        for (size_t j = 0; j < nv; j++)
            acc[i][j] = v_clamp(acc[i][j], v_set(min), v_set(max));
    }
    SL_UNROLL
    for (size_t i = 0; i < mr; i++, dst += dst_stride) {
        SL_UNROLL
        for (size_t j = 0; j + 1 < nv; j++)
            v_store(dst + LANES * j, acc[i][j]);
        v_store_some(dst + LANES * (nv - 1), acc[i][nv - 1], lanes);
    }
}

/* Rows of the next block of nv vectors when `left` are left. */
static inline size_t sl_mla_rows(size_t nv, size_t left)
{
    if (nv == 4)
        return left < SL_MLA_MR ? left : SL_MLA_MR;
    if (nv == 3 && left >= 4)
        return left >= 7 ? 7 : 4;
    if (nv == 2 && left >= 5)
        return left >= 10 ? 10 : 5;
    if (nv == 1 && left >= 4)
        return left >= 8 ? 8 : 4;
    return left >= 2 ? 2 : 1;
}

/* Calls block(mr, nv, ...) with a constant mr, one that sl_mla_rows() gives. */
#define SL_MLA_BLOCK(block, mr, nv, ...)                                                           \
    do {                                                                                           \
        if (nv == 1 && mr == 8)                                                                    \
            block(8, nv, __VA_ARGS__);                                                             \
        else if (nv == 2 && mr == 10)                                                              \
            block(10, nv, __VA_ARGS__);                                                            \
        else if (nv == 3 && mr == 7)                                                               \
            block(7, nv, __VA_ARGS__);                                                             \
        else if ((nv == 2 || nv == 4) && mr == 5)                                                  \
            block(5, nv, __VA_ARGS__);                                                             \
        else if (nv != 2 && mr == 4)                                                               \
            block(4, nv, __VA_ARGS__);                                                             \
        else if (nv == 4 && mr == 3)                                                               \
            block(3, nv, __VA_ARGS__);                                                             \
        else if (mr == 2)                                                                          \
            block(2, nv, __VA_ARGS__);                                                             \
        else                                                                                       \
            block(1, nv, __VA_ARGS__);                                                             \
    } while (0)
