/* kernels/matmul/matmul_qs8_narrow_neon_i8mm.c: static int8 products of few columns by SMMLA. Pairs
 * of rows are interleaved in registers for each panel, not put into memory once for all. */
#include "kernels/matmul/qs8_pairs_neon.h"

enum { MOST_COLUMNS = 8 };

/* A block's sums, `cp` pairs of columns for each of its pairs of rows. */
typedef int32x4_t sums_t[SL_QS8_MR / 2 * 4];

/* 16 k of a pair of rows; w: their weights. */
SL_INLINE void one_pair(size_t cp, int8x16_t x, int8x16_t y, const int8_t *w, int32x4_t *sum)
{
    const int8x16_t rows[2] = {x, y};
    int8x16_t zipped[2];
    sl_qs8_zip_rows(2, 0, rows, zipped);
    SL_UNROLL
    for (size_t j = 0; j < cp; j++)
        sum[j] = vmmlaq_s32(sum[j], zipped[0], vld1q_s8(w + 16 * j));
    SL_UNROLL
    for (size_t j = 0; j < cp; j++)
        sum[j] = vmmlaq_s32(sum[j], zipped[1], vld1q_s8(w + 64 + 16 * j));
}

SL_INLINE void forward(const int8_t **at, size_t rows, size_t bytes)
{
    SL_UNROLL
    for (size_t i = 0; i < rows; i++) {
        at[i] += bytes;
        SL_FORGET(at[i]);
    }
}

/* 16 k of mr rows, four pairs of columns. */
SL_INLINE void sixteen_on(size_t mr, const int8_t *at[SL_QS8_MR], const int8_t *w, sums_t sum)
{
    size_t step = mr > 1 ? 2 : 1;
    SL_UNROLL
    for (size_t i = 0; i < mr; i += step) {
        int8x16_t x = vld1q_s8(at[i]), y = vld1q_s8(at[i + step - 1]);
        forward(at + i, step, 16);
        one_pair(4, x, y, w, sum + 2 * i);
    }
}

/* All k of mr rows, which move on. `order`: of the last `tail` of them. */
SL_INLINE void sum_rows(size_t mr, size_t cp, const int8_t *at[SL_QS8_MR], size_t k,
                        uint8x16_t order, const int8_t *w, sums_t sum)
{
    size_t step = mr > 1 ? 2 : 1;
    for (size_t turns = k / 32; turns > 0; turns--) {
        if (cp == 4) { /* no registers for 32 k of weights */
            SL_UNROLL
            for (size_t half = 0; half < 2; half++, w += 128)
                sixteen_on(mr, at, w, sum);
            SL_FORGET(w);
            continue;
        }
        SL_UNROLL
        for (size_t i = 0; i < mr; i += step) {
            const int8_t *a = at[i], *b = at[i + step - 1];
            int8x16_t x = vld1q_s8(a), x1 = vld1q_s8(a + 16);
            int8x16_t y = mr > 1 ? vld1q_s8(b) : x, y1 = mr > 1 ? vld1q_s8(b + 16) : x1;
            forward(at + i, step, 32);
            one_pair(cp, x, y, w, sum + i / 2 * cp);
            one_pair(cp, x1, y1, w + 128, sum + i / 2 * cp);
        }
        w += 256;
    }
    if (k % 32 >= 16) {
        SL_UNROLL
        for (size_t i = 0; i < mr; i += step)
            one_pair(cp, vld1q_s8(at[i]), vld1q_s8(at[i + step - 1]), w, sum + i / 2 * cp);
        w += 128;
    }
    if (k % 16 == 0)
        return;
    ptrdiff_t back = (ptrdiff_t)(k % 32) - 16; /* before the first when k is a few more than 32s */
    SL_UNROLL
    for (size_t i = 0; i < mr; i += step)
        one_pair(cp, vqtbl1q_s8(vld1q_s8(at[i] + back), order),
                 vqtbl1q_s8(vld1q_s8(at[i + step - 1] + back), order), w, sum + i / 2 * cp);
}

/* Shared by all blocks. */
struct narrow {
    const struct sl_matmul_qs8_args *args;
    const struct sl_qs8_head *head;
    int8_t *dst;
    size_t n; /* columns of the panel */
    struct sl_qs8_quant quant;
    uint8x16_t order;
};

SL_INLINE void block(size_t mr, size_t cp, struct narrow *job, const int8_t *lhs, int8_t *dst)
{
    const struct sl_qs8_head *head = job->head;
    const int8_t *at[SL_QS8_MR];
    sums_t sum;
    SL_UNROLL
    for (size_t i = 0; i < mr; i++, lhs += job->args->lhs_stride) {
        at[i] = lhs;
        SL_FORGET(at[i]);
    }
    SL_UNROLL
    for (size_t i = 0; i < (mr + 1) / 2 * cp; i++)
        sum[i] = vreinterpretq_s32_s64(
            vld1q_dup_s64((const int64_t *)(const void *)(head->start + 2 * (i % cp))));
    sum_rows(mr, cp, at, job->args->k, job->order, (const int8_t *)(head + 1), sum);
    if (cp == 1) {
        sl_qs8_store_two(mr, sum, &job->quant, head, dst, job->n);
    } else if (cp == 2) {
        sl_qs8_store_four(mr, (int32x4_t(*)[2])sum, &job->quant, head, dst, job->n);
    } else {
        sl_qs8_pair_scales(head, job->quant.out.scale);
        sl_qs8_store_pairs(mr, (int32x4_t(*)[2])sum, &job->quant, dst, job->n);
    }
}

SL_INLINE void all_rows(size_t cp, struct narrow *job)
{
    const struct sl_matmul_qs8_args *args = job->args;
    const int8_t *lhs = args->lhs;
    int8_t *dst = job->dst;
    size_t m = args->m;
    for (; m >= 8; m -= 8, lhs += 8 * args->lhs_stride, dst += 8 * args->dst_stride)
        block(8, cp, job, lhs, dst);
    if (m & 4) {
        block(4, cp, job, lhs, dst);
        lhs += 4 * args->lhs_stride;
        dst += 4 * args->dst_stride;
    }
    for (m &= 3; m > 0; m--, lhs += args->lhs_stride, dst += args->dst_stride)
        block(1, cp, job, lhs, dst);
}

bool sl_qs8_narrow_i8mm(const struct sl_matmul_qs8_args *args)
{
    size_t panel_bytes = sizeof(struct sl_qs8_head) + SL_QS8_NR * sl_qs8_whole(args->k);
    if (args->n > MOST_COLUMNS || args->k < SL_QS8_DEPTH)
        return false;
    struct narrow job = {.args = args,
                         .quant = {sl_requant_neon_of(args->out), args->dst_stride, args->k},
                         .order = sl_neon_tail_order(args->k % 16)};
    for (size_t c = 0; c < args->n; c += SL_QS8_NR) {
        job.head = (const struct sl_qs8_head *)(const void *)((const char *)args->rhs +
                                                              c / SL_QS8_NR * panel_bytes);
        job.dst = args->dst + c;
        job.n = args->n - c < SL_QS8_NR ? args->n - c : SL_QS8_NR;
        if (job.n <= 2)
            all_rows(1, &job);
        else if (job.n <= 4)
            all_rows(2, &job);
        else
            all_rows(4, &job);
    }
    return true;
}
