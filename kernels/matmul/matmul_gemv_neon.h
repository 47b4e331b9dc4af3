/* kernels/matmul/matmul_gemv_neon.h: one row times a matrix by FMLA, 8 vectors of columns at a
 * time, 4 in half precision; of the type that the including file names (kernels/cpu/element.h), the
 * kernel KERNEL.
 *
 * Packed weights are panels of so many vectors of columns, then of halves of that for what is left,
 * padded with zeros to whole vectors: a panel is its biases, then [k][columns].
 *
 * Half precision adds every fourth product to the same sum, as XNNPACK does, and the four sums at
 * the end: that loses half as much. */
#pragma once

#include <assert.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon_vector.h"
#include "kernels/matmul/panel_neon.h"

#if SL_TYPE_CODE(SL_TYPE) == SL_TYPE_f16
enum { CHAINS = 4, VECTORS = 4 };
#else
enum { CHAINS = 1, VECTORS = 8 };
#endif
enum { NR = VECTORS * LANES };

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
    return (left >= VECTORS ? (size_t)VECTORS : left >= 4 ? 4 : left >= 2 ? 2 : 1) * LANES;
}

static void pack_rhs(size_t n, size_t k, const SL_ELEMENT *rhs, bool transposed,
                     const SL_ELEMENT *bias, void *packed)
{
    const struct sl_panel_weights weights = {rhs, n, k, transposed ? 1 : k, transposed ? n : 1};
    SL_ELEMENT *out = packed;
    for (size_t j = 0; j < n; j += panel_columns(n, j))
        out = sl_panel_pack(&weights, j, panel_columns(n, j), bias, out);
}

/* A line of weights, and on to the next. */
SL_INLINE void next_line(size_t vectors, const SL_ELEMENT **w, vec_t b[VECTORS])
{
    v_load_next(w, vectors < 4 ? vectors : 4, b);
    if (vectors > 4)
        v_load_next(w, 4, b + 4 % VECTORS);
}

#define LANE(lane)                                                                                 \
    next_line(vectors, &w, b);                                                                     \
    SL_UNROLL                                                                                      \
    for (size_t v = 0; v < vectors; v++)                                                           \
        acc[(lane) % CHAINS][v] = V(vfmaq_laneq)(acc[(lane) % CHAINS][v], b[v], a, lane);

/* The last steps, fewer than LANES: four and two of them are for different chains. */
SL_INLINE void last_steps(size_t vectors, size_t k, const SL_ELEMENT *lhs, const SL_ELEMENT *w,
                          vec_t acc[CHAINS][VECTORS])
{
    for (size_t p = 0; p < k; p++) {
        vec_t a = v_load_dup(lhs + p), b[VECTORS];
        next_line(vectors, &w, b);
        size_t chain = p < (k & ~(size_t)1) ? p % CHAINS : 0;
        SL_UNROLL
        for (size_t c = 0; c < CHAINS; c++) {
            if (c != chain)
                continue;
            SL_UNROLL
            for (size_t v = 0; v < vectors; v++)
                acc[c][v] = V(vfmaq)(acc[c][v], b[v], a);
        }
    }
}

SL_INLINE void join_chains(size_t vectors, vec_t acc[CHAINS][VECTORS])
{
    SL_UNROLL
    for (size_t v = 0; CHAINS == 4 && v < vectors; v++)
        acc[0][v] = V(vaddq)(V(vaddq)(acc[0][v], acc[1 % CHAINS][v]),
                             V(vaddq)(acc[2 % CHAINS][v], acc[3 % CHAINS][v]));
}

/* One panel: columns j and after. */
SL_INLINE void panel(size_t vectors, const struct SL_NAME(sl_matmul, _args) * args,
                     const SL_ELEMENT *w, size_t j)
{
    vec_t acc[CHAINS][VECTORS], b[VECTORS], a;
    const SL_ELEMENT *lhs = args->lhs;
    SL_ELEMENT *dst = args->dst + j;
    SL_UNROLL
    for (size_t v = 0; v < vectors; v++) {
        acc[0][v] = v_load(w + LANES * v);
        SL_UNROLL
        for (size_t c = 1; c < CHAINS; c++)
            acc[c][v] = v_set(0);
    }
    w += LANES * vectors;
    size_t k = args->k;
    for (; k >= LANES; k -= LANES, lhs += LANES) {
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
    last_steps(vectors, k, lhs, w, acc);
    join_chains(vectors, acc);
    SL_UNROLL
    for (size_t v = 0; v < vectors; v++) {
        acc[0][v] = v_clamp(acc[0][v], v_set(args->min), v_set(args->max));
        if (j + LANES * v < args->n)
            v_store_some(dst + LANES * v, acc[0][v], args->n - j - LANES * v);
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
        else if (VECTORS > 4 && columns == 4 * LANES)
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
