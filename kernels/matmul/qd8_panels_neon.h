/* kernels/matmul/qd8_panels_neon.h: the steps of the dynamic int8 product that all NEON engines
 * share. Internal to them. */
#pragma once

#include "kernels/cpu/neon.h"
#include "kernels/matmul/qd8_panels.h"

void sl_qd8_fold_neon(size_t rows, const int32_t *acc, const float *scale, float *sums);
void sl_qd8_finish_neon(const struct sl_qd8_tile *tile, const int32_t *acc);
void sl_qd8_finish_sums_neon(const struct sl_qd8_tile *tile, const float *sums);

/* Whether a tile of `rows` rows is whole, and of float: then sl_qd8_put_tile() may store it. */
SL_INLINE bool sl_qd8_is_whole(const struct sl_qd8_tile *tile, size_t rows)
{
    return tile->rows == rows && tile->args->dst_type == SL_ROWS_F32 &&
           tile->args->n - tile->column >= SL_QD8_SIDE;
}

/* What finish() does, on a whole tile in registers: columns 0-3 and 4-7 of each row. */
SL_INLINE void sl_qd8_put_tile(const struct sl_qd8_tile *tile, size_t rows, const int32x4_t *low,
                               const int32x4_t *high)
{
    const struct sl_matmul_qd8_args *args = tile->args;
    const struct sl_qd8_columns *c = tile->columns;
    float *dst = (float *)args->dst + tile->row * args->dst_stride + tile->column;
    int32x4_t sum_low = vld1q_s32(c->sum), sum_high = vld1q_s32(c->sum + 4);
    float32x4_t scale_low = vld1q_f32(c->scale), scale_high = vld1q_f32(c->scale + 4);
    float32x4_t bias_low = vld1q_f32(c->bias), bias_high = vld1q_f32(c->bias + 4);
    float32x4_t min = vdupq_n_f32(args->min), max = vdupq_n_f32(args->max);
    SL_UNROLL
    for (size_t i = 0; i < rows; i++, dst += args->dst_stride) {
        /* a scale and a zero point in the lanes of one register */
        int32x2_t row = vld1_s32((const int32_t *)(const void *)(tile->params + i));
        float32x2_t scale = vreinterpret_f32_s32(row);
        float32x4_t x = vcvtq_f32_s32(vmlsq_lane_s32(low[i], sum_low, row, 1));
        float32x4_t y = vcvtq_f32_s32(vmlsq_lane_s32(high[i], sum_high, row, 1));
        x = vfmaq_f32(bias_low, vmulq_lane_f32(x, scale, 0), scale_low);
        y = vfmaq_f32(bias_high, vmulq_lane_f32(y, scale, 0), scale_high);
        vst1q_f32(dst, sl_neon_clamp(x, min, max));
        vst1q_f32(dst + 4, sl_neon_clamp(y, min, max));
        SL_FORGET(dst);
    }
}

/* What finish_sums() does, of sums in registers. */
SL_INLINE void sl_qd8_put_sums(const struct sl_qd8_tile *tile, size_t rows, const float32x4_t *low,
                               const float32x4_t *high)
{
    const struct sl_matmul_qd8_args *args = tile->args;
    float32x4_t bias_low = vld1q_f32(tile->columns->bias);
    float32x4_t bias_high = vld1q_f32(tile->columns->bias + 4);
    float32x4_t min = vdupq_n_f32(args->min), max = vdupq_n_f32(args->max);
    float sums[SL_QD8_BLOCK];
    if (sl_qd8_is_whole(tile, rows)) {
        float *dst = (float *)args->dst + tile->row * args->dst_stride + tile->column;
        SL_UNROLL
        for (size_t i = 0; i < rows; i++, dst += args->dst_stride) {
            float32x4_t x = vfmaq_n_f32(bias_low, low[i], tile->params[i].scale);
            float32x4_t y = vfmaq_n_f32(bias_high, high[i], tile->params[i].scale);
            vst1q_f32(dst, sl_neon_clamp(x, min, max));
            vst1q_f32(dst + 4, sl_neon_clamp(y, min, max));
            SL_FORGET(dst);
        }
        return;
    }
    SL_UNROLL
    for (size_t i = 0; i < rows; i++) {
        vst1q_f32(sums + SL_QD8_SIDE * i, low[i]);
        vst1q_f32(sums + SL_QD8_SIDE * i + 4, high[i]);
    }
    sl_qd8_finish_sums_neon(tile, sums);
}

