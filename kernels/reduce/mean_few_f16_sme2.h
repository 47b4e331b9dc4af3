/* kernels/reduce/mean_few_f16_sme2.h: means of few columns of halves in streaming mode. */
#pragma once

#include "kernels/reduce/mean_fold_sme2.h"
#include "kernels/reduce/reduce.h"

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

/* Takes at most as many columns as half of four vectors hold: as many rows as they hold at a time,
 * side by side. */
static void mean_few(const struct sl_reduce_args *args, const uint16_t *in,
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

/* Adds up the lanes of rows that stand side by side in a vector, columns / 2 of each. */
static inline __attribute__((always_inline)) svfloat32_t add_rows(svfloat32_t sum,
                                                                  size_t columns) __arm_streaming
{
    for (size_t lanes = svcntw(); 2 * lanes > columns;) {
        lanes /= 2;
        svfloat32_t other = svtbl_f32(sum, svindex_u32((uint32_t)lanes, 1));
        sum = svadd_f32_x(svptrue_b32(), sum, other);
    }
    return sum;
}

static inline __attribute__((always_inline)) void store_means(svfloat32_t even, svfloat32_t odd,
                                                              float scale, svbool_t some,
                                                              uint16_t *out) __arm_streaming
{
    svbool_t all = svptrue_b32();
    svfloat16_t y = svcvt_f16_f32_x(all, svmul_n_f32_x(all, even, scale));
    y = svcvtnt_f16_f32_m(y, all, svmul_n_f32_x(all, odd, scale));
    svst1_f16(some, (float16_t *)(void *)out, y);
}

/* The sums of the even columns of `in` to group 0, of the odd ones to group 1. */
static inline __attribute__((always_inline)) void
sum_quads(const float16_t *in, size_t count) __arm_streaming __arm_inout("za")
{
    svfloat16_t ones = svdup_f16(1);
    size_t quad = 4 * svcnth(), left = count;
    for (; left >= 2 * quad; left -= 2 * quad, in += 2 * quad) {
        svmla_single_za32_f16_vg2x4(0, svld1_f16_x4(svptrue_c16(), in), ones);
        svmla_single_za32_f16_vg2x4(0, svld1_vnum_f16_x4(svptrue_c16(), in, 4), ones);
    }
    for (size_t i = 0; i < left; i += quad)
        svmla_single_za32_f16_vg2x4(0, svld1_f16_x4(svwhilelt_c16_u64(i, left, 4), in + i), ones);
}

/* Takes 2, 4, 8 ... columns, at most two vectors: whole rows fill them and are added up in them. */
static __attribute__((noinline)) void
mean_of_powers(const struct sl_reduce_args *args) __arm_streaming __arm_inout("za")
{
    const float16_t *in = (const void *)args->in;
    size_t columns = args->inner, count = args->reduced * columns;
    svbool_t all = svptrue_b32(), some = svwhilelt_b16_u64(0, columns);
    uint16_t *out = args->out, *end = out + args->outer * columns;
    for (; out < end; out += columns, in += count) {
        svzero_za();
        sum_quads(in, count);
        svfloat32x4_t even = svread_za32_f32_vg1x4(0), odd = svread_za32_f32_vg1x4(1);
        svfloat32_t e = svadd_f32_x(all, svget4_f32(even, 0), svget4_f32(even, 2));
        svfloat32_t o = svadd_f32_x(all, svget4_f32(odd, 0), svget4_f32(odd, 2));
        svfloat32_t e1 = svadd_f32_x(all, svget4_f32(even, 1), svget4_f32(even, 3));
        svfloat32_t o1 = svadd_f32_x(all, svget4_f32(odd, 1), svget4_f32(odd, 3));
        if (columns > svcnth()) {
            store_means(e1, o1, args->scale, some, out + svcnth());
        } else {
            e = add_rows(svadd_f32_x(all, e, e1), columns);
            o = add_rows(svadd_f32_x(all, o, o1), columns);
        }
        store_means(e, o, args->scale, some, out);
    }
}
