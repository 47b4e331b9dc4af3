/* kernels/matmul/qd8_panels_neon.h: the steps of the dynamic int8 product that all NEON engines
 * share. Internal to them. */
#pragma once

#include "kernels/cpu/neon.h"
#include "kernels/matmul/qd8_panels.h"

void sl_qd8_pack_row_by_8(size_t k, const void *row, int type, int8_t *out,
                          struct sl_row_params *params);
void sl_qd8_pack_row_by_4(size_t k, const void *row, int type, int8_t *out,
                          struct sl_row_params *params);
void sl_qd8_fold_neon(size_t rows, const int32_t *acc, const float *scale, float *sums);
void sl_qd8_finish_sums_neon(const struct sl_qd8_tile *tile, const float *sums);

/* The zero point of row i, in a register that has a pair of rows: scale, zero point, twice. */
SL_INLINE int32x4_t sl_qd8_pair_of_rows(const struct sl_row_params *params, size_t rows, size_t i)
{
    const int32_t *at = (const int32_t *)(const void *)(params + i / 2 * 2);
    return rows == 1 ? vcombine_s32(vld1_s32(at), vdup_n_s32(0)) : vld1q_s32(at);
}

/* Sums that start with what zero points take off: columns 0-3 and 4-7 of each row. */
SL_INLINE void sl_qd8_start_rows(size_t rows, size_t columns, const struct sl_row_params *params,
                                 const int32x4_t sums[2], int32x4_t *low, int32x4_t *high)
{
    int32x4_t less[2] = {vnegq_s32(sums[0]), vnegq_s32(sums[1])}, pair = sums[0];
    SL_UNROLL
    for (size_t i = 0; i < rows; i++) {
        pair = i % 2 == 0 ? sl_qd8_pair_of_rows(params, rows, i) : pair;
        int32x4_t zero = i % 2 == 0 ? vdupq_laneq_s32(pair, 1) : vdupq_laneq_s32(pair, 3);
        low[i] = vmulq_s32(less[0], zero);
        high[i] = columns > 4 ? vmulq_s32(less[1], zero) : low[i];
    }
}

/* The first `count` of `columns` halves. */
SL_INLINE void sl_qd8_put_halves(uint16x8_t row, size_t columns, size_t count, char *dst)
{
    if (columns == 8 && count == 8) {
        vst1q_u16((uint16_t *)(void *)dst, row);
        return;
    }
    uint64_t part = vreinterpretq_u64_u16(row)[0];
    if (columns > 2 && count >= 4) {
        memcpy(dst, &part, 8);
        part = vreinterpretq_u64_u16(row)[1];
        dst += 8;
    }
    if (count & 2) {
        memcpy(dst, &part, 4);
        part >>= 32;
        dst += 4;
    }
    if (count & 1)
        memcpy(dst, &part, 2);
}

/* True if a tile of `rows` rows is whole and float: then sl_qd8_put_tile() may store it. */
SL_INLINE bool sl_qd8_is_whole(const struct sl_qd8_tile *tile, size_t rows)
{
    return tile->rows == rows && tile->args->dst_type == SL_ROWS_F32 &&
           tile->args->n - tile->column >= SL_QD8_SIDE;
}

/* Does the same as finish_sums(), with sums in registers. */
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
        .eight_columns = right_depth == 8   ? sl_pack_eight_columns_by_8                           \
                         : right_depth == 4 ? sl_pack_eight_columns_by_4                           \
                                            : NULL,                                                \
        .pack_row = left_depth == 8 ? sl_qd8_pack_row_by_8 : sl_qd8_pack_row_by_4,                 \
        .multiply = multiply_block,                                                                \
        .run_panel = run_panel,                                                                    \
        .product_groups = groups_block,                                                            \
        .fold = sl_qd8_fold_neon,                                                                  \
        .finish_sums = sl_qd8_finish_sums_neon,                                                    \
    }
