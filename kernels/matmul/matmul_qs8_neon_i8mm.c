/* kernels/matmul/matmul_qs8_neon_i8mm.c: static int8 products and convolutions by SMMLA.
 *
 * A panel has 8 k of two columns in 16 bytes; pairs of rows are interleaved the same way once for
 * all panels. A sum of two rows and two columns is one vector; as bytes they are put in order. */
#include "kernels/matmul/qs8_blocks_neon.h"

#define NAME qs8_qs8p8x8_8x8_neon_i8mm
#define NEEDS (SL_ISA_NEON | SL_ISA_I8MM)
#define TAKES_RUNS true
#define EIGHT_COLUMNS sl_eight_columns_by_8
typedef int8_t weight_t;

static size_t place(size_t k, size_t column)
{
    return k / 8 * 64 + column * 8 + k % 8;
}

/* Pairs of rows, [depth / 8][pairs][2][8], at rows[0]; a single row is a pair with itself. */
SL_INLINE void prepare(size_t mr, const struct sl_qs8_rows *job, size_t first, const int8_t **rows)
{
    size_t pairs = (mr + 1) / 2;
    const int8_t *const *run = job->runs + first * job->run_count, *at[SL_QS8_MR];
    int8_t *out = job->scratch;
    for (size_t t = job->run_count; t > 0; t--, run++) {
        SL_UNROLL
        for (size_t i = 0; i < mr; i++)
            at[i] = run[i * job->run_count];
        for (size_t k = 0; k < job->run_bytes; k += 16, out += 32 * pairs) {
            SL_UNROLL
            for (size_t i = 0; i < pairs; i++) {
                int64x2_t x = vreinterpretq_s64_s8(vld1q_s8(at[2 * i] + k));
                int64x2_t y = vreinterpretq_s64_s8(vld1q_s8(at[mr > 1 ? 2 * i + 1 : 0] + k));
                vst1q_s8(out + 16 * i, vreinterpretq_s8_s64(vzip1q_s64(x, y)));
                vst1q_s8(out + 16 * (pairs + i), vreinterpretq_s8_s64(vzip2q_s64(x, y)));
            }
        }
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

/* Two columns of a scale for each of two rows. */
SL_INLINE void load_scales(const struct sl_qs8_head *head, float32x4_t scale[4])
{
    SL_UNROLL
    for (size_t j = 0; j < 4; j++)
        scale[j] = vreinterpretq_f32_s64(
            vld1q_dup_s64((const int64_t *)(const void *)(head->scale + 2 * j)));
}

SL_INLINE void store(size_t mr, int32x4_t acc[SL_QS8_MR][2], const struct sl_qs8_quant *quant,
                     int8_t *dst, size_t columns)
{
    static const int8_t order[] = {0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15};
    int8x16_t rows[SL_QS8_MR / 2], at = vld1q_s8(order);
    SL_UNROLL
    for (size_t i = 0; i < mr; i += 2)
        rows[i / 2] = vqtbl1q_s8(sl_requant_sixteen(acc[i], acc[i + 1], &quant->out),
                                 vreinterpretq_u8_s8(at));
    sl_qs8_store(mr, rows, quant, dst, columns);
}

/* The same of a panel of at most four columns: two pairs of them, two pairs of rows a vector. */
SL_INLINE void four_columns(size_t mr, const int8_t *const *rows, struct sl_qs8_quant *quant,
                            const struct sl_qs8_head *head, int8_t *dst, size_t columns)
{
    static const int8_t order[] = {0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15};
    int32x4_t sum[SL_QS8_MR / 2][2];
    float32x4_t scale[4];
    const int8_t *at = rows[0], *w = (const int8_t *)(head + 1);
    size_t pairs = (mr + 1) / 2;
    SL_UNROLL
    for (size_t i = 0; i < 2 * pairs; i++)
        sum[i / 2][i % 2] = vreinterpretq_s32_s64(
            vld1q_dup_s64((const int64_t *)(const void *)(head->start + 2 * (i % 2))));
    for (size_t steps = quant->depth / 8; steps > 0; steps--, w += 64) {
        int8x16_t a[SL_QS8_MR / 2];
        const int8x16x2_t b = vld1q_s8_x2(w);
        load_pairs(pairs, &at, a);
        SL_UNROLL
        for (size_t i = 0; i < 2 * pairs; i++)
            sum[i / 2][i % 2] = vmmlaq_s32(sum[i / 2][i % 2], a[i / 2], b.val[i % 2]);
    }
    load_scales(head, scale);
    quant->out.scale[0] = quant->out.scale[2] = scale[0];
    quant->out.scale[1] = quant->out.scale[3] = scale[1];
    SL_UNROLL
    for (size_t i = 0; i < mr; i += 4) {
        size_t next = i / 2 + 1 < pairs ? i / 2 + 1 : i / 2;
        uint32x4_t four =
            vreinterpretq_u32_s8(vqtbl1q_s8(sl_requant_sixteen(sum[i / 2], sum[next], &quant->out),
                                            vreinterpretq_u8_s8(vld1q_s8(order))));
        SL_UNROLL
        for (size_t r = 0; r < 4 && i + r < mr; r++, dst += quant->stride)
            sl_qs8_store_some(four[r], dst, columns);
    }
}

#define FOUR_COLUMNS four_columns
#include "kernels/matmul/qs8_kernels.inc"
