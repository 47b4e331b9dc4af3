/* kernels/matmul/matmul_qd8_2vlx2vl_sme2.c: dynamic int8 products by outer products, SME2: the left
 * operand and the calls. */
#include <arm_sme.h>
#include <arm_sve.h>

#include "kernels/convert/quantise_rows.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/matmul/matmul_qd8.h"
#include "kernels/matmul/qd8_lines.h"
#include "kernels/matmul/qd8_mopa.h"
#include "kernels/matmul/qd8_rhs_sme2.h"
#include "kernels/matmul/qd8_row_sme2.h"
#include "kernels/pack/pack_f32.h"

static size_t m_step(void)
{
    return 2 * svcntsw();
}

static size_t n_step(void)
{
    return m_step();
}

static size_t panel_bytes(size_t k, size_t vl) __arm_streaming_compatible
{
    return (sl_qd8_words(k) + SL_QD8_LHS_HEAD) * vl * 4;
}

static size_t workspace_bytes(const struct sl_matmul_qd8 *self, size_t m, size_t n, size_t k)
{
    size_t vl = svcntsw();
    (void)self, (void)n;
    return (m + vl - 1) / vl * panel_bytes(k, vl);
}

struct lhs {
    size_t m, k;
    const struct sl_rows *rows;
    char *packed;
};

/* The head of a panel of rows whose parameters are known. */
static void put_head(const struct sl_row_params *params, size_t count,
                     float *out) __arm_streaming __arm_inout("za")
{
    svbool_t all = svptrue_b32(), some = svwhilelt_b32_u64(0, count);
    svuint32x2_t both = svld2_u32(some, (const uint32_t *)(const void *)params);
    svint32_t zero = svreinterpret_s32_u32(svget2_u32(both, 1));
    svint32_t pair =
        svorr_s32_x(all, svand_n_s32_x(all, zero, 0xffff), svlsl_n_s32_x(all, zero, 24));
    svst1_f32(all, out, svreinterpret_f32_u32(svget2_u32(both, 0)));
    svst1_s32(all, (int32_t *)(void *)(out + svcntw()), pair);
    svst1_f32(all, out + 2 * svcntw(), svcvt_f32_s32_x(all, svneg_s32_x(all, zero)));
}

/* Rows first .. first + count, at most SL_PACK_TABLE_ROWS of them, to whole panels. */
static void pack_rows(const struct lhs *lhs, size_t first, size_t count,
                      char *out) __arm_streaming __arm_inout("za")
{
    const void *table[SL_PACK_TABLE_ROWS];
    int32_t sums[SL_QD8_MOST_COLUMNS];
    const struct sl_rows *rows = lhs->rows;
    size_t vl = svcntw(), tiles = (count + vl - 1) / vl;
    size_t bytes = rows->type == SL_ROWS_F32 ? 4 : rows->type == SL_ROWS_F16 ? 2 : 1;
    const char *base = (const char *)rows->data + first * rows->stride * bytes;
    sl_pack_rows_sme2((const float **)(void *)table, (const float *)(const void *)base,
                      rows->stride * bytes, count, tiles * vl);
    if (rows->type != SL_ROWS_QD8) {
        struct sl_qd8_pack job = {table, lhs->k, tiles, out, rows->type == SL_ROWS_F16};
        sl_qd8_pack_sme2_asm(&job);
        return;
    }
    for (size_t t = 0; t < tiles; t++, out += panel_bytes(lhs->k, vl)) {
        struct sl_qd8_lines lines = {(const char *const *)(const void *)(table + t * vl), 0, lhs->k,
                                     out + SL_QD8_LHS_HEAD * vl * 4, vl * 4};
        put_head(rows->params + first + t * vl, count - t * vl, (float *)(void *)out);
        sl_qd8_pack_words_sme2(&lines, sl_qd8_words(lhs->k), sums);
    }
}

static void pack_lhs_body(const void *args) __arm_streaming __arm_inout("za")
{
    const struct lhs *lhs = args;
    size_t vl = svcntw();
    for (size_t row = 0; row < lhs->m; row += SL_PACK_TABLE_ROWS) {
        size_t count = lhs->m - row < SL_PACK_TABLE_ROWS ? lhs->m - row : SL_PACK_TABLE_ROWS;
        pack_rows(lhs, row, count, lhs->packed + row / vl * panel_bytes(lhs->k, vl));
    }
}

static void pack_row_body(const void *args) __arm_streaming __arm_inout("za")
{
    sl_qd8_row_pack(args);
}