/* An engine by how deep its panels are and what multiplies them. */
#define SL_QD8_NEON_ENGINE(engine_name, left_depth, right_depth, multiply_block, groups_block)     \
    static const struct sl_qd8_engine engine_name = {                                              \
        .lhs_depth = left_depth,                                                                   \
        .rhs_depth = right_depth,                                                                  \
        .eight_columns = right_depth == 8   ? sl_eight_columns_by_8                                \
                         : right_depth == 4 ? sl_eight_columns_by_4                                \
                                            : NULL,                                                \
        .quantise_row = sl_quantise_row_neon,                                                      \
        .multiply = multiply_block,                                                                \
        .product = product,                                                                        \
        .product_groups = groups_block,                                                            \
        .fold = sl_qd8_fold_neon,                                                                  \
        .finish = sl_qd8_finish_neon,                                                              \
        .finish_sums = sl_qd8_finish_sums_neon,                                                    \
    }

/* multiply() and product() by `block`, whose sums are columns 0-3 and 4-7 of 1, 2, 4 or 8 rows. */
#define SL_QD8_NEON_ROWS(rows)                                                                     \
    SL_INLINE void multiply_##rows(size_t steps, const int8_t *left, const int8_t *right,          \
                                   int32_t *acc)                                                   \
    {                                                                                              \
        int32x4_t low[SL_QD8_SIDE], high[SL_QD8_SIDE];                                             \
        block(rows, steps, left, right, low, high);                                                \
        SL_UNROLL                                                                                  \
        for (size_t i = 0; i < rows; i++) {                                                        \
            vst1q_s32(acc + SL_QD8_SIDE * i, low[i]);                                              \
            vst1q_s32(acc + SL_QD8_SIDE * i + 4, high[i]);                                         \
        }                                                                                          \
    }                                                                                              \
    SL_INLINE bool product_##rows(const struct sl_qd8_tile *tile, size_t steps,                    \
                                  const int8_t *left, const int8_t *right)                         \
    {                                                                                              \
        int32x4_t low[SL_QD8_SIDE], high[SL_QD8_SIDE];                                             \
        if (!sl_qd8_is_whole(tile, rows))                                                          \
            return false;                                                                          \
        block(rows, steps, left, right, low, high);                                                \
        sl_qd8_put_tile(tile, rows, low, high);                                                    \
        return true;                                                                               \
    }
#define SL_QD8_NEON_MULTIPLY                                                                       \
    SL_QD8_NEON_ROWS(1)                                                                            \
    SL_QD8_NEON_ROWS(2)                                                                            \
    SL_QD8_NEON_ROWS(4)                                                                            \
    SL_QD8_NEON_ROWS(8)                                                                            \
    static void multiply(size_t rows, size_t steps, const int8_t *left, const int8_t *right,       \
                         int32_t *acc)                                                             \
    {                                                                                              \
        if (rows > 4)                                                                              \
            multiply_8(steps, left, right, acc);                                                   \
        else if (rows > 2)                                                                         \
            multiply_4(steps, left, right, acc);                                                   \
        else if (rows > 1)                                                                         \
            multiply_2(steps, left, right, acc);                                                   \
        else                                                                                       \
            multiply_1(steps, left, right, acc);                                                   \
    }                                                                                              \
    static bool product(const struct sl_qd8_tile *tile, size_t steps, const int8_t *left,          \
                        const int8_t *right)                                                       \
    {                                                                                              \
        if (tile->rows == SL_QD8_SIDE)                                                             \
            return product_8(tile, steps, left, right);                                            \
        return tile->rows == 4   ? product_4(tile, steps, left, right)                             \
               : tile->rows == 2 ? product_2(tile, steps, left, right)                             \
                                 : product_1(tile, steps, left, right);                            \
    }
