/* kernels/matmul/bf16_neon.h: what the NEON kernels of bf16 products share: a panel of columns, and
 * how its blocks are stored. Internal to them. */
#pragma once

#include <math.h>
#include <stdbool.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon.h"
#include "kernels/matmul/matmul.h"

/* One panel's columns of all rows. */
struct sl_bf16_panel {
    size_t m, steps; /* rows; packed steps of k */
    size_t columns;  /* those that are stored */
    const void *left, *right;
    float *dst;
    size_t dst_stride;
    bool clamp;
    float min, max;
};

static inline size_t sl_bf16_up(size_t value, size_t step)
{
    return (value + step - 1) / step * step;
}

/* The panel of up to `width` columns from `column` on, whose weights are at `right`. */
static inline struct sl_bf16_panel sl_bf16_panel(const struct sl_matmul_args *args, size_t steps,
                                                 size_t column, size_t width, const void *right)
{
    return (struct sl_bf16_panel){
        .m = args->m,
        .steps = steps,
        .columns = args->n - column < width ? args->n - column : width,
        .left = args->workspace,
        .right = right,
        .dst = (float *)args->dst + column,
        .dst_stride = args->dst_stride,
        .clamp = args->min > -INFINITY || args->max < INFINITY,
        .min = args->min,
        .max = args->max,
    };
}

/* Clamps and stores `rows` rows of `vectors` vectors, as far as there are columns; the rows lie
 * `vectors` apart in `block`. */
SL_INLINE void sl_bf16_store(size_t rows, size_t vectors, const struct sl_bf16_panel *p,
                             float32x4_t *block, float *dst)
{
    if (p->clamp) {
        SL_UNROLL
        for (size_t i = 0; i < rows * vectors; i++)
            block[i] = sl_neon_clamp(block[i], vdupq_n_f32(p->min), vdupq_n_f32(p->max));
    }
    if (p->columns == 4 * vectors) {
        SL_UNROLL
        for (size_t i = 0; i < rows; i++, dst += p->dst_stride) {
            SL_UNROLL
            for (size_t j = 0; j < vectors; j++)
                vst1q_f32(dst + 4 * j, block[i * vectors + j]);
        }
        return;
    }
    SL_UNROLL
    for (size_t i = 0; i < rows; i++, dst += p->dst_stride) {
        SL_UNROLL
        for (size_t j = 0; j < vectors; j++)
            if (4 * j < p->columns)
                sl_neon_store(dst + 4 * j, block[i * vectors + j], p->columns - 4 * j);
    }
}
