/* kernels/reduce/mean_few_f16_sme2.h: means of few columns of halves in streaming mode. */
#pragma once

#include "kernels/reduce/mean_fold_sme2.h"
#include "kernels/reduce/reduce_f16.h"

enum { MOST_VL = 64 };

/* The sums of even elements are in group 0, those of odd ones in group 1. */
static inline void store_sums(float *out) __arm_streaming __arm_inout("za")
{
    svbool_t all = svptrue_b32();
    svfloat32x4_t even = svread_za32_f32_vg1x4(0), odd = svread_za32_f32_vg1x4(1);
    size_t step = 2 * svcntw();
    svst2_f32(all, out, svcreate2_f32(svget4_f32(even, 0), svget4_f32(odd, 0)));
    svst2_f32(all, out + step, svcreate2_f32(svget4_f32(even, 1), svget4_f32(odd, 1)));
    svst2_f32(all, out + 2 * step, svcreate2_f32(svget4_f32(even, 2), svget4_f32(odd, 2)));
    svst2_f32(all, out + 3 * step, svcreate2_f32(svget4_f32(even, 3), svget4_f32(odd, 3)));
}

/* Of as many columns as half of four vectors hold, at most: as many rows as they hold at a time,
 * side by side. */
static void mean_few(const struct sl_reduce_f16_args *args, const uint16_t *in,
                     uint16_t *out) __arm_streaming __arm_inout("za")
{
    float sums[8 * MOST_VL];
    size_t columns = args->inner, rows = 4 * svcnth() / columns, step = rows * columns;
    size_t turns = args->reduced / rows, at = turns * step;
    svcount_t rest = svwhilelt_c16_u64(at, args->reduced * columns, 4);
    sl_sum_quads_f16_sme2_asm(in, step, turns, step);
    svmla_single_za32_f16_vg2x4(0, svld1_f16_x4(rest, (const float16_t *)(const void *)in + at),
                                svdup_f16(1));
    store_sums(sums);
    for (size_t i = 0; i < columns; i += svcntw()) {
        svbool_t lanes = svwhilelt_b32_u64(i, columns);
        svfloat32_t sum = mean_fold(lanes, sums, rows, columns, i);
        svfloat16_t y = svcvt_f16_f32_x(lanes, svmul_n_f32_x(lanes, sum, args->scale));
        svst1h_u32(lanes, out + i, svreinterpret_u32_f16(y));
    }
}
