/* kernels/reduce/row_sum_sme2.h: the sum of a row in streaming mode; for *_sme2.c files alone. */
#pragma once

#include <arm_sme.h>
#include <stddef.h>

/* Sum of a row, four vectors of partial sums at a time. */
static inline __attribute__((always_inline)) float sl_row_sum_sme2(const float *in,
                                                                   size_t count) __arm_streaming
{
    svbool_t all = svptrue_b32();
    svfloat32_t sum = svdup_f32(0), other = sum;
    for (size_t i = 0; i < count; i += 4 * svcntw()) {
        svfloat32x4_t x = svld1_f32_x4(svwhilelt_c32_u64(i, count, 4), in + i);
        sum = svadd_f32_x(all, sum, svadd_f32_x(all, svget4_f32(x, 0), svget4_f32(x, 1)));
        other = svadd_f32_x(all, other, svadd_f32_x(all, svget4_f32(x, 2), svget4_f32(x, 3)));
    }
    return svaddv_f32(all, svadd_f32_x(all, sum, other));
}
