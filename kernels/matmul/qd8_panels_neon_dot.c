/* kernels/matmul/qd8_panels_neon_dot.c: the dynamic int8 product by SDOT. */
#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon.h"
#include "kernels/matmul/qd8_panels_neon.h"

enum { SIDE = SL_QD8_SIDE, DEPTH = 4, FEWEST = 4 };

/* Row i of eight, \a a word of k of rows 0-3 and 4-7. */
#define ROW(i)                                                                                     \
    if ((i) < rows) {                                                                              \
        low[i] = vdotq_laneq_s32(low[i], b0, (i) < 4 ? a0 : a1, (i) % 4);                          \
        if (columns > 4)                                                                           \
            high[i] = vdotq_laneq_s32(high[i], b1, (i) < 4 ? a0 : a1, (i) % 4);                    \
    }

/* A word of k of all rows. */
SL_INLINE void word(size_t rows, size_t columns, int8x16_t a0, int8x16_t a1, int8x16_t b0,
                    int8x16_t b1, int32x4_t *low,
                    int32x4_t *high){ROW(0) ROW(1) ROW(2) ROW(3) ROW(4) ROW(5) ROW(6) ROW(7)}

SL_INLINE void block(size_t rows, size_t columns, size_t steps, const struct sl_row_params *params,
                     const int32x4_t *sums, const int8_t *left, const int8_t *right, int32x4_t *low,
                     int32x4_t *high)
{
    sl_qd8_start_rows(rows, columns, params, sums, low, high);
    for (; steps > 0; steps--) {
        SL_UNROLL
        for (size_t half = 0; half < 2; half++) {
            int8x16x4_t b, a;
            if (columns > 4)
                b = vld1q_s8_x4(right);
            if (rows > 4)
                a = vld1q_s8_x4(left);
            SL_UNROLL
            for (size_t w = 0; w < 2; w++) {
                int8x16_t b0 = columns > 4 ? b.val[2 * w] : vld1q_s8(right + w * SIDE * DEPTH);
                int8x16_t a0 = rows > 4 ? a.val[2 * w] : vld1q_s8(left + w * SIDE * DEPTH);
                word(rows, columns, a0, rows > 4 ? a.val[2 * w + 1] : a0, b0,
                     columns > 4 ? b.val[2 * w + 1] : b0, low, high);
            }
            left += 2 * SIDE * DEPTH;
            right += 2 * SIDE * DEPTH;
            SL_FORGET(left);
            SL_FORGET(right);
        }
    }
}

#include "kernels/matmul/qd8_tiles_neon.inc"

/* 32 k of up to four rows. */
SL_INLINE void add_32(size_t rows, const int8_t *left, const int8_t *right, int32x4_t *low,
                      int32x4_t *high)
{
    SL_UNROLL
    for (size_t two = 0; two < 4; two++) {
        const int8x16x4_t b = vld1q_s8_x4(right);
        int8x16_t a = vld1q_s8(left), next = vld1q_s8(left + SIDE * DEPTH);
        word(rows, SIDE, a, a, b.val[0], b.val[1], low, high);
        word(rows, SIDE, next, next, b.val[2], b.val[3], low, high);
        left += 2 * SIDE * DEPTH;
        right += 2 * SIDE * DEPTH;
        SL_FORGET(left);
        SL_FORGET(right);
    }
}

/* Sums of up to four rows of a tile, group after group: they stay in registers with the integers of
 * a group. */
SL_INLINE void fold_rows(size_t rows, const struct sl_qd8_tile *tile, size_t first,
                         const int8_t *left, const int8_t *right, const float *scale,
                         float32x4_t *low, float32x4_t *high)
{
    const size_t group = tile->args->group;
    const float *sums = tile->columns->scaled_sum;
    left += first * DEPTH;
    SL_UNROLL
    for (size_t i = 0; i < rows; i++) {
        float less = (float)-tile->params[first + i].zero_point;
        low[i] = vmulq_n_f32(vld1q_f32(sums), less);
        high[i] = vmulq_n_f32(vld1q_f32(sums + 4), less);
    }
    for (size_t groups = tile->args->k / group; groups > 0; groups--, scale += SIDE) {
        int32x4_t acc_low[4], acc_high[4];
        SL_UNROLL
        for (size_t i = 0; i < rows; i++)
            acc_low[i] = acc_high[i] = vdupq_n_s32(0);
        for (size_t k = group; k > 0; k -= 32, left += SIDE * 32, right += SIDE * 32)
            add_32(rows, left, right, acc_low, acc_high);
        SL_UNROLL
        for (size_t i = 0; i < rows; i++) {
            low[i] = vfmaq_f32(low[i], vcvtq_f32_s32(acc_low[i]), vld1q_f32(scale));
            high[i] = vfmaq_f32(high[i], vcvtq_f32_s32(acc_high[i]), vld1q_f32(scale + 4));
        }
    }
}

static void product_groups(const struct sl_qd8_tile *tile, const int8_t *left, const int8_t *right,
                           const float *scales)
{
    float32x4_t low[SIDE], high[SIDE];
    const size_t rows = tile->rows;
    if (rows == 1) {
        fold_rows(1, tile, 0, left, right, scales, low, high);
        sl_qd8_put_sums(tile, 1, low, high);
        return;
    }
    fold_rows(4, tile, 0, left, right, scales, low, high);
    if (rows <= 4) {
        sl_qd8_put_sums(tile, 4, low, high);
        return;
    }
    fold_rows(4, tile, 4, left, right, scales, low + 4, high + 4);
    sl_qd8_put_sums(tile, SIDE, low, high);
}

SL_QD8_NEON_ENGINE(engine, DEPTH, DEPTH, multiply, product_groups);
SL_QD8_KERNEL(sl_matmul_qd8_qs8_8x8_neon_dot, SL_ISA_NEON | SL_ISA_DOTPROD, false, engine);
SL_QD8_KERNEL(sl_matmul_qd8_q4_8x8_neon_dot, SL_ISA_NEON | SL_ISA_DOTPROD, true, engine);
