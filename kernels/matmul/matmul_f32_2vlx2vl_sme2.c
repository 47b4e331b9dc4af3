/* kernels/matmul/matmul_f32_2vlx2vl_sme2.c: f32 matmul by outer products, SME2. */
#include "kernels/matmul/matmul.h"

#include <arm_sme.h>
#include <math.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/matmul/matmul_mopa.h"
#include "kernels/pack/pack_f32.h"
#include "kernels/pack/pack_rhs_f32.h"

static size_t two_vl(void)
{
    return 2 * svcntsw();
}

static size_t rhs_bytes(size_t n, size_t k)
{
    return sl_mopa_f32_rhs_floats(n, k, svcntsw()) * sizeof(float);
}

static void pack_rhs(size_t n, size_t k, const float *rhs, bool transposed, const float *bias,
                     void *packed)
{
    const struct sl_pack_rhs_f32 job = {n, k, rhs, transposed, bias, 2, 1, packed};
    sl_pack_rhs_f32_sme2(&job);
}

static size_t workspace_bytes(size_t m, size_t n, size_t k)
{
    (void)n;
    size_t vl = svcntsw();
    return (m + vl - 1) / vl * vl * k * sizeof(float);
}

static void pack_lhs_body(const void *job) __arm_streaming __arm_inout("za")
{
    sl_pack_lhs_f32_sme2(job);
}

static void pack_lhs(size_t m, size_t k, const float *lhs, size_t lhs_stride, void *packed)
{
    struct sl_pack_lhs_f32 job = {lhs, lhs_stride, m, k, packed};
    if (m > 0 && k > 0)
        sl_streaming_run_za(pack_lhs_body, &job);
}

static struct sl_mopa_f32
job_of(const struct sl_matmul_args *args) __arm_streaming __arm_inout("za")
{
    return (struct sl_mopa_f32){
        .lhs = args->workspace,
        .rhs = args->rhs,
        .dst = args->dst,
        .dst_stride = args->dst_stride,
        .m = args->m,
        .n = args->n,
        .k = args->k,
        .min = args->min,
        .max = args->max,
        .clamp = args->min > -INFINITY || args->max < INFINITY,
    };
}

static void run_packed_body(const void *args) __arm_streaming __arm_inout("za")
{
    struct sl_mopa_f32 job = job_of(args);
    sl_mopa_f32_sme2_asm(&job);
}

static void run_packed(const struct sl_matmul_args *args)
{
    if (args->m > 0 && args->n > 0)
        sl_streaming_run_za(run_packed_body, args);
}

/* Packs a chunk of rows, multiplies it, takes the next. */
static void run_body(const void *pointer) __arm_streaming __arm_inout("za")
{
    const struct sl_matmul_args *args = pointer;
    struct sl_mopa_f32 job = job_of(args);
    size_t rows = sl_pack_chunk_rows(args->k, svcntw());
    for (size_t row = 0; row < args->m; row += rows) {
        job.m = args->m - row < rows ? args->m - row : rows;
        job.dst = args->dst + row * args->dst_stride;
        struct sl_pack_lhs_f32 pack = {args->lhs + row * args->lhs_stride, args->lhs_stride, job.m,
                                       args->k, args->workspace};
        if (args->k > 0)
            sl_pack_lhs_f32_sme2(&pack);
        sl_mopa_f32_sme2_asm(&job);
    }
}

static void run(const struct sl_matmul_args *args)
{
    if (args->m > 0 && args->n > 0)
        sl_streaming_run_za(run_body, args);
}

const struct sl_matmul sl_matmul_f32_f32p1vlx1_f32p2vlx1_2vlx2vl_sme2_mopa = {
    .name = "sl_matmul_f32_f32p1vlx1_f32p2vlx1_2vlx2vl_sme2_mopa",
    .needs = SL_ISA_SME2,
    .m_step = two_vl,
    .n_step = two_vl,
    .rhs_bytes = rhs_bytes,
    .pack_rhs = pack_rhs,
    .workspace_bytes = workspace_bytes,
    .pack_lhs = pack_lhs,
    .run_packed = run_packed,
    .run = run,
};
