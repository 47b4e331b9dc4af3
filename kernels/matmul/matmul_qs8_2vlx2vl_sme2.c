/* kernels/matmul/matmul_qs8_2vlx2vl_sme2.c: int8 matmul by outer products, SME2. */
#include <arm_sme.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/matmul/matmul_qs8.h"
#include "kernels/matmul/mopa_qs8.h"
#include "kernels/matmul/qs8_gemv.h"
#include "kernels/pack/pack_f32.h"
#include "kernels/pack/pack_short.h"
#include "kernels/pack/pack_x8.h"

static size_t two_vl(void)
{
    return 2 * svcntsw();
}

static size_t rhs_bytes(size_t n, size_t k)
{
    return sl_rhs_qs8_bytes(n, sl_rhs_qs8_steps(1, k), 1, svcntsw());
}

static void pack_rhs(size_t n, size_t k, const int8_t *rhs, bool transposed,
                     const struct sl_requant *requant, void *packed)
{
    const struct sl_rhs_qs8 job = {n, 1, k, rhs, transposed, requant, 2, 1, packed};
    sl_rhs_qs8_pack_sme2(&job);
}

static size_t workspace_bytes(size_t m, size_t n, size_t k)
{
    (void)n;
    size_t vl = svcntsw();
    return (m + vl - 1) / vl * vl * sl_rhs_qs8_steps(1, k) * 4;
}

/* Packs rows if a vector holds 16 words. */
static void pack_16(const int8_t *lhs, size_t stride, size_t count, size_t k,
                    int32_t *packed) __arm_streaming __arm_inout("za")
{
    const struct sl_pack_short few = {lhs, stride, k, count, packed};
    const struct sl_pack_lhs_x8 any = {lhs, stride, count, k, packed};
    if (k <= SL_PACK_VECTOR_BYTES)
        sl_pack_short_sme2(&few);
    else
        sl_pack_x8_16_sme2_asm(&any);
}

/* Packs `count` rows, at most SL_PACK_TABLE_ROWS. */
static void pack_rows(const int8_t *lhs, size_t stride, size_t count, size_t k,
                      int32_t *packed) __arm_streaming __arm_inout("za")
{
    static const int64_t start = 0;
    const int8_t *rows[SL_PACK_TABLE_ROWS];
    size_t vl = svcntw(), tiles = (count + vl - 1) / vl;
    if (vl == SL_PACK_16) {
        pack_16(lhs, stride, count, k, packed);
        return;
    }
    sl_pack_rows_sme2((const float **)(void *)rows, (const float *)(const void *)lhs, stride, count,
                      tiles * vl);
    struct sl_pack_x8 job = {rows, &start, 1, k, tiles, packed};
    sl_pack_x8_1vl_sme2_asm(&job);
}

struct lhs {
    size_t m, k, stride;
    const int8_t *from;
    int32_t *packed;
};

static void pack_lhs_body(const void *args) __arm_streaming __arm_inout("za")
{
    const struct lhs *lhs = args;
    int32_t *out = lhs->packed;
    for (size_t row = 0; row < lhs->m; row += SL_PACK_TABLE_ROWS) {
        size_t left = lhs->m - row, count = left < SL_PACK_TABLE_ROWS ? left : SL_PACK_TABLE_ROWS;
        pack_rows(lhs->from + row * lhs->stride, lhs->stride, count, lhs->k, out);
        out += count * sl_rhs_qs8_steps(1, lhs->k); /* but for the last turn, whole tiles */
    }
}

static void pack_lhs_16(const void *args) __arm_streaming __arm_inout("za")
{
    const struct lhs *lhs = args;
    pack_16(lhs->from, lhs->stride, lhs->m, lhs->k, lhs->packed);
}

static void pack_lhs(size_t m, size_t k, const int8_t *lhs, size_t lhs_stride, void *packed)
{
    struct lhs args = {m, k, lhs_stride, lhs, packed};
    if (m > 0 && k > 0)
        sl_streaming_run_za(svcntsw() == SL_PACK_16 ? pack_lhs_16 : pack_lhs_body, &args);
}

static struct sl_mopa_qs8
job_of(const struct sl_matmul_qs8_args *args) __arm_streaming __arm_inout("za")
{
    return (struct sl_mopa_qs8){
        .lhs = args->workspace,
        .rhs = args->rhs,
        .dst = args->dst,
        .dst_stride = args->dst_stride,
        .m = args->m,
        .n = args->n,
        .steps = sl_rhs_qs8_steps(1, args->k),
        .min = args->out.min - args->out.zero,
        .max = args->out.max - args->out.zero,
        .zero = args->out.zero,
    };
}

static void run_packed_body(const void *args) __arm_streaming __arm_inout("za")
{
    struct sl_mopa_qs8 job = job_of(args);
    sl_mopa_qs8_sme2_asm(&job);
}

static void run_packed(const struct sl_matmul_qs8_args *args)
{
    if (args->m > 0 && args->n > 0)
        sl_streaming_run_za(run_packed_body, args);
}

/* Packs a chunk of rows, multiplies it, takes the next. */
static void run_body(const void *pointer) __arm_streaming __arm_inout("za")
{
    const struct sl_matmul_qs8_args *args = pointer;
    struct sl_mopa_qs8 job = job_of(args);
    size_t chunk = sl_pack_chunk_rows(job.steps, 2 * svcntw());
    const int8_t *lhs = args->lhs;
    for (size_t left = args->m; left > 0; left -= job.m) {
        job.m = left < chunk ? left : chunk;
        if (args->k > 0)
            pack_rows(lhs, args->lhs_stride, job.m, args->k, args->workspace);
        sl_mopa_qs8_sme2_asm(&job);
        lhs += job.m * args->lhs_stride;
        job.dst += job.m * args->dst_stride;
    }
}

/* A single row, as it lies. */
static void run_row_body(const void *args) __arm_streaming __arm_inout("za")
{
    const struct sl_gemv_qs8 job = sl_gemv_qs8_of(args);
    sl_gemv_qs8_panels_sme2_asm(&job);
}

static void run(const struct sl_matmul_qs8_args *args)
{
    if (args->m > 0 && args->n > 0)
        sl_streaming_run_za(args->m == 1 ? run_row_body : run_body, args);
}

const struct sl_matmul_qs8 sl_matmul_qs8_qs8p1vlx4_qs8p2vlx4_2vlx2vl_sme2_mopa = {
    .name = "sl_matmul_qs8_qs8p1vlx4_qs8p2vlx4_2vlx2vl_sme2_mopa",
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
