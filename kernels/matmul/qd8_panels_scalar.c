/* kernels/matmul/qd8_panels_scalar.c: the portable steps of the dynamic int8 product. */
#include <math.h>

#include "kernels/cpu/clamp.h"
#include "kernels/cpu/half.h"
#include "kernels/cpu/isa.h"
#include "kernels/matmul/qd8_panels.h"

enum { SIDE = SL_QD8_SIDE, DEPTH = 8 };

static void multiply(size_t rows, size_t steps, const int8_t *left, const int8_t *right,
                     int32_t *acc)
{
    for (size_t i = 0; i < SL_QD8_BLOCK; i++)
        acc[i] = 0;
    for (size_t p = 0; p < steps * SL_QD8_K_STEP; p++, right += SIDE) {
        const int8_t *column = left + p / DEPTH * (SIDE * DEPTH) + p % DEPTH;
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < SIDE; j++)
                acc[i * SIDE + j] += column[i * DEPTH] * right[j];
    }
}

static void fold(size_t rows, const int32_t *acc, const float *scale, float *sums)
{
    for (size_t i = 0; i < rows * SIDE; i++)
        sums[i] = fmaf((float)acc[i], scale[i % SIDE], sums[i]);
}

static void put(const struct sl_qd8_tile *tile, size_t i, size_t j, float y)
{
    const struct sl_matmul_qd8_args *args = tile->args;
    size_t at = (tile->row + i) * args->dst_stride + tile->column + j;
    y = sl_clamp(y, args->min, args->max);
    if (args->dst_type == SL_ROWS_F32)
        ((float *)args->dst)[at] = y;
    else
        ((uint16_t *)args->dst)[at] = sl_half_from_float(y);
}

static size_t columns_of(const struct sl_qd8_tile *tile)
{
    size_t left = tile->args->n - tile->column;
    return left < SIDE ? left : SIDE;
}

static void finish(const struct sl_qd8_tile *tile, const int32_t *acc)
{
    const struct sl_qd8_columns *c = tile->columns;
    for (size_t i = 0; i < tile->rows; i++) {
        struct sl_row_params row = tile->params[i];
        for (size_t j = 0; j < columns_of(tile); j++) {
            float sum = (float)(acc[i * SIDE + j] - row.zero_point * c->sum[j]);
            put(tile, i, j, fmaf(sum * row.scale, c->scale[j], c->bias[j]));
        }
    }
}

static void finish_sums(const struct sl_qd8_tile *tile, const float *sums)
{
    for (size_t i = 0; i < tile->rows; i++)
        for (size_t j = 0; j < columns_of(tile); j++)
            put(tile, i, j,
                fmaf(sums[i * SIDE + j], tile->params[i].scale, tile->columns->bias[j]));
}

const struct sl_qd8_engine sl_qd8_engine_scalar = {
    .lhs_depth = DEPTH,
    .rhs_depth = 1,
    .quantise_row = sl_quantise_row_scalar,
    .multiply = multiply,
    .fold = fold,
    .finish = finish,
    .finish_sums = finish_sums,
};

SL_QD8_KERNEL(sl_matmul_qd8_qs8_8x8_scalar, SL_ISA_NONE, false, sl_qd8_engine_scalar);
SL_QD8_KERNEL(sl_matmul_qd8_q4_8x8_scalar, SL_ISA_NONE, true, sl_qd8_engine_scalar);
