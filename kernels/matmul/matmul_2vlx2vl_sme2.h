/* kernels/matmul/matmul_2vlx2vl_sme2.h: matmul by outer products, SME2, of the type that the
 * including file names (kernels/cpu/element.h), the kernel KERNEL. That file defines pack_rhs();
 * and unless ROWS_IN_PLACE is defined, workspace_bytes() and rows_of(), which gives rows of the
 * left operand as elements. */
#pragma once

#include <arm_sme.h>
#include <math.h>

#include "kernels/cpu/element.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/matmul/gemv.h"
#include "kernels/matmul/matmul_mopa.h"
#include "kernels/pack/pack_f32.h"
#include "kernels/pack/pack_x16.h"

static size_t two_vl(void)
{
    return 2 * svcntsw();
}

static size_t rhs_bytes(size_t n, size_t k)
{
    return sl_mopa_f32_rhs_floats(n, SL_LANES(k), svcntsw()) * sizeof(float);
}

/* Bytes of the packed left operand. */
static size_t lhs_bytes(size_t m, size_t k) __arm_streaming_compatible
{
    size_t vl = svcntsw();
    return (m + vl - 1) / vl * vl * SL_LANES(k) * sizeof(float);
}

static void pack_rhs(size_t n, size_t k, const SL_ELEMENT *rhs, bool transposed,
                     const SL_RESULT *bias, void *packed);
static size_t workspace_bytes(size_t m, size_t n, size_t k);
/* `count` rows from `row` on, `*stride` elements apart. */
static const SL_ELEMENT *rows_of(const struct SL_NAME(sl_matmul, _args) * args, size_t row,
                                 size_t count, size_t *stride) __arm_streaming __arm_inout("za");

#if defined(ROWS_IN_PLACE)
static size_t workspace_bytes(size_t m, size_t n, size_t k)
{
    (void)n;
    return lhs_bytes(m, k);
}

static const SL_ELEMENT *rows_of(const struct SL_NAME(sl_matmul, _args) * args, size_t row,
                                 size_t count, size_t *stride) __arm_streaming __arm_inout("za")
{
    (void)count;
    *stride = args->lhs_stride;
    return args->lhs + row * args->lhs_stride;
}
#endif

/* Packs rows row .. row + count of the left operand. */
static void pack_rows(const struct SL_NAME(sl_matmul, _args) * args, size_t row, size_t count,
                      void *packed) __arm_streaming __arm_inout("za")
{
    size_t stride;
    const SL_ELEMENT *from = rows_of(args, row, count, &stride);
    struct SL_LANE_NAME(sl_pack_lhs, ) job = {from, stride, count, args->k, packed};
    SL_LANE_NAME(sl_pack_lhs, _sme2)(&job);
}

static void pack_lhs_body(const void *pointer) __arm_streaming __arm_inout("za")
{
    const struct SL_NAME(sl_matmul, _args) *args = pointer;
    pack_rows(args, 0, args->m, args->workspace);
}

#if SL_TYPE_CODE(SL_TYPE) == SL_TYPE_bf16
static void pack_lhs(const struct SL_NAME(sl_matmul, _args) * args)
{
    if (args->m > 0 && args->k > 0)
        sl_streaming_run_za(pack_lhs_body, args);
}
#else
static void pack_lhs(size_t m, size_t k, const SL_ELEMENT *lhs, size_t lhs_stride, void *packed)
{
    struct SL_NAME(sl_matmul, _args)
        args = {.m = m, .k = k, .lhs = lhs, .lhs_stride = lhs_stride, .workspace = packed};
    if (m > 0 && k > 0)
        sl_streaming_run_za(pack_lhs_body, &args);
}
#endif

static struct SL_LANE_NAME(sl_mopa, )
    job_of(const struct SL_NAME(sl_matmul, _args) * args) __arm_streaming __arm_inout("za")
{
    return (struct SL_LANE_NAME(sl_mopa, )){
        .lhs = args->workspace,
        .rhs = args->rhs,
        .dst = args->dst,
        .dst_stride = args->dst_stride,
        .m = args->m,
        .n = args->n,
        .k = SL_LANES(args->k),
        .min = args->min,
        .max = args->max,
        .clamp = args->min > -INFINITY || args->max < INFINITY,
    };
}

static void run_packed_body(const void *args) __arm_streaming __arm_inout("za")
{
    struct SL_LANE_NAME(sl_mopa, ) job = job_of(args);
    SL_TYPE_NAME(sl_mopa, _sme2_asm)(&job);
}

static void run_packed(const struct SL_NAME(sl_matmul, _args) * args)
{
    if (args->m > 0 && args->n > 0)
        sl_streaming_run_za(run_packed_body, args);
}

/* A single row needs no outer products, nor to be packed. */
static void run_row(const void *pointer) __arm_streaming __arm_inout("za")
{
    const struct SL_NAME(sl_matmul, _args) *args = pointer;
    size_t stride;
    struct SL_LANE_NAME(sl_gemv, ) job = {
        rows_of(args, 0, 1, &stride), args->rhs, args->dst, args->n, args->k, args->min, args->max};
    SL_TYPE_NAME(sl_gemv_panels, _sme2_asm)(&job);
}

/* Packs a chunk of rows, multiplies it, takes the next. */
static void run_body(const void *pointer) __arm_streaming __arm_inout("za")
{
    const struct SL_NAME(sl_matmul, _args) *args = pointer;
    struct SL_LANE_NAME(sl_mopa, ) job = job_of(args);
    size_t rows = sl_pack_chunk_rows(SL_LANES(args->k), svcntw());
    for (size_t row = 0; row < args->m; row += rows) {
        job.m = args->m - row < rows ? args->m - row : rows;
        job.dst = args->dst + row * args->dst_stride;
        if (args->k > 0)
            pack_rows(args, row, job.m, args->workspace);
        SL_TYPE_NAME(sl_mopa, _sme2_asm)(&job);
    }
}

static void run(const struct SL_NAME(sl_matmul, _args) * args)
{
    if (args->m > 0 && args->n > 0)
        sl_streaming_run_za(args->m == 1 ? run_row : run_body, args);
}

const struct SL_NAME(sl_matmul, ) KERNEL = {
    .name = SL_TEXT(KERNEL),
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
