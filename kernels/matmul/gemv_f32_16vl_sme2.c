/* kernels/matmul/gemv_f32_16vl_sme2.c: f32 matmul of a single row, SME2: multi-vector FMLA into ZA.
 */
#include <arm_sme.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/matmul/gemv.h"
#include "kernels/matmul/matmul.h"
#include "kernels/pack/pack_rhs_f32.h"

static size_t one(void)
{
    return 1;
}

static size_t sixteen_vl(void)
{
    return 16 * svcntsw();
}

static size_t rhs_bytes(size_t n, size_t k)
{
    return sl_gemv_f32_floats(n, k, svcntsw()) * sizeof(float);
}

static void pack_rhs(size_t n, size_t k, const float *rhs, bool transposed, const float *bias,
                     void *packed)
{
    const struct sl_pack_rhs_f32 job = {n, k, rhs, transposed, bias, 16, 4, packed};
    sl_pack_rhs_f32_sme2(&job);
}

static size_t workspace_bytes(size_t m, size_t n, size_t k)
{
    (void)m;
    (void)n;
    (void)k;
    return 0;
}

static void run_body(const void *pointer) __arm_streaming __arm_inout("za")
{
    const struct sl_matmul_args *args = pointer;
    struct sl_gemv_f32 job = {args->lhs, args->rhs, args->dst, args->n,
                              args->k,   args->min, args->max};
    sl_gemv_f32_sme2_asm(&job);
}

static void run(const struct sl_matmul_args *args)
{
    if (args->m > 0 && args->n > 0)
        sl_streaming_run_za(run_body, args);
}

const struct sl_matmul sl_matmul_f32_f32_f32p16vlx1_1x16vl_sme2_mla = {
    .name = "sl_matmul_f32_f32_f32p16vlx1_1x16vl_sme2_mla",
    .needs = SL_ISA_SME2,
    .m_step = one,
    .n_step = sixteen_vl,
    .rhs_bytes = rhs_bytes,
    .pack_rhs = pack_rhs,
    .workspace_bytes = workspace_bytes,
    .run = run,
    .gemv = true,
};
