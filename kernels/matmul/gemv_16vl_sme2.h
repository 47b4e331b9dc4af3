/* kernels/matmul/gemv_16vl_sme2.h: matmul of a single row by multi-vector products into ZA, SME2,
 * of the type that the including file names (kernels/cpu/element.h), the kernel KERNEL. That file
 * defines pack_rhs(); and unless ROW_IN_PLACE is defined, workspace_bytes() and row_of(). */
#pragma once

#include <arm_sme.h>

#include "kernels/cpu/element.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/matmul/gemv.h"

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
    return sl_gemv_f32_floats(n, SL_LANES(k), svcntsw()) * sizeof(float);
}

static void pack_rhs(size_t n, size_t k, const SL_ELEMENT *rhs, bool transposed,
                     const SL_RESULT *bias, void *packed);

#if defined(ROW_IN_PLACE)
static size_t workspace_bytes(size_t m, size_t n, size_t k)
{
    (void)m, (void)n, (void)k;
    return 0;
}

static const SL_ELEMENT *row_of(const struct SL_NAME(sl_matmul, _args) *
                                args) __arm_streaming __arm_inout("za")
{
    return args->lhs;
}
#else
static size_t workspace_bytes(size_t m, size_t n, size_t k);
/* The left operand as elements. */
static const SL_ELEMENT *row_of(const struct SL_NAME(sl_matmul, _args) *
                                args) __arm_streaming __arm_inout("za");
#endif

static void run_body(const void *pointer) __arm_streaming __arm_inout("za")
{
    const struct SL_NAME(sl_matmul, _args) *args = pointer;
    struct SL_LANE_NAME(sl_gemv, )
        job = {row_of(args), args->rhs, args->dst, args->n, args->k, args->min, args->max};
    SL_TYPE_NAME(sl_gemv, _sme2_asm)(&job);
}

static void run(const struct SL_NAME(sl_matmul, _args) * args)
{
    if (args->m > 0 && args->n > 0)
        sl_streaming_run_za(run_body, args);
}

const struct SL_NAME(sl_matmul, ) KERNEL = {
    .name = SL_TEXT(KERNEL),
    .needs = SL_ISA_SME2,
    .m_step = one,
    .n_step = sixteen_vl,
    .rhs_bytes = rhs_bytes,
    .pack_rhs = pack_rhs,
    .workspace_bytes = workspace_bytes,
    .run = run,
    .gemv = true,
};
