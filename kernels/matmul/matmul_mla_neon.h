/* kernels/matmul/matmul_mla_neon.h: matrix product by FMLA, blocks of 5 rows by 4 vectors of
 * columns and the like, the left operand read in place; of the type that the including file names
 * (kernels/cpu/element.h), the kernel KERNEL. */
#pragma once

#include <math.h>

#include "kernels/cpu/isa.h"
#include "kernels/matmul/matmul_narrow_neon.h"
#include "kernels/matmul/mla_neon.h"

/* One panel's columns of all rows. */
struct panel {
    size_t m, k, columns; /* columns: those that are stored */
    const SL_ELEMENT *lhs, *weights;
    SL_ELEMENT *dst;
    size_t lhs_stride, dst_stride;
    bool clamp;
    float min, max;
};

SL_INLINE void block(size_t mr, size_t nv, const struct panel *p, const SL_ELEMENT *lhs,
                     SL_ELEMENT *dst)
{
    vec_t acc[SL_MLA_MOST_ROWS][SL_MLA_NV];
    const SL_ELEMENT *rows[SL_MLA_MOST_ROWS];
    SL_UNROLL
    for (size_t i = 0; i < mr; i++)
        rows[i] = lhs + i * p->lhs_stride;
    sl_mla_start(mr, nv, p->weights, acc);
    sl_mla_steps(mr, nv, p->k, rows, p->weights + LANES * nv, acc);
    sl_mla_finish(mr, nv, p->clamp, p->min, p->max, p->columns, dst, p->dst_stride, acc);
}

SL_INLINE void rows_of(size_t nv, const struct panel *p)
{
    const SL_ELEMENT *lhs = p->lhs;
    SL_ELEMENT *dst = p->dst;
    for (size_t left = p->m, mr; left > 0; left -= mr) {
        mr = sl_mla_rows(nv, left);
        SL_MLA_BLOCK(block, mr, nv, p, lhs, dst);
        lhs += mr * p->lhs_stride;
        dst += mr * p->dst_stride;
    }
}

static void rows_of_one(const struct panel *p)
{
    rows_of(1, p);
}

static void rows_of_two(const struct panel *p)
{
    rows_of(2, p);
}

static void rows_of_three(const struct panel *p)
{
    rows_of(3, p);
}

static void rows_of_four(const struct panel *p)
{
    rows_of(4, p);
}

static void run(const struct SL_NAME(sl_matmul, _args) * args)
{
    static void (*const by_vectors[])(const struct panel *) = {rows_of_one, rows_of_two,
                                                               rows_of_three, rows_of_four};
    if (is_narrow(args->n, args->k)) {
        run_narrow(args);
        return;
    }
    for (size_t j = 0, width; j < args->n; j += width) {
        width = LANES * sl_mla_panel_vectors(args->n, j);
        struct panel panel = {
            .m = args->m,
            .k = args->k,
            .columns = args->n - j < width ? args->n - j : width,
            .lhs = args->lhs,
            .weights = (const SL_ELEMENT *)args->rhs + sl_mla_panel_offset(j, args->k),
            .dst = args->dst + j,
            .lhs_stride = args->lhs_stride,
            .dst_stride = args->dst_stride,
            .clamp = args->min > -INFINITY || args->max < INFINITY,
            .min = args->min,
            .max = args->max,
        };
        by_vectors[width / LANES - 1](&panel);
    }
}

static size_t m_step(void)
{
    return SL_MLA_MR;
}

static size_t n_step(void)
{
    return SL_MLA_NR;
}

static size_t rhs_bytes(size_t n, size_t k)
{
    size_t count = is_narrow(n, k) ? narrow_elements(n, k) : sl_mla_panels_elements(n, k);
    return count * sizeof(SL_ELEMENT);
}

static void pack_rhs(size_t n, size_t k, const SL_ELEMENT *rhs, bool transposed,
                     const SL_ELEMENT *bias, void *packed)
{
    if (is_narrow(n, k))
        pack_narrow(n, k, rhs, transposed ? 1 : k, transposed ? n : 1, bias, packed);
    else
        sl_mla_pack_panels(n, k, rhs, transposed ? 1 : k, transposed ? n : 1, bias, packed);
}

static size_t workspace_bytes(size_t m, size_t n, size_t k)
{
    (void)m, (void)n, (void)k;
    return 0;
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
};
