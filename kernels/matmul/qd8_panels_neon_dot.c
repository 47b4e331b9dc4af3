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

SL_QD8_NEON_ENGINE(engine, DEPTH, DEPTH, multiply, NULL);
SL_QD8_KERNEL(sl_matmul_qd8_qs8_8x8_neon_dot, SL_ISA_NEON | SL_ISA_DOTPROD, false, engine);
SL_QD8_KERNEL(sl_matmul_qd8_q4_8x8_neon_dot, SL_ISA_NEON | SL_ISA_DOTPROD, true, engine);
