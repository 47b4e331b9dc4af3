/* kernels/matmul/matmul_gemv_neon.c: one row times a matrix by FMLA, 32 columns at a time.
 *
 * Packed weights are panels of 32 columns, then of 16, 8 and 4 for what is left, padded with zeros
 * to a multiple of 4: a panel is its biases, then [k][columns]. */
#include <assert.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon.h"
#include "kernels/matmul/matmul.h"

enum { NR = 32, VECTORS = NR / 4 };

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
    return (n + 3) / 4 * 4 * (k + 1) * sizeof(float);
}

static size_t workspace_bytes(size_t m, size_t n, size_t k)
{
    (void)m, (void)n, (void)k;
    return 0;
}

/* Columns of the panel that starts at column j. */
static size_t panel_columns(size_t n, size_t j)
{
    size_t left = (n - j + 3) / 4 * 4;
    return left >= NR ? NR : left >= 16 ? 16 : left >= 8 ? 8 : 4;
}

static void pack_rhs(size_t n, size_t k, const float *rhs, bool transposed, const float *bias,
                     void *packed)
{
    float *out = packed;
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
        acc[v] = vfmaq_laneq_f32(acc[v], vld1q_f32(w + 4 * (vectors * (lane) + v)), a, lane);

/* One panel: columns j and after. */
SL_INLINE void panel(size_t vectors, const struct sl_matmul_args *args, const float *w, size_t j)
{
    float32x4_t acc[VECTORS], a;
    const float *lhs = args->lhs;
    float *dst = args->dst + j;
    SL_UNROLL
    for (size_t v = 0; v < vectors; v++)
        acc[v] = vld1q_f32(w + 4 * v);
    w += 4 * vectors;
    size_t k = args->k;
    for (; k >= 4; k -= 4, lhs += 4, w += 16 * vectors) {
        SL_FORGET(w);
        SL_FORGET(lhs);
        a = vld1q_f32(lhs);
        LANE(0)
        LANE(1)
        LANE(2)
        LANE(3)
    }
    for (; k > 0; k--, lhs++, w += 4 * vectors) {
        a = vld1q_dup_f32(lhs);
        LANE(0)
    }
    SL_UNROLL
    for (size_t v = 0; v < vectors; v++) {
        acc[v] = sl_neon_clamp(acc[v], vdupq_n_f32(args->min), vdupq_n_f32(args->max));
        if (j + 4 * v < args->n)
            sl_neon_store(dst + 4 * v, acc[v], args->n - j - 4 * v);
    }
}

static void run(const struct sl_matmul_args *args)
{
    const float *w = args->rhs;
    assert(args->m <= 1);
    for (size_t j = 0, columns; args->m == 1 && j < args->n; j += columns) {
        columns = panel_columns(args->n, j);
        if (columns == NR)
            panel(VECTORS, args, w, j);
        else if (columns == 16)
            panel(4, args, w, j);
        else if (columns == 8)
            panel(2, args, w, j);
        else
            panel(1, args, w, j);
        w += columns * (args->k + 1);
    }
}

const struct sl_matmul sl_matmul_f32_f32_f32p32x1_1x32_neon_mla = {
    .name = "sl_matmul_f32_f32_f32p32x1_1x32_neon_mla",
    .needs = SL_ISA_NEON,
    .m_step = m_step,
    .n_step = n_step,
    .rhs_bytes = rhs_bytes,
    .pack_rhs = pack_rhs,
    .workspace_bytes = workspace_bytes,
    .run = run,
    .gemv = true,
};
