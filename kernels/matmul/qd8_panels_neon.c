/* kernels/matmul/qd8_panels_neon.c: the dynamic int8 product in base NEON, and what the engines
 * with dot products share with it. */
#include "kernels/matmul/qd8_panels_neon.h"

#include "kernels/convert/quantise_row_neon.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon.h"

enum { SIDE = SL_QD8_SIDE, DEPTH = 8, FEWEST = 4 };

/* One k of all rows: its weights times an element of each row. */
#define LANE(lane)                                                                                 \
    {                                                                                              \
        int16x8_t b = vmovl_s8(vld1_s8(right + SIDE * (lane)));                                    \
        SL_UNROLL                                                                                  \
        for (size_t i = 0; i < rows; i++) {                                                        \
            low[i] = vmlal_laneq_s16(low[i], vget_low_s16(b), a[i], lane);                         \
            if (columns > 4)                                                                       \
                high[i] = vmlal_high_laneq_s16(high[i], b, a[i], lane);                            \
        }                                                                                          \
    }

SL_INLINE void block(size_t rows, size_t columns, size_t steps, const struct sl_row_params *params,
                     const int32x4_t *sums, const int8_t *left, const int8_t *right, int32x4_t *low,
                     int32x4_t *high)
{
    int16x8_t a[SIDE];
    sl_qd8_start_rows(rows, columns, params, sums, low, high);
    for (size_t eights = 2 * steps; eights > 0; eights--) {
        SL_UNROLL
        for (size_t i = 0; i < rows; i++)
            a[i] = vmovl_s8(vld1_s8(left + DEPTH * i));
        LANE(0)
        LANE(1)
        LANE(2)
        LANE(3)
        LANE(4)
        LANE(5)
        LANE(6)
        LANE(7)
        left += SIDE * DEPTH;
        right += SIDE * DEPTH;
        SL_FORGET(left);
        SL_FORGET(right);
    }
}

#include "kernels/matmul/qd8_tiles_neon.inc"

SL_INLINE void pack_row(size_t k, const void *row, int type, size_t depth, int8_t *out,
                        struct sl_row_params *params)
{
    const struct sl_row_place place = {depth, SIDE * depth};
    if (type == SL_ROWS_QD8)
        sl_copy_row_to(k, row, place, out);
    else if (type == SL_ROWS_F32)
        *params = sl_quantise_row_to(k, row, SL_ROWS_F32, place, out);
    else
        *params = sl_quantise_row_to(k, row, SL_ROWS_F16, place, out);
}

void sl_qd8_pack_row_by_8(size_t k, const void *row, int type, int8_t *out,
                          struct sl_row_params *params)
{
    pack_row(k, row, type, 8, out, params);
}

void sl_qd8_pack_row_by_4(size_t k, const void *row, int type, int8_t *out,
                          struct sl_row_params *params)
{
    pack_row(k, row, type, 4, out, params);
}

void sl_qd8_fold_neon(size_t rows, const int32_t *acc, const float *scale, float *sums)
{
    float32x4_t low = vld1q_f32(scale), high = vld1q_f32(scale + 4);
    for (; rows > 0; rows--, acc += SIDE, sums += SIDE) {
        vst1q_f32(sums, vfmaq_f32(vld1q_f32(sums), vcvtq_f32_s32(vld1q_s32(acc)), low));
        vst1q_f32(sums + 4,
                  vfmaq_f32(vld1q_f32(sums + 4), vcvtq_f32_s32(vld1q_s32(acc + 4)), high));
    }
}

struct clamp {
    float32x4_t min, max;
};

SL_INLINE struct clamp clamp_of(const struct sl_qd8_tile *tile)
{
    return (struct clamp){vdupq_n_f32(tile->args->min), vdupq_n_f32(tile->args->max)};
}

/* Row i of the tile; columns past the last are not stored. */
SL_INLINE void put(const struct sl_qd8_tile *tile, size_t i, float32x4_t low, float32x4_t high,
                   struct clamp c)
{
    const struct sl_matmul_qd8_args *args = tile->args;
    size_t at = (tile->row + i) * args->dst_stride + tile->column, left = args->n - tile->column;
    low = sl_neon_clamp(low, c.min, c.max);
    high = sl_neon_clamp(high, c.min, c.max);
    if (args->dst_type == SL_ROWS_F32) {
        float *dst = (float *)args->dst + at;
        sl_neon_store(dst, low, left);
        if (left > 4)
            sl_neon_store(dst + 4, high, left - 4);
        return;
    }
    uint16_t *dst = (uint16_t *)args->dst + at, row[SIDE];
    uint16x8_t half = vreinterpretq_u16_f16(vcvt_high_f16_f32(vcvt_f16_f32(low), high));
    vst1q_u16(left >= SIDE ? dst : row, half);
    for (size_t j = 0; left < SIDE && j < left; j++)
        dst[j] = row[j];
}

void sl_qd8_finish_sums_neon(const struct sl_qd8_tile *tile, const float *sums)
{
    const float *bias = tile->columns->bias;
    struct clamp clamp = clamp_of(tile);
    float32x4_t low = vld1q_f32(bias), high = vld1q_f32(bias + 4);
    for (size_t i = 0; i < tile->rows; i++, sums += SIDE)
        put(tile, i, vfmaq_n_f32(low, vld1q_f32(sums), tile->params[i].scale),
            vfmaq_n_f32(high, vld1q_f32(sums + 4), tile->params[i].scale), clamp);
}

SL_QD8_NEON_ENGINE(engine, DEPTH, 1, multiply, NULL);
SL_QD8_KERNEL(sl_matmul_qd8_qs8_8x8_neon_mlal, SL_ISA_NEON, false, engine);
SL_QD8_KERNEL(sl_matmul_qd8_q4_8x8_neon_mlal, SL_ISA_NEON, true, engine);
