/* kernels/matmul/qd8_panels_neon_i8mm.c: the dynamic int8 product by SMMLA, pairs of rows by pairs
 * of columns. */
#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon.h"
#include "kernels/matmul/qd8_panels_neon.h"

enum { SIDE = SL_QD8_SIDE, DEPTH = 8, PAIRS = 4, FEWEST = 2 };

/* 8 k of so many rows or columns by pairs, and on to the next. */
SL_INLINE void load_pairs(size_t pairs, const int8_t **at, int8x16_t x[PAIRS])
{
    int8x16x4_t four;
    int8x16x2_t two;
    if (pairs == 4)
        four = vld1q_s8_x4(*at);
    if (pairs == 2)
        two = vld1q_s8_x2(*at);
    SL_UNROLL
    for (size_t i = 0; i < pairs; i++)
        x[i] = pairs == 4 ? four.val[i] : pairs == 2 ? two.val[i] : vld1q_s8(*at);
    *at += SIDE * DEPTH;
    SL_FORGET(*at);
}

/* Sums of pairs that start with what zero points take off. */
SL_INLINE void start_pairs(size_t rows, size_t columns, const struct sl_row_params *params,
                           const int32x4_t *sums, int32x4_t (*sum)[PAIRS])
{
    SL_UNROLL
    for (size_t i = 0; i < (rows + 1) / 2; i++) {
        int32x4_t pair = sl_qd8_pair_of_rows(params, rows, 2 * i), zero = vtrn2q_s32(pair, pair);
        SL_UNROLL
        for (size_t j = 0; j < columns / 2; j++) {
            int64x2_t two = vreinterpretq_s64_s32(vnegq_s32(sums[j / 2]));
            two = j % 2 == 0 ? vdupq_laneq_s64(two, 0) : vdupq_laneq_s64(two, 1);
            sum[i][j] = vmulq_s32(vreinterpretq_s32_s64(two), zero);
        }
    }
}

SL_INLINE void block(size_t rows, size_t columns, size_t steps, const struct sl_row_params *params,
                     const int32x4_t *sums, const int8_t *left, const int8_t *right, int32x4_t *low,
                     int32x4_t *high)
{
    int32x4_t sum[PAIRS][PAIRS];
    size_t pairs = (rows + 1) / 2, wide = columns / 2;
    start_pairs(rows, columns, params, sums, sum);
    for (; steps > 0; steps--) {
        SL_UNROLL
        for (size_t half = 0; half < 2; half++) {
            int8x16_t a[PAIRS], b[PAIRS];
            load_pairs(pairs, &left, a);
            load_pairs(wide, &right, b);
            SL_UNROLL
            for (size_t i = 0; i < pairs * wide; i++)
                sum[i / wide][i % wide] =
                    vmmlaq_s32(sum[i / wide][i % wide], a[i / wide], b[i % wide]);
        }
    }
    SL_UNROLL
    for (size_t i = 0; i < pairs; i++) {
        SL_UNROLL
        for (size_t j = 0; j < wide; j += 2) {
            int64x2_t x = vreinterpretq_s64_s32(sum[i][j]);
            int64x2_t y = vreinterpretq_s64_s32(sum[i][wide > 1 ? j + 1 : j]);
            int32x4_t *out = j == 0 ? low : high;
            out[2 * i] = vreinterpretq_s32_s64(vzip1q_s64(x, y));
            out[2 * i + 1] = vreinterpretq_s32_s64(vzip2q_s64(x, y));
        }
    }
}

#include "kernels/matmul/qd8_tiles_neon.inc"

/* Some groups of a tile: its left and right panels at their first k, and the scales. */
struct groups {
    const int8_t *left, *right;
    const float *scale;
    size_t count;
    size_t steps; /* of 32 k, in a group */
};

/* Two floats, twice. */
SL_INLINE float32x4_t twice(const float *pair)
{
    float32x2_t x = vld1_f32(pair);
    return vcombine_f32(x, x);
}

/* sums[i][j], rows 2i and 2i + 1 by columns 2j and 2j + 1, go on by group after group; they stay in
 * registers with the integers of a group. */
