/* kernels/matmul/matmul_qs8_neon_dot.c: static int8 products and convolutions by SDOT.
 *
 * A panel has 4 k of 8 columns in 32 bytes; four k of a row are one lane, so rows are read in
 * place. */
#include "kernels/matmul/qs8_blocks_neon.h"

#define NAME qs8_qs8p8x4_8x8_neon_dot
#define NEEDS (SL_ISA_NEON | SL_ISA_DOTPROD)
#define TAKES_RUNS false
#define EIGHT_COLUMNS sl_pack_eight_columns_by_4
typedef int8_t weight_t;

static size_t place(size_t k, size_t column)
{
    return k / 4 * 32 + column * 4 + k % 4;
}

SL_INLINE void prepare(size_t mr, const struct sl_qs8_rows *job, size_t first, const int8_t **rows)
{
    SL_UNROLL
    for (size_t i = 0; i < mr; i++)
        rows[i] = job->rows[first + i];
}

#define DOT_LANE(lane)                                                                             \
    if (mr == SL_QS8_MR) {                                                                         \
        b.val[(lane) % 2 * 2] = vld1q_s8(w + 32 * (lane));                                         \
        b.val[(lane) % 2 * 2 + 1] = vld1q_s8(w + 32 * (lane) + 16);                                \
    } else if ((lane) % 2 == 0) {                                                                  \
        b = vld1q_s8_x4(w);                                                                        \
        w += 64;                                                                                   \
        SL_FORGET(w);                                                                              \
    }                                                                                              \
    SL_UNROLL                                                                                      \
    for (size_t i = 0; i < mr; i++) {                                                              \
        acc[i][0] = vdotq_laneq_s32(acc[i][0], b.val[(lane) % 2 * 2], a[i], lane);                 \
        acc[i][1] = vdotq_laneq_s32(acc[i][1], b.val[(lane) % 2 * 2 + 1], a[i], lane);             \
    }

/* 16 k; the rows move on. */
SL_INLINE const int8_t *sixteen(size_t mr, const int8_t *at[SL_QS8_MR], const int8_t *w,
                                int32x4_t acc[SL_QS8_MR][2])
{
    int8x16_t a[SL_QS8_MR];
    int8x16x4_t
        b; /* two lanes' columns; of eight rows there are no registers for more than one's */
    SL_UNROLL
    for (size_t i = 0; i < mr; i++, at[i - 1] += 16) {
        SL_FORGET(at[i]);
        a[i] = vld1q_s8(at[i]);
    }
    DOT_LANE(0)
    DOT_LANE(1)
    DOT_LANE(2)
    DOT_LANE(3)
    return mr == SL_QS8_MR ? w + 128 : w;
}

SL_INLINE const int8_t *multiply(size_t mr, const int8_t *const *rows, size_t depth,
                                 const struct sl_qs8_head *head, const int8_t *w,
                                 int32x4_t acc[SL_QS8_MR][2])
{
    const int8_t *at[SL_QS8_MR];
    const int32_t *start = head->start;
    SL_UNROLL
    for (size_t i = 0; i < mr; i++) {
        at[i] = rows[i];
        acc[i][0] = vld1q_s32(start);
        acc[i][1] = vld1q_s32(start + 4);
        SL_FORGET(start); /* loading pairs again is cheaper than copying vectors */
    }
    for (size_t turns = depth / 32; turns > 0; turns--) {
        w = sixteen(mr, at, w, acc);
        w = sixteen(mr, at, w, acc);
    }
    if (depth % 32)
        w = sixteen(mr, at, w, acc);
    return w;
}

#define load_scales sl_qs8_plain_scales
#define store sl_qs8_plain_store
#include "kernels/matmul/qs8_kernels.inc"

/* The same for a single row, where pairs of rows for SMMLA would be half empty. */
const struct sl_matmul_qs8 sl_matmul_qs8_qs8_qs8p8x4_1x8_neon_dot = {
    .name = "sl_matmul_qs8_qs8_qs8p8x4_1x8_neon_dot",
    .needs = NEEDS,
    .m_step = step,
    .n_step = step,
    .rhs_bytes = rhs_bytes,
    .pack_rhs = pack_rhs,
    .workspace_bytes = workspace_bytes,
    .run = run,
    .gemv = true,
};
