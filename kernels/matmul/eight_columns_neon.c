/* kernels/matmul/eight_columns_neon.c: sixteen k of eight columns a turn. */
#include "kernels/matmul/eight_columns.h"

#include "kernels/cpu/neon.h"

SL_INLINE void put_pairs(int8x16_t first, int8x16_t second, int8_t *low, int8_t *high)
{
    int64x2_t a = vreinterpretq_s64_s8(first), b = vreinterpretq_s64_s8(second);
    vst1q_s8(low, vreinterpretq_s8_s64(vzip1q_s64(a, b)));
    vst1q_s8(high, vreinterpretq_s8_s64(vzip2q_s64(a, b)));
}

/* Words 0 to 3 of four columns, 32 bytes apart. */
SL_INLINE void put_words(const int8x16_t columns[4], int8_t *out)
{
    int32x4_t a = vreinterpretq_s32_s8(columns[0]), b = vreinterpretq_s32_s8(columns[1]);
    int32x4_t c = vreinterpretq_s32_s8(columns[2]), d = vreinterpretq_s32_s8(columns[3]);
    int8x16_t ac = vreinterpretq_s8_s32(vzip1q_s32(a, c)),
              bd = vreinterpretq_s8_s32(vzip1q_s32(b, d));
    int8x16_t ac2 = vreinterpretq_s8_s32(vzip2q_s32(a, c)),
              bd2 = vreinterpretq_s8_s32(vzip2q_s32(b, d));
    int32x4_t low[2] = {vreinterpretq_s32_s8(ac), vreinterpretq_s32_s8(bd)};
    int32x4_t high[2] = {vreinterpretq_s32_s8(ac2), vreinterpretq_s32_s8(bd2)};
    vst1q_s8(out, vreinterpretq_s8_s32(vzip1q_s32(low[0], low[1])));
    vst1q_s8(out + 32, vreinterpretq_s8_s32(vzip2q_s32(low[0], low[1])));
    vst1q_s8(out + 64, vreinterpretq_s8_s32(vzip1q_s32(high[0], high[1])));
    vst1q_s8(out + 96, vreinterpretq_s8_s32(vzip2q_s32(high[0], high[1])));
}

SL_INLINE size_t eight_columns(size_t depth, const int8_t *weights, size_t stride, size_t k,
                               int8_t *out, int32_t sums[8])
{
    int32x4_t sum[8];
    size_t p = 0;
    SL_UNROLL
    for (size_t c = 0; c < 8; c++)
        sum[c] = vdupq_n_s32(0);
    for (; p + 16 <= k; p += 16, out += 128) {
        int8x16_t columns[8];
        SL_UNROLL
        for (size_t c = 0; c < 8; c++) {
            columns[c] = vld1q_s8(weights + c * stride + p);
            sum[c] = vpadalq_s16(sum[c], vpaddlq_s8(columns[c]));
        }
        if (depth == 4) {
            put_words(columns, out);
            put_words(columns + 4, out + 16);
            continue;
        }
        SL_UNROLL
        for (size_t c = 0; c < 8; c += 2)
            put_pairs(columns[c], columns[c + 1], out + 8 * c, out + 64 + 8 * c);
    }
    SL_UNROLL
    for (size_t c = 0; c < 8; c++)
        sums[c] += vaddvq_s32(sum[c]);
    return p;
}

size_t sl_pack_eight_columns_by_4(const int8_t *weights, size_t stride, size_t k, int8_t *out,
                                  int32_t sums[8])
{
    return eight_columns(4, weights, stride, k, out, sums);
}

size_t sl_pack_eight_columns_by_8(const int8_t *weights, size_t stride, size_t k, int8_t *out,
                                  int32_t sums[8])
{
    return eight_columns(8, weights, stride, k, out, sums);
}