SL_INLINE void fold_groups(size_t pairs, size_t columns, const struct groups *g,
                           float32x4_t (*sums)[PAIRS])
{
    const int8_t *left = g->left, *right = g->right;
    const float *scale = g->scale;
    for (size_t n = g->count; n > 0; n--, scale += SIDE) {
        int32x4_t acc[PAIRS][PAIRS];
        SL_UNROLL
        for (size_t i = 0; i < pairs * columns; i++)
            acc[i / columns][i % columns] = vdupq_n_s32(0);
        for (size_t steps = g->steps; steps > 0; steps--) {
            SL_UNROLL
            for (size_t part = 0; part < 4; part++) {
                int8x16_t a[PAIRS], b[PAIRS];
                SL_UNROLL
                for (size_t i = 0; i < pairs; i++)
                    a[i] = vld1q_s8(left + (part * SIDE + 2 * i) * DEPTH);
                SL_UNROLL
                for (size_t j = 0; j < columns; j++)
                    b[j] = vld1q_s8(right + (part * SIDE + 2 * j) * DEPTH);
                SL_UNROLL
                for (size_t i = 0; i < pairs * columns; i++)
                    acc[i / columns][i % columns] =
                        vmmlaq_s32(acc[i / columns][i % columns], a[i / columns], b[i % columns]);
            }
            left += 4 * SIDE * DEPTH;
            right += 4 * SIDE * DEPTH;
            SL_FORGET(left);
            SL_FORGET(right);
        }
        SL_UNROLL
        for (size_t j = 0; j < columns; j++) {
            float32x4_t scales = twice(scale + 2 * j);
            SL_UNROLL
            for (size_t i = 0; i < pairs; i++)
                sums[i][j] = vfmaq_f32(sums[i][j], vcvtq_f32_s32(acc[i][j]), scales);
        }
    }
}

/* Starts the sums with the share of the rows' zero points, to be subtracted. */
SL_INLINE void start_sums(size_t pairs, size_t columns, const struct sl_qd8_tile *tile,
                          size_t column, float32x4_t (*sums)[PAIRS])
{
    SL_UNROLL
    for (size_t i = 0; i < pairs; i++) {
        float32x4_t zeros = vcombine_f32(vdup_n_f32((float)-tile->params[2 * i].zero_point),
                                         vdup_n_f32((float)-tile->params[2 * i + 1].zero_point));
        SL_UNROLL
        for (size_t j = 0; j < columns; j++)
            sums[i][j] = vmulq_f32(zeros, twice(tile->columns->scaled_sum + column + 2 * j));
    }
}

/* Rows of four columns out of pairs of two. */
SL_INLINE void part_rows(size_t pairs, const float32x4_t (*sums)[PAIRS], size_t j, float32x4_t *out)
{
    SL_UNROLL
    for (size_t i = 0; i < pairs; i++) {
        float64x2_t a = vreinterpretq_f64_f32(sums[i][j]);
        float64x2_t b = vreinterpretq_f64_f32(sums[i][j + 1]);
        out[2 * i] = vreinterpretq_f32_f64(vzip1q_f64(a, b));
        out[2 * i + 1] = vreinterpretq_f32_f64(vzip2q_f64(a, b));
    }
}

/* `rows` of the tile, all columns at once: few rows leave room for that. */
SL_INLINE void few_rows(size_t rows, const struct sl_qd8_tile *tile, const struct groups *g)
{
    float32x4_t sums[PAIRS][PAIRS], low[SIDE], high[SIDE];
    size_t pairs = (rows + 1) / 2;
    start_sums(pairs, PAIRS, tile, 0, sums);
    fold_groups(pairs, PAIRS, g, sums);
    part_rows(pairs, sums, 0, low);
    part_rows(pairs, sums, 2, high);
    sl_qd8_put_sums(tile, rows, low, high);
}

/* All eight rows, half of the columns after the other. */
SL_INLINE void all_rows(const struct sl_qd8_tile *tile, const struct groups *whole)
{
    float32x4_t sums[PAIRS][PAIRS], low[SIDE], high[SIDE];
    struct groups half = *whole;
    start_sums(PAIRS, 2, tile, 0, sums);
    fold_groups(PAIRS, 2, &half, sums);
    part_rows(PAIRS, sums, 0, low);
    half.right += 4 * DEPTH;
    half.scale += 4;
    start_sums(PAIRS, 2, tile, 4, sums);
    fold_groups(PAIRS, 2, &half, sums);
    part_rows(PAIRS, sums, 0, high);
    sl_qd8_put_sums(tile, SIDE, low, high);
}

static void product_groups(const struct sl_qd8_tile *tile, const int8_t *left, const int8_t *right,
                           const float *scales)
{
    const struct sl_matmul_qd8_args *args = tile->args;
    const struct groups g = {left, right, scales, args->k / args->group, args->group / (4 * DEPTH)};
    if (tile->rows > 4)
        all_rows(tile, &g);
    else if (tile->rows > 2)
        few_rows(4, tile, &g);
    else if (tile->rows == 2)
        few_rows(2, tile, &g);
    else
        few_rows(1, tile, &g);
}

SL_QD8_NEON_ENGINE(engine, DEPTH, DEPTH, multiply, product_groups);
SL_QD8_KERNEL(sl_matmul_qd8_qs8_8x8_neon_i8mm, SL_ISA_NEON | SL_ISA_I8MM, false, engine);
SL_QD8_KERNEL(sl_matmul_qd8_q4_8x8_neon_i8mm, SL_ISA_NEON | SL_ISA_I8MM, true, engine);
