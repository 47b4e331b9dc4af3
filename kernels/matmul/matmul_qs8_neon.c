/* kernels/matmul/matmul_qs8_neon.c: static int8 products and convolutions in base NEON: weights are
 * 16 bits wide in their panels, eight k of a row become the lanes of one vector. */
#include "kernels/matmul/qs8_blocks_neon.h"

#define NAME qs8_qs8p8x1_8x8_neon_mlal
#define NEEDS SL_ISA_NEON
#define TAKES_RUNS false
#define EIGHT_COLUMNS NULL
typedef int16_t weight_t;

static size_t place(size_t k, size_t column)
{
    return k * SL_QS8_NR + column;
}

SL_INLINE void prepare(size_t mr, const struct sl_qs8_rows *job, size_t first, const int8_t **rows)
{
    SL_UNROLL
    for (size_t i = 0; i < mr; i++)
        rows[i] = job->rows[first + i];
}

#define MLAL_LANE(lane)                                                                            \
    b = vld1q_s16(w + SL_QS8_NR * (lane));                                                         \
    SL_UNROLL                                                                                      \
    for (size_t i = 0; i < mr; i++) {                                                              \
        acc[i][0] = vmlal_laneq_s16(acc[i][0], vget_low_s16(b), a[i], lane);                       \
        acc[i][1] = vmlal_high_laneq_s16(acc[i][1], b, a[i], lane);                                \
    }

SL_INLINE const int16_t *multiply(size_t mr, const int8_t *const *rows, size_t depth,
                                  const struct sl_qs8_head *head, const int16_t *w,
                                  int32x4_t acc[SL_QS8_MR][2])
{
    const int32_t *start = head->start;
    SL_UNROLL
    for (size_t i = 0; i < mr; i++) {
        acc[i][0] = vld1q_s32(start);
        acc[i][1] = vld1q_s32(start + 4);
        SL_FORGET(start); /* loading pairs again is cheaper than copying vectors */
    }
    for (size_t k = 0; k < depth; k += 8, w += 8 * SL_QS8_NR) {
        int16x8_t a[SL_QS8_MR], b;
        SL_UNROLL
        for (size_t i = 0; i < mr; i++)
            a[i] = vmovl_s8(vld1_s8(rows[i] + k));
        MLAL_LANE(0)
        MLAL_LANE(1)
        MLAL_LANE(2)
        MLAL_LANE(3)
        MLAL_LANE(4)
        MLAL_LANE(5)
        MLAL_LANE(6)
        MLAL_LANE(7)
    }
    return w;
}

#define load_scales sl_qs8_plain_scales
#define store sl_qs8_plain_store
#include "kernels/matmul/qs8_kernels.inc"
