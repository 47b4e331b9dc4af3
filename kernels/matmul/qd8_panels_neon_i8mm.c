/* kernels/matmul/qd8_panels_neon_i8mm.c: the dynamic int8 product by SMMLA, pairs of rows by pairs
 * of columns. */
#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon.h"
#include "kernels/matmul/qd8_panels_neon.h"

enum { SIDE = SL_QD8_SIDE, DEPTH = 8, PAIRS = 4 };

SL_INLINE void block(size_t rows, size_t steps, const int8_t *left, const int8_t *right,
                     int32x4_t *low, int32x4_t *high)
{
    int32x4_t sum[PAIRS][PAIRS];
    size_t pairs = (rows + 1) / 2;
    SL_UNROLL
    for (size_t i = 0; i < PAIRS * PAIRS; i++)
        sum[i / PAIRS][i % PAIRS] = vdupq_n_s32(0);
    for (; steps > 0; steps--) {
        SL_UNROLL
        for (size_t half = 0; half < 2; half++) {
            int8x16x4_t a, b = vld1q_s8_x4(right);
            if (pairs == PAIRS)
                a = vld1q_s8_x4(left);
            SL_UNROLL
            for (size_t i = 0; i < pairs; i++) {
                int8x16_t x = pairs == PAIRS ? a.val[i] : vld1q_s8(left + 2 * i * DEPTH);
                SL_UNROLL
                for (size_t j = 0; j < PAIRS; j++)
                    sum[i][j] = vmmlaq_s32(sum[i][j], x, b.val[j]);
            }
            left += SIDE * DEPTH;
            right += SIDE * DEPTH;
            SL_FORGET(left);
            SL_FORGET(right);
        }
    }
    SL_UNROLL
    for (size_t i = 0; i < pairs; i++) {
        SL_UNROLL
        for (size_t j = 0; j < PAIRS; j += 2) {
            int64x2_t a = vreinterpretq_s64_s32(sum[i][j]),
                      b = vreinterpretq_s64_s32(sum[i][j + 1]);
            int32x4_t *out = j == 0 ? low : high;
            out[2 * i] = vreinterpretq_s32_s64(vzip1q_s64(a, b));
            out[2 * i + 1] = vreinterpretq_s32_s64(vzip2q_s64(a, b));
        }
    }
}

SL_QD8_NEON_MULTIPLY

SL_QD8_NEON_ENGINE(engine, DEPTH, DEPTH, multiply);
SL_QD8_KERNEL(sl_matmul_qd8_qs8_8x8_neon_i8mm, SL_ISA_NEON | SL_ISA_I8MM, false, engine);
SL_QD8_KERNEL(sl_matmul_qd8_q4_8x8_neon_i8mm, SL_ISA_NEON | SL_ISA_I8MM, true, engine);
