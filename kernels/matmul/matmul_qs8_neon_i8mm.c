/* kernels/matmul/matmul_qs8_neon_i8mm.c: static int8 products and convolutions by SMMLA.
 *
 * A panel has 8 k of two columns in 16 bytes; pairs of rows are interleaved the same way once for
 * all panels. A sum of two rows and two columns is one vector, taken apart at the end. */
#include "kernels/matmul/qs8_blocks_neon.h"

#define NAME qs8_qs8p8x8_8x8_neon_i8mm
#define NEEDS (SL_ISA_NEON | SL_ISA_I8MM)
typedef int8_t weight_t;

static size_t place(size_t k, size_t column)
{
    return k / 8 * 64 + column * 8 + k % 8;
}

/* Pairs of rows, [depth / 8][pairs][2][8], at rows[0]; a single row is a pair with itself. */
SL_INLINE void prepare(size_t mr, const struct sl_qs8_rows *job, size_t first, const int8_t **rows)
{
    size_t pairs = (mr + 1) / 2;
    int8_t *out = job->scratch;
    for (size_t k = 0; k < job->depth; k += 16, out += 32 * pairs) {
        SL_UNROLL
        for (size_t i = 0; i < pairs; i++) {
            int64x2_t x = vreinterpretq_s64_s8(vld1q_s8(job->rows[first + 2 * i] + k));
            size_t other = mr > 1 ? first + 2 * i + 1 : first;
            int64x2_t y = vreinterpretq_s64_s8(vld1q_s8(job->rows[other] + k));
            vst1q_s8(out + 16 * i, vreinterpretq_s8_s64(vzip1q_s64(x, y)));
            vst1q_s8(out + 16 * (pairs + i), vreinterpretq_s8_s64(vzip2q_s64(x, y)));
        }
    }
    rows[0] = job->scratch;
}

/* vzip1q_s64(), for which the compiler makes two instructions. */
SL_INLINE int64x2_t first_halves(int64x2_t x, int64x2_t y)
{
    int64x2_t z;
    __asm__("zip1 %0.2d, %1.2d, %2.2d" : "=w"(z) : "w"(x), "w"(y));
    return z;
}

SL_INLINE const int8_t *multiply(size_t mr, const int8_t *const *rows, size_t depth,
                                 const struct sl_qs8_head *head, const int8_t *w,
                                 int32x4_t acc[SL_QS8_MR][2])
{
    size_t pairs = (mr + 1) / 2;
    const int8_t *at = rows[0];
    int32x4_t sum[SL_QS8_MR / 2][4];
    SL_UNROLL
    for (size_t i = 0; i < pairs; i++) {
        SL_UNROLL
        for (size_t j = 0; j < 4; j++)
            sum[i][j] = vreinterpretq_s32_s64(
                vld1q_dup_s64((const int64_t *)(const void *)(head->start + 2 * j)));
    }
    size_t k = depth;
    do {
        SL_FORGET(w);
        SL_FORGET(at);
        SL_UNROLL
        for (size_t half = 0; half < 2; half++, at += 16 * pairs, w += 64) {
            int8x16_t a[SL_QS8_MR / 2], b[4];
            SL_UNROLL
            for (size_t i = 0; i < pairs; i++)
                a[i] = vld1q_s8(at + 16 * i);
            SL_UNROLL
            for (size_t j = 0; j < 4; j++)
                b[j] = vld1q_s8(w + 16 * j);
            SL_UNROLL
            for (size_t i = 0; i < pairs; i++) {
                SL_UNROLL
                for (size_t j = 0; j < 4; j++)
                    sum[i][j] = vmmlaq_s32(sum[i][j], a[i], b[j]);
            }
        }
    } while ((k -= 16) > 0);
    SL_UNROLL
    for (size_t i = 0; i < mr; i++) {
        SL_UNROLL
        for (size_t j = 0; j < 2; j++) {
            int64x2_t x = vreinterpretq_s64_s32(sum[i / 2][2 * j]);
            int64x2_t y = vreinterpretq_s64_s32(sum[i / 2][2 * j + 1]);
            acc[i][j] = vreinterpretq_s32_s64(i % 2 ? vzip2q_s64(x, y) : first_halves(x, y));
        }
    }
    return w;
}

#include "kernels/matmul/qs8_kernels.inc"
