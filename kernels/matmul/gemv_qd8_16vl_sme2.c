/* kernels/matmul/gemv_qd8_16vl_sme2.c: dynamic int8 products of a single row, SME2: multi-vector
 * SDOT into ZA. */
#include <arm_sme.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/matmul/qd8_row_sme2.h"

static size_t m_step(void)
{
    return 1;
}

static size_t n_step(void)
{
    return 16 * svcntsw();
}

static size_t workspace_bytes(const struct sl_matmul_qd8 *self, size_t m, size_t n, size_t k)
{
    (void)self, (void)m, (void)n;
    return sl_qd8_row_bytes(k);
}

static void pack_body(const void *pointer) __arm_streaming __arm_inout("za")
{
    const struct sl_qd8_call *call = pointer;
    sl_qd8_row_pack(call->args);
}

static void multiply(const struct sl_qd8_call *call) __arm_streaming __arm_inout("za")
{
    const struct sl_matmul_qd8_args *args = call->args;
    const struct sl_qd8_gemv job = sl_qd8_row_job(call);
    if (args->group)
        sl_gemv_q4_groups_sme2_asm(&job);
    else if (call->self->q4)
        sl_gemv_q4_sme2_asm(&job);
    else
        sl_gemv_qd8_sme2_asm(&job);
}

static void run_packed_body(const void *call) __arm_streaming __arm_inout("za")
{
    multiply(call);
}

static void run_body(const void *pointer) __arm_streaming __arm_inout("za")
{
    const struct sl_qd8_call *call = pointer;
    sl_qd8_row_pack(call->args);
    multiply(call);
}

static void pack_lhs(const struct sl_matmul_qd8 *self, size_t m, size_t k,
                     const struct sl_rows *lhs, void *workspace)
{
    const struct sl_matmul_qd8_args args = {.k = k, .lhs = *lhs, .workspace = workspace};
    const struct sl_qd8_call call = {.self = self, .args = &args};
    if (m > 0 && lhs->type == SL_ROWS_QD8)
        sl_qd8_row_pack_int8(&args);
    else if (m > 0)
        sl_streaming_run_za(pack_body, &call);
}

static void run_packed(const struct sl_matmul_qd8 *self, const struct sl_matmul_qd8_args *args)
{
    sl_qd8_stream(run_packed_body, self, args);
}

static void run(const struct sl_matmul_qd8 *self, const struct sl_matmul_qd8_args *args)
{
    if (args->m > 0 && args->lhs.type == SL_ROWS_QD8)
        sl_qd8_row_pack_int8(args);
    sl_qd8_stream(args->lhs.type == SL_ROWS_QD8 ? run_packed_body : run_body, self, args);
}

SL_QD8_SME2_KERNEL(sl_matmul_qd8_qs8_1x16vl_sme2_dot, false, true);
SL_QD8_SME2_KERNEL(sl_matmul_qd8_q4_1x16vl_sme2_dot, true, true);
