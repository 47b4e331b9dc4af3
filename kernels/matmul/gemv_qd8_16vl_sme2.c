/* kernels/matmul/gemv_qd8_16vl_sme2.c: dynamic int8 products of a single row, SME2: multi-vector
 * SDOT into ZA. */
#include <arm_sme.h>
#include <math.h>
#include <string.h>

#include "kernels/convert/quantise_rows.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/matmul/matmul_qd8.h"
#include "kernels/matmul/qd8_gemv.h"
#include "kernels/matmul/qd8_lines.h"
#include "kernels/matmul/qd8_rhs.h"

/* The workspace: the row and its parameters. */
struct packed_row {
    struct sl_row_params params;
    int32_t unused[2]; /* the values begin at a multiple of 16 bytes */
    int8_t values[];   /* [4 * words] */
};

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
    return sizeof(struct packed_row) + (k + 3) / 4 * 4 + 4;
}

static void pack_row(const struct sl_matmul_qd8_args *args) __arm_streaming __arm_inout("za")
{
    struct packed_row *row = args->workspace;
    size_t words = sl_qd8_words(args->k);
    *(int32_t *)(void *)(row->values + 4 * (words - 1)) = 0; /* past the last k */
    sl_quantise_row_sme2(args->k, args->lhs.data, args->lhs.type, row->values, &row->params);
}

static void pack_body(const void *pointer) __arm_streaming __arm_inout("za")
{
    const struct sl_qd8_call *call = pointer;
    pack_row(call->args);
}

/* A row that is int8 already. */
static void copy_row(const struct sl_matmul_qd8_args *args)
{
    struct packed_row *row = args->workspace;
    row->params = args->lhs.params[0];
    memset(row->values + args->k / 4 * 4, 0, 4);
    if (args->k > 0)
        memcpy(row->values, args->lhs.data, args->k);
}

static void multiply(const struct sl_qd8_call *call) __arm_streaming __arm_inout("za")
{
    const struct sl_matmul_qd8_args *args = call->args;
    const struct packed_row *row = args->workspace;
    struct sl_qd8_gemv job = {
        .row = row->values,
        .weights = args->rhs,
        .dst = args->dst,
        .n = args->n,
        .words = args->group ? args->group / 4 : sl_qd8_words(args->k),
        .groups = args->group ? args->k / args->group : 0,
        .min = args->min == -INFINITY ? NAN : args->min,
        .max = args->max == INFINITY ? NAN : args->max,
        .scale = row->params.scale,
        .zero_point = row->params.zero_point,
        .half = args->dst_type == SL_ROWS_F16,
        .nibbles = sl_qd8_nibbles,
    };
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
    pack_row(call->args);
    multiply(call);
}

static void pack_lhs(const struct sl_matmul_qd8 *self, size_t m, size_t k,
                     const struct sl_rows *lhs, void *workspace)
{
    const struct sl_matmul_qd8_args args = {.k = k, .lhs = *lhs, .workspace = workspace};
    struct sl_qd8_call call = {self, &args};
    if (m > 0 && lhs->type == SL_ROWS_QD8)
        copy_row(&args);
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
        copy_row(args);
    sl_qd8_stream(args->lhs.type == SL_ROWS_QD8 ? run_packed_body : run_body, self, args);
}

SL_QD8_SME2_KERNEL(sl_matmul_qd8_qs8_1x16vl_sme2_dot, false, true);
SL_QD8_SME2_KERNEL(sl_matmul_qd8_q4_1x16vl_sme2_dot, true, true);