static void pack_row(size_t k, const struct sl_rows *lhs, void *workspace)
{
    const struct sl_matmul_qd8_args row = {.k = k, .lhs = *lhs, .workspace = workspace};
    if (lhs->type == SL_ROWS_QD8)
        sl_qd8_row_pack_int8(&row);
    else
        sl_streaming_run_za(pack_row_body, &row);
}

static void pack_lhs(const struct sl_matmul_qd8 *self, size_t m, size_t k,
                     const struct sl_rows *lhs, void *workspace)
{
    struct lhs args = {m, k, lhs, workspace};
    (void)self;
    if (m == 1)
        pack_row(k, lhs, workspace);
    else
        sl_streaming_run_za(pack_lhs_body, &args);
}

static inline __attribute__((always_inline)) struct sl_qd8_mopa
job_of(const struct sl_qd8_call *call, size_t row, size_t rows) __arm_streaming __arm_inout("za")
{
    const struct sl_matmul_qd8_args *args = call->args;
    size_t dst_bytes = args->dst_type == SL_ROWS_F16 ? 2 : 4;
    return (struct sl_qd8_mopa){
        .lhs = args->workspace,
        .rhs = args->rhs,
        .dst = (char *)args->dst + row * args->dst_stride * dst_bytes,
        .dst_stride = args->dst_stride,
        .m = rows,
        .n = args->n,
        .words = args->group ? args->group / 4 : sl_qd8_words(args->k),
        .corrections = sl_qd8_head_lines(args),
        .min = call->min,
        .max = call->max,
        .half = args->dst_type == SL_ROWS_F16,
        .nibbles = sl_qd8_nibbles,
    };
}

static inline __attribute__((always_inline)) void
multiply(const struct sl_qd8_call *call, size_t row, size_t rows) __arm_streaming __arm_inout("za")
{
    const struct sl_matmul_qd8_args *args = call->args;
    struct sl_qd8_mopa job = job_of(call, row, rows);
    if (!call->self->q4)
        sl_mopa_qd8_sme2_asm(&job);
    else if (args->group)
        sl_mopa_q4_groups_sme2_asm(&job);
    else
        sl_mopa_q4_sme2_asm(&job);
}

static void run_packed_body(const void *call) __arm_streaming __arm_inout("za")
{
    multiply(call, 0, ((const struct sl_qd8_call *)call)->args->m);
}

/* Packs a chunk of rows, multiplies it, takes the next. */
static void run_body(const void *pointer) __arm_streaming __arm_inout("za")
{
    const struct sl_qd8_call *call = pointer;
    const struct sl_matmul_qd8_args *args = call->args;
    struct lhs lhs = {args->m, args->k, &args->lhs, args->workspace};
    size_t rows = sl_pack_chunk_rows(sl_qd8_words(args->k), 2 * svcntw());
    for (size_t row = 0; row < args->m; row += rows) {
        size_t count = args->m - row < rows ? args->m - row : rows;
        pack_rows(&lhs, row, count, lhs.packed);
        multiply(call, row, count);
    }
}

/* A single row, which a panel of VL rows would be made for nothing of. */
static void run_packed_row_body(const void *pointer) __arm_streaming __arm_inout("za")
{
    const struct sl_qd8_call *call = pointer;
    const struct sl_matmul_qd8_args *args = call->args;
    const struct sl_qd8_gemv job = sl_qd8_row_job(call);
    if (!call->self->q4)
        sl_gemv_qd8_panels_sme2_asm(&job);
    else if (args->group)
        sl_gemv_q4_groups_panels_sme2_asm(&job);
    else
        sl_gemv_q4_panels_sme2_asm(&job);
}

static void run_row_body(const void *call) __arm_streaming __arm_inout("za")
{
    sl_qd8_row_pack(((const struct sl_qd8_call *)call)->args);
    run_packed_row_body(call);
}

static void run_packed(const struct sl_matmul_qd8 *self, const struct sl_matmul_qd8_args *args)
{
    sl_qd8_stream(args->m == 1 ? run_packed_row_body : run_packed_body, self, args);
}

static void run(const struct sl_matmul_qd8 *self, const struct sl_matmul_qd8_args *args)
{
    if (args->m != 1) {
        sl_qd8_stream(run_body, self, args);
    } else if (args->lhs.type == SL_ROWS_QD8) {
        sl_qd8_row_pack_int8(args);
        sl_qd8_stream(run_packed_row_body, self, args);
    } else {
        sl_qd8_stream(run_row_body, self, args);
    }
}

SL_QD8_SME2_KERNEL(sl_matmul_qd8_qs8_2vlx2vl_sme2_mopa, false, false);
SL_QD8_SME2_KERNEL(sl_matmul_qd8_q4_2vlx2vl_sme2_mopa, true, false);
