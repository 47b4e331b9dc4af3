/* kernels/reduce/mean_fold_sme2.h: means of few columns in streaming mode: as many rows as four
 * vectors hold are summed side by side; here is what adds these up in the end. */
#pragma once

#include <arm_sme.h>
#include <arm_sve.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sums of rows into ZA, in mean_quads_sme2_asm.S. */
void sl_sum_quads_f32_sme2_asm(const float *in, size_t step, size_t rows,
                               size_t columns) __arm_streaming __arm_inout("za");
void sl_sum_quads_f16_sme2_asm(const uint16_t *in, size_t step, size_t rows,
                               size_t columns) __arm_streaming __arm_inout("za");

/* True if whole rows fill two vectors of together `most` elements, a power of two. */
static inline __attribute__((always_inline)) bool mean_fills_vectors(size_t columns,
                                                                     size_t most) __arm_streaming
{
    return columns > 1 && most % columns == 0;
}

/* Columns i .. of the sum of `rows` neighbouring rows of `columns` floats. */
static inline __attribute__((always_inline)) svfloat32_t mean_fold(svbool_t some, const float *sums,
                                                                   size_t rows, size_t columns,
                                                                   size_t i) __arm_streaming
{
    svfloat32_t sum = svld1_f32(some, sums + i), other = svdup_f32(0);
    size_t row = 1;
    for (sums += i + columns; row + 1 < rows; row += 2, sums += 2 * columns) {
        sum = svadd_f32_x(svptrue_b32(), sum, svld1_f32(some, sums));
        other = svadd_f32_x(svptrue_b32(), other, svld1_f32(some, sums + columns));
    }
    if (row < rows)
        sum = svadd_f32_x(svptrue_b32(), sum, svld1_f32(some, sums));
    return svadd_f32_x(svptrue_b32(), sum, other);
}
