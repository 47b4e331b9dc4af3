/* kernels/matmul/matmul_qs8_neon_i8mm.c: static int8 products and convolutions by SMMLA.
 *
 * A panel has 8 k of two columns in 16 bytes; pairs of rows are interleaved the same way once for
 * all panels. A sum of two rows and two columns is one vector; as bytes they are put in order. */
#include "kernels/matmul/qs8_pairs_neon.h"

#define NAME qs8_qs8p8x8_8x8_neon_i8mm
#define NEEDS (SL_ISA_NEON | SL_ISA_I8MM)
#define TAKES_RUNS true
#define EIGHT_COLUMNS sl_pack_eight_columns_by_8
#define NARROW sl_qs8_narrow_i8mm
typedef int8_t weight_t;

static size_t place(size_t k, size_t column)
{
    return k / 8 * 64 + column * 8 + k % 8;
}

SL_INLINE void load_sixteen(size_t mr, const int8_t *const at[SL_QS8_MR], ptrdiff_t k,
                            int8x16_t x[SL_QS8_MR])
{
    SL_UNROLL
    for (size_t i = 0; i < mr; i++)
        x[i] = vld1q_s8(at[i] + k);
}

/* The bytes behind a run; `at` are behind its whole 32s. */
SL_INLINE void load_tail(size_t mr, const int8_t *const at[SL_QS8_MR],
                         const struct sl_qs8_rows *job, int8x16_t x[SL_QS8_MR])
{
    uint8x16_t order = sl_neon_tail_order(job->tail);
    load_sixteen(mr, at, (ptrdiff_t)(job->run_bytes % 32 + job->tail) - 16, x);
    SL_UNROLL
    for (size_t i = 0; i < mr; i++)
        x[i] = vqtbl1q_s8(x[i], order);
}

SL_INLINE int8_t *put_pairs(size_t mr, const int8x16_t x[SL_QS8_MR], int8_t *out)
{
    size_t pairs = (mr + 1) / 2;
    int8x16x4_t zipped[2];
    SL_UNROLL
    for (size_t i = 0; i < pairs; i++) {
        int8x16_t pair[2];
        sl_qs8_zip_rows(mr, i, x, pair);
        zipped[0].val[i] = pair[0];
        zipped[1].val[i] = pair[1];
    }
    SL_UNROLL
    for (size_t half = 0; half < 2; half++, out += 16 * pairs) {
        SL_FORGET(out);
        if (pairs == 4)
            vst1q_s8_x4(out, zipped[half]);
        for (size_t i = 0; pairs < 4 && i < pairs; i++)
            vst1q_s8(out + 16 * i, zipped[half].val[i]);
    }
    return out;
}

/* 32 bytes of each row, which move on. */
SL_INLINE int8_t *put_32(size_t mr, const int8_t *at[SL_QS8_MR], int8_t *out)
{
    int8x16_t x[2][SL_QS8_MR];
    SL_UNROLL
    for (size_t i = 0; i < mr; i++) {
        int8x16x2_t two = vld1q_s8_x2(at[i]);
        x[0][i] = two.val[0];
        x[1][i] = two.val[1];
        at[i] += 32;
        SL_FORGET(at[i]);
    }
    out = put_pairs(mr, x[0], out);
    return put_pairs(mr, x[1], out);
}

SL_INLINE void find_run(size_t mr, const struct sl_qs8_rows *job, const int8_t *const *run,
                        const int8_t *at[SL_QS8_MR])
{
    SL_UNROLL
    for (size_t i = 0; i < mr; i++)
        at[i] = run[i * job->run_count];
}

/* Pairs of rows, [depth / 8][pairs][2][8], at rows[0]; a single row is a pair with itself. */
SL_INLINE void prepare(size_t mr, const struct sl_qs8_rows *job, size_t first, const int8_t **rows)
{
    const int8_t *const *run = job->runs + first * job->run_count, *at[SL_QS8_MR];
    int8_t *out = job->scratch;
    int8x16_t x[SL_QS8_MR];
    for (size_t t = job->run_count; t > 0; t--, run++) {
        find_run(mr, job, run, at);
        size_t k = job->run_bytes;
        for (; k >= 32; k -= 32)
            out = put_32(mr, at, out);
        if (k > 0) {
            load_sixteen(mr, at, 0, x);
            out = put_pairs(mr, x, out);
        }
    }
    if (job->tail) {
        load_tail(mr, at, job, x);
        put_pairs(mr, x, out);
    }
    rows[0] = job->scratch;
}

