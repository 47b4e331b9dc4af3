/* kernels/matmul/matmul_gemv_neon.h: one row times a matrix by FMLA, 8 vectors of columns at a
 * time; of the type that the including file names (kernels/cpu/element.h), the kernel KERNEL.
 *
 * Packed weights are panels of 8 vectors of columns, then of 4, 2 and 1 for what is left, padded
 * with zeros to whole vectors: a panel is its biases, then [k][columns]. */
#pragma once

#include <assert.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon_vector.h"

enum { VECTORS = 8, NR = VECTORS * LANES };

static size_t m_step(void)
{
    return 1;
}

static size_t n_step(void)
{
    return NR;
}

static size_t rhs_bytes(size_t n, size_t k)
{
    return (n + LANES - 1) / LANES * LANES * (k + 1) * sizeof(SL_ELEMENT);
}

static size_t workspace_bytes(size_t m, size_t n, size_t k)
{
    (void)m, (void)n, (void)k;
    return 0;
}

/* Columns of the panel that starts at column j. */
static size_t panel_columns(size_t n, size_t j)
{
    size_t left = (n - j + LANES - 1) / LANES;
    return (left >= VECTORS ? VECTORS : left >= 4 ? 4 : left >= 2 ? 2 : 1) * LANES;
}

static void pack_rhs(size_t n, size_t k, const SL_ELEMENT *rhs, bool transposed,
                     const SL_ELEMENT *bias, void *packed)
{
    SL_ELEMENT *out = packed;
    size_t n_stride = transposed ? 1 : k, k_stride = transposed ? n : 1;
    for (size_t j0 = 0; j0 < n;) {
        size_t end = j0 + panel_columns(n, j0);
        for (size_t j = j0; j < end; j++)
            *out++ = bias && j < n ? bias[j] : 0;
        for (size_t p = 0; p < k; p++)
            for (size_t j = j0; j < end; j++)
                *out++ = j < n ? rhs[j * n_stride + p * k_stride] : 0;
        j0 = end;
    }
}

#define LANE(lane)                                                                                 \
    SL_UNROLL                                                                                      \
    for (size_t v = 0; v < vectors; v++)                                                           \
        acc[v] = V(vfmaq_laneq)(acc[v], v_load(w + LANES * (vectors * (lane) + v)), a, lane);

/* One panel: columns j and after. */
SL_INLINE void panel(size_t vectors, const struct SL_NAME(sl_matmul, _args) * args,
                     const SL_ELEMENT *w, size_t j)
{
    vec_t acc[VECTORS], a;
    const SL_ELEMENT *lhs = args->lhs;
    SL_ELEMENT *dst = args->dst + j;
    SL_UNROLL
    for (size_t v = 0; v < vectors; v++)
        acc[v] = v_load(w + LANES * v);
    w += LANES * vectors;
    size_t k = args->k;
    for (; k >= LANES; k -= LANES, lhs += LANES, w += LANES * LANES * vectors) {
        SL_FORGET(w);
        SL_FORGET(lhs);
        a = v_load(lhs);
        LANE(0)
        LANE(1)
        LANE(2)
        LANE(3)
#if SL_TYPE_CODE(SL_TYPE) == SL_TYPE_f16
        LANE(4)
        LANE(5)
        LANE(6)
        LANE(7)
#endif
    }
    for (; k > 0; k--, lhs++, w += LANES * vectors) {
        a = v_load_dup(lhs);
        LANE(0)
    }
    SL_UNROLL
    for (size_t v = 0; v < vectors; v++) {
        acc[v] = v_clamp(acc[v], v_set(args->min), v_set(args->max));
        if (j + LANES * v < args->n)
            v_store_some(dst + LANES * v, acc[v], args->n - j - LANES * v);
    }
}

static void run(const struct SL_NAME(sl_matmul, _args) * args)
{
    const SL_ELEMENT *w = args->rhs;
    assert(args->m <= 1);
    for (size_t j = 0, columns; args->m == 1 && j < args->n; j += columns) {
        columns = panel_columns(args->n, j);
        if (columns == NR)
            panel(VECTORS, args, w, j);
        else if (columns == 4 * LANES)
            panel(4, args, w, j);
        else if (columns == 2 * LANES)
            panel(2, args, w, j);
        else
            panel(1, args, w, j);
        w += columns * (args->k + 1);
    }
}

const struct SL_NAME(sl_matmul, ) KERNEL = {
    .name = SL_TEXT(KERNEL),
    .needs = SL_VECTOR_ISA,
    .m_step = m_step,
    .n_step = n_step,
    .rhs_bytes = rhs_bytes,
    .pack_rhs = pack_rhs,
    .workspace_bytes = workspace_bytes,
    .run = run,
    .gemv = true,
};
