/* kernels/matmul/qs8_pairs_neon.h: pairs of rows times pairs of columns, as SMMLA takes and leaves
 * them: two rows of two sums a vector. For its files alone. */
#pragma once

#include "kernels/matmul/qs8_blocks_neon.h"

/* 16 bytes of a pair of rows, or of one twice: 8 of each, twice. */
SL_INLINE void sl_qs8_zip_rows(size_t mr, size_t pair, const int8x16_t x[SL_QS8_MR],
                               int8x16_t zipped[2])
{
    int64x2_t a = vreinterpretq_s64_s8(x[2 * pair]);
    int64x2_t b = vreinterpretq_s64_s8(x[mr > 1 ? 2 * pair + 1 : 0]);
    zipped[0] = vreinterpretq_s8_s64(vzip1q_s64(a, b));
    zipped[1] = vreinterpretq_s8_s64(vzip2q_s64(a, b));
}

/* Two columns of a scale for each of two rows. */
SL_INLINE void sl_qs8_pair_scales(const struct sl_qs8_head *head, float32x4_t scale[4])
{
    SL_UNROLL
    for (size_t j = 0; j < 4; j++)
        scale[j] = vreinterpretq_f32_s64(
            vld1q_dup_s64((const int64_t *)(const void *)(head->scale + 2 * j)));
}

SL_INLINE void sl_qs8_store_pairs(size_t mr, int32x4_t acc[SL_QS8_MR][2],
                                  const struct sl_qs8_quant *quant, int8_t *dst, size_t columns)
{
    static const int8_t order[] = {0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15};
    int8x16_t rows[SL_QS8_MR / 2], at = vld1q_s8(order);
    SL_UNROLL
    for (size_t i = 0; i < mr; i += 2)
        rows[i / 2] = vqtbl1q_s8(sl_requant_sixteen(acc[i], acc[i + 1], &quant->out),
                                 vreinterpretq_u8_s8(at));
    sl_qs8_store(mr, rows, quant, dst, columns);
}

/* Two pairs of columns, two pairs of rows a vector. */
SL_INLINE void sl_qs8_store_four(size_t mr, int32x4_t sum[SL_QS8_MR / 2][2],
                                 struct sl_qs8_quant *quant, const struct sl_qs8_head *head,
                                 int8_t *dst, size_t columns)
{
    static const int8_t order[] = {0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15};
    size_t pairs = (mr + 1) / 2;
    float32x4_t scale[4];
    sl_qs8_pair_scales(head, scale);
    quant->out.scale[0] = quant->out.scale[2] = scale[0];
    quant->out.scale[1] = quant->out.scale[3] = scale[1];
    SL_UNROLL
    for (size_t i = 0; i < mr; i += 4) {
        size_t next = i / 2 + 1 < pairs ? i / 2 + 1 : i / 2;
        uint32x4_t four =
            vreinterpretq_u32_s8(vqtbl1q_s8(sl_requant_sixteen(sum[i / 2], sum[next], &quant->out),
                                            vreinterpretq_u8_s8(vld1q_s8(order))));
        if (mr >= 4 && columns == 4 && quant->stride == 4) {
            vst1q_u32((uint32_t *)(void *)dst, four);
            dst += 16;
            continue;
        }
        SL_UNROLL
        for (size_t r = 0; r < 4 && i + r < mr; r++, dst += quant->stride)
            sl_qs8_store_some(four[r], dst, columns);
    }
}

/* One pair of columns: sixteen results are eight rows. */
SL_INLINE void sl_qs8_store_two(size_t mr, const int32x4_t sum[SL_QS8_MR / 2],
                                struct sl_qs8_quant *quant, const struct sl_qs8_head *head,
                                int8_t *dst, size_t columns)
{
    size_t pairs = (mr + 1) / 2;
    int32x4_t all[4];
    float32x4_t scale =
        vreinterpretq_f32_s64(vld1q_dup_s64((const int64_t *)(const void *)head->scale));
    SL_UNROLL
    for (size_t i = 0; i < 4; i++) {
        quant->out.scale[i] = scale;
        all[i] = sum[i < pairs ? i : 0];
    }
    int8x16_t y = sl_requant_sixteen(all, all + 2, &quant->out);
    if (mr == 8 && columns == 2 && quant->stride == 2) {
        vst1q_s8(dst, y);
        return;
    }
    if (mr == 8 && columns == 1 && quant->stride == 1) {
        vst1_s8(dst, vget_low_s8(vuzp1q_s8(y, y)));
        return;
    }
    uint16x8_t rows = vreinterpretq_u16_s8(y);
    SL_UNROLL
    for (size_t r = 0; r < mr; r++, dst += quant->stride)
        sl_qs8_store_some(rows[r], dst, columns);
}
