/* kernels/matmul/matmul_bf16_2vlx2vl_sme2.c: bf16 matmul by outer products, SME2. The workspace is
 * the packed left operand, then its rows in bf16 where they come in f32. */
#include <arm_sve.h>

#include "kernels/matmul/matmul.h"
#include "kernels/matmul/round_bf16_sme2.h"
#include "kernels/pack/pack_rhs_x16.h"

#define SL_TYPE bf16
#define KERNEL sl_matmul_f32_bf16p1vlx2_bf16p2vlx2_2vlx2vl_sme2_mopa
#include "kernels/matmul/matmul_2vlx2vl_sme2.inc"

static void pack_rhs(size_t n, size_t k, const void *rhs, bool transposed, const void *bias,
                     void *packed)
{
    const struct sl_pack_rhs_x16 job = {n, k, 1, rhs, transposed, bias, false, 2, 1, packed};
    sl_pack_rhs_x16_sme2(&job);
}

static size_t workspace_bytes(size_t m, size_t n, size_t k)
{
    (void)n;
    return lhs_bytes(m, k) + m * k * sizeof(uint16_t);
}

static const uint16_t *rows_of(const struct sl_matmul_args *args, size_t row, size_t count,
                               size_t *stride) __arm_streaming __arm_inout("za")
{
    *stride = args->lhs_stride;
    if (!args->lhs_is_f32)
        return (const uint16_t *)args->lhs + row * args->lhs_stride;
    uint16_t *rounded = (uint16_t *)(void *)((char *)args->workspace + lhs_bytes(args->m, args->k));
    sl_round_bf16((const float *)args->lhs + row * args->lhs_stride, args->lhs_stride, count,
                  args->k, rounded);
    *stride = args->k;
    return rounded;
}
