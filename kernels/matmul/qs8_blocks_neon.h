/* kernels/matmul/qs8_blocks_neon.h: what a NEON engine of static int8 is made of. The including
 * file defines before: NAME, the end of the kernels' names; NEEDS, their ISA bits; TAKES_RUNS,
 * whether prepare() reads runs; EIGHT_COLUMNS, of struct sl_qs8_engine; weight_t, place(),
 * multiply(), load_scales() and store(), which the engines say. Functions are inlined into callers
 * whose row count is constant. */
#pragma once

#include <string.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon.h"
#include "kernels/cpu/requant_neon.h"
#include "kernels/matmul/qs8_blocks.h"

/* The numbers that all blocks of a call need, kept out of memory that stores may change. */
struct sl_qs8_quant {
    struct sl_requant_neon out; /* its scales as the sums of a pair of rows have them */
    size_t stride, depth;
};

SL_INLINE struct sl_qs8_quant sl_qs8_quant_of(const struct sl_qs8_rows *job)
{
    return (struct sl_qs8_quant){sl_requant_neon_of(job->out), job->dst_stride, job->depth};
}

/* Sums of rows that stand in rows. */
SL_INLINE void sl_qs8_plain_scales(const struct sl_qs8_head *head, float32x4_t scale[4])
{
    scale[2] = scale[0] = vld1q_f32(head->scale);
    scale[3] = scale[1] = vld1q_f32(head->scale + 4);
}

/* Fewer than 8 columns of a row. */
SL_INLINE void sl_qs8_store_some(uint64_t row, int8_t *dst, size_t columns)
{
    if (columns & 4) {
        memcpy(dst, &row, 4);
        row >>= 32;
        dst += 4;
    }
    if (columns & 2) {
        memcpy(dst, &row, 2);
        row >>= 16;
        dst += 2;
    }
    if (columns & 1)
        *dst = (int8_t)row;
}

/* Stores `mr` rows of up to 8 columns, two a vector. */
SL_INLINE void sl_qs8_store(size_t mr, const int8x16_t *rows, const struct sl_qs8_quant *quant,
                            int8_t *dst, size_t columns)
{
    if (columns != SL_QS8_NR) {
        SL_UNROLL
        for (size_t i = 0; i < mr; i++, dst += quant->stride)
            sl_qs8_store_some(vreinterpretq_u64_s8(rows[i / 2])[i % 2], dst, columns);
        return;
    }
    SL_UNROLL
    for (size_t i = 0; i < mr; i += 2, dst += quant->stride) {
        vst1_s8(dst, vget_low_s8(rows[i / 2]));
        if (mr == 1)
            return;
        dst += quant->stride;
        SL_FORGET(dst);
        vst1q_lane_s64((int64_t *)(void *)dst, vreinterpretq_s64_s8(rows[i / 2]), 1);
    }
}

/* Requantises and stores sums of rows that stand in rows. */
SL_INLINE void sl_qs8_plain_store(size_t mr, int32x4_t acc[SL_QS8_MR][2],
                                  const struct sl_qs8_quant *quant, int8_t *dst, size_t columns)
{
    int8x16_t rows[SL_QS8_MR / 2];
    SL_UNROLL
    for (size_t i = 0; i < mr; i += 2)
        rows[i / 2] = sl_requant_sixteen(acc[i], acc[mr > 1 ? i + 1 : i], &quant->out);
    sl_qs8_store(mr, rows, quant, dst, columns);
}
