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

/* Packs rows first .. first + count of the left operand; count is at most SL_PACK_TABLE_ROWS. */
static void pack_rows(const float *lhs, size_t stride, size_t count, size_t k,
                      float *packed) __arm_streaming __arm_inout("za")
{
    static const int64_t start = 0;
    const float *rows[SL_PACK_TABLE_ROWS];
    size_t vl = svcntw();
    size_t tiles = (count + vl - 1) / vl;
    sl_pack_rows_sme2(rows, lhs, stride * sizeof(float), count, tiles * vl);
    struct sl_pack_f32 job = {rows, &start, 1, k, tiles, packed};
    sl_pack_f32_1vl_sme2_asm(&job);
}

struct lhs {
    size_t m, k, stride;
    const float *from;
    float *packed;
};

static void pack_lhs_body(const void *args) __arm_streaming __arm_inout("za")
{
    const struct lhs *lhs = args;
    float *out = lhs->packed;
    for (size_t row = 0; row < lhs->m; row += SL_PACK_TABLE_ROWS) {
        size_t count = lhs->m - row < SL_PACK_TABLE_ROWS ? lhs->m - row : SL_PACK_TABLE_ROWS;
        pack_rows(lhs->from + row * lhs->stride, lhs->stride, count, lhs->k, out);
        out += count * lhs->k; /* whole tiles: but for the last turn, count is a multiple of VL */
    }
}

static void pack_lhs(size_t m, size_t k, const float *lhs, size_t lhs_stride, void *packed)
{
    struct lhs args = {m, k, lhs_stride, lhs, packed};
    if (k > 0)
        sl_streaming_run_za(pack_lhs_body, &args);
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
        if (args->k > 0)
            pack_rows(args->lhs + row * args->lhs_stride, args->lhs_stride, job.m, args->k,
                      args->workspace);
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
