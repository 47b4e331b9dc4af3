/* kernels/matmul/gemv_qs8_panels_sme2.c: one row of int8 times weights that are packed for outer
 * products: sums of 2VL columns in a vector group of ZA, four k a dot product. */
#include <arm_sme.h>
#include <arm_sve.h>

#include "kernels/matmul/matmul_qs8.h"
#include "kernels/matmul/mopa_qs8.h"
#include "kernels/matmul/qs8_gemv.h"

#define INLINE static inline __attribute__((always_inline))

/* Word `lane` of the row's four times the vectors `first` and the next of four. */
#define TAKE(row, lane, words, first)                                                              \
    svdot_lane_za32_s8_vg1x2(                                                                      \
        0, svcreate2_s8(svget4_s8(words, first), svget4_s8(words, (first) + 1)), row, lane)

/* Eight words: 32 bytes of the row, 16 vectors of weights. */
INLINE void take_eight(const int8_t *row, const int8_t *words) __arm_streaming __arm_inout("za")
{
    svcount_t all = svptrue_c8();
    svint8_t low = svld1rq_s8(svptrue_b8(), row), high = svld1rq_s8(svptrue_b8(), row + 16);
    svint8x4_t a = svld1_s8_x4(all, words), b = svld1_vnum_s8_x4(all, words, 4);
    svint8x4_t c = svld1_vnum_s8_x4(all, words, 8), d = svld1_vnum_s8_x4(all, words, 12);
    TAKE(low, 0, a, 0);
    TAKE(low, 1, a, 2);
    TAKE(low, 2, b, 0);
    TAKE(low, 3, b, 2);
    TAKE(high, 0, c, 0);
    TAKE(high, 1, c, 2);
    TAKE(high, 2, d, 0);
    TAKE(high, 3, d, 2);
}

/* The last words of `left` bytes; lines are `line` bytes long, one vector or two. */
INLINE void take_rest(const int8_t *row, size_t left, const int8_t *words, size_t line,
                      svcount_t some) __arm_streaming __arm_inout("za")
{
    for (size_t at = 0; at < left; at += 4, words += line) {
        svint8_t word = svld1rq_s8(svwhilelt_b8_u64(at, left), row + at);
        svdot_lane_za32_s8_vg1x2(0, svld1_s8_x2(some, words), word, 0);
    }
}

/* All k of a panel of two vectors. */
INLINE void take_wide(const int8_t *row, size_t k, const int8_t *words, size_t line,
                      svcount_t some) __arm_streaming __arm_inout("za")
{
    for (size_t turns = k / 64; turns > 0; turns--, row += 64, words += 16 * line) {
        take_eight(row, words);
        take_eight(row + 32, words + 8 * line);
    }
    if (k % 64 >= 32) {
        take_eight(row, words);
        row += 32;
        words += 8 * line;
    }
    take_rest(row, k % 32, words, line, some);
}

/* A result and its bounds, the bounds less the zero point. */
struct bounds {
    int32_t min, max, zero;
};

/* A vector of sums as its results, to the columns that `some` has. */
INLINE void put(svbool_t some, svint32_t sum, svfloat32_t scale, const struct bounds *b,
                int8_t *to) __arm_streaming
{
    svbool_t all = svptrue_b32();
    svfloat32_t y = svmul_f32_x(all, svcvt_f32_s32_x(all, sum), scale);
    svint32_t whole = svcvt_s32_f32_x(all, svrintn_f32_x(all, y));
    whole = svclamp_s32(whole, svdup_s32(b->min), svdup_s32(b->max));
    svst1b_s32(some, to, svadd_n_s32_x(all, whole, b->zero));
}

void sl_matmul_qs8_row_sme2(const void *pointer) __arm_streaming __arm_inout("za")
{
    const struct sl_matmul_qs8_args *args = pointer;
    const int8_t *panel = args->rhs, *row = args->lhs;
    const struct bounds b = {args->out.min - args->out.zero, args->out.max - args->out.zero,
                             args->out.zero};
    size_t vl = svcntw(), k = args->k, n = args->n, steps = sl_rhs_qs8_steps(1, k);
    int8_t *dst = args->dst;
    for (size_t c = 0; c < n; c += 2 * vl, dst += 2 * vl) {
        bool narrow = n - c <= vl;
        size_t line = narrow ? 4 * vl : 8 * vl;
        svcount_t some = svwhilelt_c32_u64(0, line / 4, 2), bytes = svwhilelt_c8_u64(0, line, 2);
        svfloat32x2_t scale = svld1_f32_x2(some, (const float *)(const void *)(panel + line));
        svwrite_za32_s32_vg1x2(0, svld1_s32_x2(some, (const int32_t *)(const void *)panel));
        if (narrow)
            take_rest(row, k, panel + 2 * line, line, bytes);
        else
            take_wide(row, k, panel + 2 * line, line, bytes);
        svint32x2_t sum = svread_za32_s32_vg1x2(0);
        put(svwhilelt_b32_u64(c, n), svget2_s32(sum, 0), svget2_f32(scale, 0), &b, dst);
        put(svwhilelt_b32_u64(c + vl, n), svget2_s32(sum, 1), svget2_f32(scale, 1), &b, dst + vl);
        panel += (2 + steps) * line;
    }
}