/* 16 bytes of each of so many pairs of rows, by one instruction, and on to what follows them. */
SL_INLINE void load_pairs(size_t pairs, const int8_t **at, int8x16_t a[SL_QS8_MR / 2])
{
    if (pairs == 4) {
        const int8x16x4_t four = vld1q_s8_x4(*at);
        SL_UNROLL
        for (size_t i = 0; i < 4; i++)
            a[i] = four.val[i];
    } else if (pairs == 2) {
        const int8x16x2_t two = vld1q_s8_x2(*at);
        a[0] = two.val[0];
        a[1] = two.val[1];
    } else {
        a[0] = vld1q_s8(*at);
    }
    *at += 16 * pairs;
    SL_FORGET(*at);
}

/* 8 k of all pairs. */
SL_INLINE void eight(size_t pairs, const int8_t **at, const int8_t **w,
                     int32x4_t sum[SL_QS8_MR / 2][4])
{
    int8x16_t a[SL_QS8_MR / 2], b[4];
    load_pairs(pairs, at, a);
    load_pairs(4, w, b);
    SL_UNROLL
    for (size_t i = 0; i < pairs; i++) {
        SL_UNROLL
        for (size_t j = 0; j < 4; j++)
            sum[i][j] = vmmlaq_s32(sum[i][j], a[i], b[j]);
    }
}

SL_INLINE const int8_t *multiply(size_t mr, const int8_t *const *rows, size_t depth,
                                 const struct sl_qs8_head *head, const int8_t *w,
                                 int32x4_t acc[SL_QS8_MR][2])
{
    size_t pairs = (mr + 1) / 2;
    const int8_t *at = rows[0];
    int32x4_t(*sum)[4] = (int32x4_t(*)[4])acc;
    SL_UNROLL
    for (size_t i = 0; i < pairs; i++) {
        SL_UNROLL
        for (size_t j = 0; j < 4; j++)
            sum[i][j] = vreinterpretq_s32_s64(
                vld1q_dup_s64((const int64_t *)(const void *)(head->start + 2 * j)));
    }
    for (size_t turns = depth / 32; turns > 0; turns--) {
        SL_UNROLL
        for (size_t part = 0; part < 4; part++)
            eight(pairs, &at, &w, sum);
    }
    if (depth % 32) {
        eight(pairs, &at, &w, sum);
        eight(pairs, &at, &w, sum);
    }
    return w;
}

/* The same of a panel of `cp` pairs of columns, 1 or 2. */
SL_INLINE void few_columns(size_t cp, size_t mr, const int8_t *at, struct sl_qs8_quant *quant,
                           const struct sl_qs8_head *head, int8_t *dst, size_t columns)
{
    int32x4_t sum[SL_QS8_MR];
    const int8_t *w = (const int8_t *)(head + 1);
    size_t pairs = (mr + 1) / 2;
    SL_UNROLL
    for (size_t i = 0; i < cp * pairs; i++)
        sum[i] = vreinterpretq_s32_s64(
            vld1q_dup_s64((const int64_t *)(const void *)(head->start + 2 * (i % cp))));
    for (size_t steps = quant->depth / 16; steps > 0; steps--) {
        SL_UNROLL
        for (size_t half = 0; half < 2; half++, w += 64) {
            int8x16_t a[SL_QS8_MR / 2], b[2] = {vld1q_s8(w), vld1q_s8(w + 16)};
            load_pairs(pairs, &at, a);
            SL_UNROLL
            for (size_t i = 0; i < cp * pairs; i++)
                sum[i] = vmmlaq_s32(sum[i], a[i / cp], b[i % cp]);
        }
    }
    if (cp == 1)
        sl_qs8_store_two(mr, sum, quant, head, dst, columns);
    else
        sl_qs8_store_four(mr, (int32x4_t(*)[2])sum, quant, head, dst, columns);
}

/* The same of a panel of at most four columns. */
SL_INLINE void four_columns(size_t mr, const int8_t *const *rows, struct sl_qs8_quant *quant,
                            const struct sl_qs8_head *head, int8_t *dst, size_t columns)
{
    if (columns <= 2)
        few_columns(1, mr, rows[0], quant, head, dst, columns);
    else
        few_columns(2, mr, rows[0], quant, head, dst, columns);
}

#define load_scales sl_qs8_pair_scales
#define store sl_qs8_store_pairs
#define FOUR_COLUMNS four_columns
#include "kernels/matmul/qs8_kernels.inc"
