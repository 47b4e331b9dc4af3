/* kernels/matmul/matmul_scalar.h: portable matrix product of the type that the including file names
 * (kernels/cpu/element.h), the kernel KERNEL.
 *
 * Packed weights are panels of NR columns of floats, the last padded with zeros: NR biases, then
 * [k][NR]. LHS_AT(args, row, k) is an element of the left operand as a float. */
#pragma once

#include "kernels/cpu/clamp.h"
#include "kernels/cpu/element.h"
#include "kernels/cpu/isa.h"

#if !defined(LHS_AT)
#define LHS_AT(args, row, k) SL_GET((args)->lhs[(row) * (args)->lhs_stride + (k)])
#endif

enum { MR = 4, NR = 8 };

static size_t m_step(void)
{
    return MR;
}

static size_t n_step(void)
{
    return NR;
}

static size_t rhs_bytes(size_t n, size_t k)
{
    return (n + NR - 1) / NR * NR * (k + 1) * sizeof(float);
}

static void pack_rhs(size_t n, size_t k, const SL_ELEMENT *rhs, bool transposed,
                     const SL_RESULT *bias, void *packed)
{
    float *out = packed;
    size_t n_stride = transposed ? 1 : k, k_stride = transposed ? n : 1;
    for (size_t j0 = 0; j0 < n; j0 += NR) {
        for (size_t j = j0; j < j0 + NR; j++)
            *out++ = bias && j < n ? SL_BIAS(bias[j]) : 0;
        for (size_t p = 0; p < k; p++)
            for (size_t j = j0; j < j0 + NR; j++)
                *out++ = j < n ? SL_GET(rhs[j * n_stride + p * k_stride]) : 0;
    }
}

static size_t workspace_bytes(size_t m, size_t n, size_t k)
{
    (void)m, (void)n, (void)k;
    return 0;
}

/* Rows i0 to i0 + MR (fewer at the end) of the columns of one panel. */
static void block(const struct SL_NAME(sl_matmul, _args) * args, size_t i0, size_t j0,
                  const float *panel)
{
    size_t rows[MR];
    float acc[MR][NR];
    for (size_t i = 0; i < MR; i++) { /* rows past the end repeat the last and are not stored */
        rows[i] = i0 + i < args->m ? i0 + i : args->m - 1;
        for (size_t j = 0; j < NR; j++)
            acc[i][j] = panel[j];
    }
    for (size_t p = 0; p < args->k; p++) {
        panel += NR;
        for (size_t i = 0; i < MR; i++)
            for (size_t j = 0; j < NR; j++)
                acc[i][j] += LHS_AT(args, rows[i], p) * panel[j];
    }
    for (size_t i = 0; i < MR && i0 + i < args->m; i++)
        for (size_t j = 0; j < NR && j0 + j < args->n; j++)
            args->dst[(i0 + i) * args->dst_stride + j0 + j] =
                SL_PUT(sl_clamp(acc[i][j], args->min, args->max));
}

static void run(const struct SL_NAME(sl_matmul, _args) * args)
{
    for (size_t j = 0; j < args->n; j += NR)
        for (size_t i = 0; i < args->m; i += MR)
            block(args, i, j, (const float *)args->rhs + j * (args->k + 1));
}

const struct SL_NAME(sl_matmul, ) KERNEL = {
    .name = SL_TEXT(KERNEL),
    .needs = SL_ISA_NONE,
    .m_step = m_step,
    .n_step = n_step,
    .rhs_bytes = rhs_bytes,
    .pack_rhs = pack_rhs,
    .workspace_bytes = workspace_bytes,
    .run = run,
};
