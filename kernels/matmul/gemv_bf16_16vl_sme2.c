/* kernels/matmul/gemv_bf16_16vl_sme2.c: bf16 matmul of a single row, SME2. A row in f32 is rounded
 * into the workspace first. */
#include "kernels/matmul/matmul.h"
#include "kernels/matmul/round_bf16_sme2.h"
#include "kernels/pack/pack_rhs_x16.h"

#define SL_TYPE bf16
#define KERNEL sl_matmul_f32_bf16_bf16p16vlx2_1x16vl_sme2_dot
#include "kernels/matmul/gemv_16vl_sme2.inc"

static void pack_rhs(size_t n, size_t k, const void *rhs, bool transposed, const void *bias,
                     void *packed)
{
    const struct sl_pack_rhs_x16 job = {n, k, 1, rhs, transposed, bias, false, 16, 4, packed};
    sl_pack_rhs_x16_sme2(&job);
}

static size_t workspace_bytes(size_t m, size_t n, size_t k)
{
    (void)m, (void)n;
    return k * sizeof(uint16_t);
}

static const uint16_t *row_of(const struct sl_matmul_args *args) __arm_streaming __arm_inout("za")
{
    if (!args->lhs_is_f32)
        return args->lhs;
    sl_round_bf16(args->lhs, 0, 1, args->k, args->workspace);
    return args->workspace;
}
