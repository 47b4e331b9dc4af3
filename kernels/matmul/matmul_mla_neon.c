/* kernels/matmul/matmul_mla_neon.c: matrix product by FMLA, blocks of 5 rows by 16 columns, the
 * left operand read in place. */
#include <math.h>

#include "kernels/cpu/isa.h"
#include "kernels/matmul/matmul.h"
#include "kernels/matmul/mla_neon.h"

/* One panel's columns of all rows. */
struct panel {
    size_t m, k, columns; /* columns: those that are stored */
    const float *lhs, *weights;
    float *dst;
    size_t lhs_stride, dst_stride;
    bool clamp;
    float min, max;
};

SL_INLINE void block(size_t mr, size_t nv, const struct panel *p, const float *lhs, float *dst,
                     size_t dst_stride)
{
    float32x4_t acc[SL_MLA_MR][SL_MLA_NV];
    const float *rows[SL_MLA_MR];
    SL_UNROLL
    for (size_t i = 0; i < mr; i++)
        rows[i] = lhs + i * p->lhs_stride;
    sl_mla_start(mr, nv, p->weights, acc);
    sl_mla_steps(mr, nv, p->k, rows, p->weights + 4 * nv, acc);
    sl_mla_finish(mr, nv, p->clamp, p->min, p->max, dst, dst_stride, acc);
}

/* The rows past the last whole block, `mr` of them. */
SL_INLINE void last_block(size_t mr, size_t nv, const struct panel *p, const float *lhs, float *dst,
                          size_t dst_stride)
{
    if (mr == 1)
        block(1, nv, p, lhs, dst, dst_stride);
    else if (mr == 2)
        block(2, nv, p, lhs, dst, dst_stride);
    else if (mr == 3)
        block(3, nv, p, lhs, dst, dst_stride);
    else if (mr == 4)
        block(4, nv, p, lhs, dst, dst_stride);
}

/* Whole vectors are stored straight; a ragged panel goes through a block on the stack. */
SL_INLINE void rows_of(size_t nv, const struct panel *p)
{
    float ragged[SL_MLA_MR * SL_MLA_NR];
    bool whole = p->columns == 4 * nv;
    const float *lhs = p->lhs;
    float *dst = p->dst;
    size_t left = p->m;
    if (whole) {
        for (; left >= SL_MLA_MR; left -= SL_MLA_MR) {
            block(SL_MLA_MR, nv, p, lhs, dst, p->dst_stride);
            lhs += SL_MLA_MR * p->lhs_stride;
            dst += SL_MLA_MR * p->dst_stride;
        }
        last_block(left, nv, p, lhs, dst, p->dst_stride);
        return;
    }
    while (left > 0) {
        size_t mr = left < SL_MLA_MR - 1 ? left : SL_MLA_MR - 1;
        last_block(mr, nv, p, lhs, ragged, SL_MLA_NR);
        sl_mla_copy(mr, p->columns, ragged, dst, p->dst_stride);
        lhs += mr * p->lhs_stride;
        dst += mr * p->dst_stride;
        left -= mr;
    }
}

static void rows_of_4(const struct panel *p)
{
    rows_of(1, p);
}

static void rows_of_8(const struct panel *p)
{
    rows_of(2, p);
}

static void rows_of_12(const struct panel *p)
{
    rows_of(3, p);
}

static void rows_of_16(const struct panel *p)
{
    rows_of(4, p);
}

static void run(const struct sl_matmul_args *args)
{
    static void (*const by_vectors[])(const struct panel *) = {rows_of_4, rows_of_8, rows_of_12,
                                                               rows_of_16};
    for (size_t j = 0; j < args->n; j += SL_MLA_NR) {
        struct panel panel = {
            .m = args->m,
            .k = args->k,
            .columns = args->n - j < SL_MLA_NR ? args->n - j : SL_MLA_NR,
            .lhs = args->lhs,
            .weights = (const float *)args->rhs + sl_mla_panel_offset(j, args->k),
            .dst = args->dst + j,
            .lhs_stride = args->lhs_stride,
            .dst_stride = args->dst_stride,
            .clamp = args->min > -INFINITY || args->max < INFINITY,
            .min = args->min,
            .max = args->max,
        };
        by_vectors[sl_mla_panel_vectors(args->n, j) - 1](&panel);
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
    return sl_mla_panels_floats(n, k) * sizeof(float);
}

static void pack_rhs(size_t n, size_t k, const float *rhs, bool transposed, const float *bias,
                     void *packed)
{
    sl_mla_pack_panels(n, k, rhs, transposed ? 1 : k, transposed ? n : 1, bias, packed);
}

static size_t workspace_bytes(size_t m, size_t n, size_t k)
{
    (void)m, (void)n, (void)k;
    return 0;
}

const struct sl_matmul sl_matmul_f32_f32_f32p16x1_5x16_neon_mla = {
    .name = "sl_matmul_f32_f32_f32p16x1_5x16_neon_mla",
    .needs = SL_ISA_NEON,
    .m_step = m_step,
    .n_step = n_step,
    .rhs_bytes = rhs_bytes,
    .pack_rhs = pack_rhs,
    .workspace_bytes = workspace_bytes,
    .run = run,
};
