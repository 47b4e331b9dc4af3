/* kernels/matmul/matmul_qs8_scalar.c: portable matrix product in int8.
 *
 * Packed weights are panels of NR columns, the last padded with zeros: NR starts of sums, NR
 * scales, then [k][NR] bytes. */
#include <string.h>

#include "kernels/cpu/isa.h"
#include "kernels/matmul/matmul_qs8.h"

enum { MR = 4, NR = 8 };

struct panel_head {
    int32_t start[NR];
    float scale[NR];
};

static size_t m_step(void)
{
    return MR;
}

static size_t n_step(void)
{
    return NR;
}

static size_t panel_bytes(size_t k)
{
    return sizeof(struct panel_head) + NR * k;
}

static size_t rhs_bytes(size_t n, size_t k)
{
    return (n + NR - 1) / NR * panel_bytes(k);
}

static void pack_rhs(size_t n, size_t k, const int8_t *rhs, bool transposed,
                     const struct sl_requant *requant, void *packed)
{
    uint8_t *out = packed;
    size_t n_stride = transposed ? 1 : k, k_stride = transposed ? n : 1;
    memset(packed, 0, rhs_bytes(n, k));
    for (size_t j = 0; j < n; j++) {
        struct panel_head *head = (struct panel_head *)(void *)(out + j / NR * panel_bytes(k));
        int8_t *column = (int8_t *)(head + 1) + j % NR;
        int32_t sum = 0;
        for (size_t p = 0; p < k; p++) {
            column[p * NR] = rhs[j * n_stride + p * k_stride];
            sum += column[p * NR];
        }
        head->start[j % NR] = sl_requant_start(requant, j, sum);
        head->scale[j % NR] = requant->scale[j];
    }
}

static size_t workspace_bytes(size_t m, size_t n, size_t k)
{
    (void)m, (void)n, (void)k;
    return 0;
}

/* Rows i0 to i0 + MR (fewer at the end) of the columns of one panel. */
static void block(const struct sl_matmul_qs8_args *args, size_t i0, size_t j0,
                  const struct panel_head *head)
{
    const int8_t *rows[MR], *weights = (const int8_t *)(head + 1);
    uint32_t acc[MR][NR];
    for (size_t i = 0; i < MR; i++) { /* rows past the end repeat the last and are not stored */
        size_t row = i0 + i < args->m ? i0 + i : args->m - 1;
        rows[i] = args->lhs + row * args->lhs_stride;
        for (size_t j = 0; j < NR; j++)
            acc[i][j] = (uint32_t)head->start[j];
    }
    for (size_t p = 0; p < args->k; p++, weights += NR)
        for (size_t i = 0; i < MR; i++)
            for (size_t j = 0; j < NR; j++)
                acc[i][j] += (uint32_t)(rows[i][p] * weights[j]);
    for (size_t i = 0; i < MR && i0 + i < args->m; i++)
        for (size_t j = 0; j < NR && j0 + j < args->n; j++)
            args->dst[(i0 + i) * args->dst_stride + j0 + j] =
                sl_requant((int32_t)acc[i][j], head->scale[j], args->out);
}

static void run(const struct sl_matmul_qs8_args *args)
{
    const uint8_t *panel = args->rhs;
    for (size_t j = 0; j < args->n; j += NR, panel += panel_bytes(args->k))
        for (size_t i = 0; i < args->m; i += MR)
            block(args, i, j, (const struct panel_head *)(const void *)panel);
}

const struct sl_matmul_qs8 sl_matmul_qs8_qs8_qs8p8x1_4x8_scalar = {
    .name = "sl_matmul_qs8_qs8_qs8p8x1_4x8_scalar",
    .needs = SL_ISA_NONE,
    .m_step = m_step,
    .n_step = n_step,
    .rhs_bytes = rhs_bytes,
    .pack_rhs = pack_rhs,
    .workspace_bytes = workspace_bytes,
    .run = run,
};
