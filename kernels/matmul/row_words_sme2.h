/* kernels/matmul/row_words_sme2.h: one row of int8 times a panel of weights that are packed for
 * outer products: sums of 2VL columns in a vector group of ZA, four k a dot product; for *_sme2.c
 * files alone. */
#pragma once

#include <arm_sme.h>
#include <arm_sve.h>
#include <stddef.h>
#include <stdint.h>

#define SL_ROW_INLINE static inline __attribute__((always_inline))

/* Word `lane` of the row's four times the vectors `first` and the next of four. */
#define SL_ROW_TAKE(row, lane, words, first)                                                       \
    svdot_lane_za32_s8_vg1x2(                                                                      \
        0, svcreate2_s8(svget4_s8(words, first), svget4_s8(words, (first) + 1)), row, lane)

/* Eight words: 32 bytes of the row, 16 vectors of weights. */
SL_ROW_INLINE void sl_row_take_eight(const int8_t *row,
                                     const int8_t *words) __arm_streaming __arm_inout("za")
{
    svcount_t all = svptrue_c8();
    svint8_t low = svld1rq_s8(svptrue_b8(), row), high = svld1rq_s8(svptrue_b8(), row + 16);
    svint8x4_t a = svld1_s8_x4(all, words), b = svld1_vnum_s8_x4(all, words, 4);
    svint8x4_t c = svld1_vnum_s8_x4(all, words, 8), d = svld1_vnum_s8_x4(all, words, 12);
    SL_ROW_TAKE(low, 0, a, 0);
    SL_ROW_TAKE(low, 1, a, 2);
    SL_ROW_TAKE(low, 2, b, 0);
    SL_ROW_TAKE(low, 3, b, 2);
    SL_ROW_TAKE(high, 0, c, 0);
    SL_ROW_TAKE(high, 1, c, 2);
    SL_ROW_TAKE(high, 2, d, 0);
    SL_ROW_TAKE(high, 3, d, 2);
}

/* All k of a panel of two vectors. */
SL_ROW_INLINE void sl_row_take_wide(const int8_t *row, size_t k,
                                    const int8_t *words) __arm_streaming __arm_inout("za")
{
    const size_t line = 2 * svcntb();
    for (size_t turns = k / 64; turns > 0; turns--, row += 64, words += 16 * line) {
        sl_row_take_eight(row, words);
        sl_row_take_eight(row + 32, words + 8 * line);
    }
    if (k % 64 >= 32) {
        sl_row_take_eight(row, words);
        row += 32;
        words += 8 * line;
    }
    if (k % 32 >= 16) {
        svcount_t all = svptrue_c8();
        svint8_t four = svld1rq_s8(svptrue_b8(), row);
        svint8x4_t a = svld1_s8_x4(all, words), b = svld1_vnum_s8_x4(all, words, 4);
        SL_ROW_TAKE(four, 0, a, 0);
        SL_ROW_TAKE(four, 1, a, 2);
        SL_ROW_TAKE(four, 2, b, 0);
        SL_ROW_TAKE(four, 3, b, 2);
        row += 16;
        words += 4 * line;
    }
    k %= 16;
    for (size_t at = 0; at < k; at += 4, words += line) {
        svint8_t word = svld1rq_s8(svwhilelt_b8_u64(at, k), row + at);
        svdot_lane_za32_s8_vg1x2(0, svld1_s8_x2(svptrue_c8(), words), word, 0);
    }
}

/* All k of a panel of one vector, onto `sum`. */
SL_ROW_INLINE svint32_t sl_row_take_narrow(const int8_t *row, size_t k, const int8_t *words,
                                           svint32_t sum) __arm_streaming
{
    for (; k >= 16; k -= 16, row += 16, words += 4 * svcntb()) {
        svint8_t four = svld1rq_s8(svptrue_b8(), row);
        svint8x4_t a = svld1_s8_x4(svptrue_c8(), words);
        sum = svdot_lane_s32(sum, svget4_s8(a, 0), four, 0);
        sum = svdot_lane_s32(sum, svget4_s8(a, 1), four, 1);
        sum = svdot_lane_s32(sum, svget4_s8(a, 2), four, 2);
        sum = svdot_lane_s32(sum, svget4_s8(a, 3), four, 3);
    }
    for (size_t at = 0; at < k; at += 4, words += svcntb()) {
        svint8_t word = svld1rq_s8(svwhilelt_b8_u64(at, k), row + at);
        sum = svdot_lane_s32(sum, svld1_s8(svptrue_b8(), words), word, 0);
    }
    return sum;
}
