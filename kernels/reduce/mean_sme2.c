/* kernels/reduce/mean_sme2.c: sums over one dimension in streaming mode. */
#include <arm_sme.h>
#include <arm_sve.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/reduce/mean_fold_sme2.h"
#include "kernels/reduce/reduce.h"
#include "kernels/reduce/row_sum_sme2.h"

/* Rows of at most four vectors: one load each. */
static void mean_short_rows(const struct sl_reduce_args *args) __arm_streaming
{
    svbool_t all = svptrue_b32();
    svcount_t some = svwhilelt_c32_u64(0, args->reduced, 4);
    const float *in = args->in;
    for (size_t o = 0; o < args->outer; o++, in += args->reduced) {
        svfloat32x4_t x = svld1_f32_x4(some, in);
        svfloat32_t sum = svadd_f32_x(all, svget4_f32(x, 0), svget4_f32(x, 1));
        svfloat32_t other = svadd_f32_x(all, svget4_f32(x, 2), svget4_f32(x, 3));
        ((float *)args->out)[o] = svaddv_f32(all, svadd_f32_x(all, sum, other)) * args->scale;
    }
}

enum { MOST_VL = 64 };

/* Columns i .. i + 4 VL. */
static void mean_quad(const struct sl_reduce_args *args, const float *in, size_t i,
                      float *out) __arm_streaming __arm_inout("za")
{
    svbool_t all = svptrue_b32();
    sl_sum_quads_f32_sme2_asm(in + i, args->inner, args->reduced, args->inner - i);
    svfloat32x4_t sum = svread_za32_f32_vg1x4(0);
    sum = svcreate4_f32(svmul_n_f32_x(all, svget4_f32(sum, 0), args->scale),
                        svmul_n_f32_x(all, svget4_f32(sum, 1), args->scale),
                        svmul_n_f32_x(all, svget4_f32(sum, 2), args->scale),
                        svmul_n_f32_x(all, svget4_f32(sum, 3), args->scale));
    svst1_f32_x4(svwhilelt_c32_u64(i, args->inner, 4), out + i, sum);
}

/* Takes at most 2 VL columns: as many rows as four vectors hold at a time, side by side. */
static void mean_few(const struct sl_reduce_args *args, const float *in,
                     float *out) __arm_streaming __arm_inout("za")
{
    float sums[4 * MOST_VL];
    size_t columns = args->inner, rows = 4 * svcntw() / columns, step = rows * columns;
    size_t turns = args->reduced / rows, at = turns * step;
    svcount_t rest = svwhilelt_c32_u64(at, args->reduced * columns, 4);
    sl_sum_quads_f32_sme2_asm(in, step, turns, step);
    svadd_za32_f32_vg1x4(0, svld1_f32_x4(rest, in + at));
    svst1_f32_x4(svptrue_c32(), sums, svread_za32_f32_vg1x4(0));
    for (size_t i = 0; i < columns; i += svcntw()) {
        svbool_t lanes = svwhilelt_b32_u64(i, columns);
        svfloat32_t sum = mean_fold(lanes, sums, rows, columns, i);
        svst1_f32(lanes, out + i, svmul_n_f32_x(lanes, sum, args->scale));
    }
}

static void mean_rows(const void *pointer) __arm_streaming
{
    const struct sl_reduce_args *args = pointer;
    if (args->reduced <= 4 * svcntw()) {
        mean_short_rows(args);
        return;
    }
    for (size_t o = 0; o < args->outer; o++)
        ((float *)args->out)[o] =
            sl_row_sum_sme2((const float *)args->in + o * args->reduced, args->reduced) *
            args->scale;
}

/* The sums of columns to groups 0 and 1. */
static inline __attribute__((always_inline)) void
sum_quads(const float *in, size_t count) __arm_streaming __arm_inout("za")
{
    svcount_t all = svptrue_c32();
    size_t quad = 4 * svcntw(), left = count;
    for (; left >= 4 * quad; left -= 4 * quad, in += 4 * quad) {
        svadd_za32_f32_vg1x4(0, svld1_f32_x4(all, in));
        svadd_za32_f32_vg1x4(1, svld1_vnum_f32_x4(all, in, 4));
        svadd_za32_f32_vg1x4(0, svld1_vnum_f32_x4(all, in, 8));
        svadd_za32_f32_vg1x4(1, svld1_vnum_f32_x4(all, in, 12));
    }
    for (size_t i = 0; i < left; i += quad)
        svadd_za32_f32_vg1x4(0, svld1_f32_x4(svwhilelt_c32_u64(i, left, 4), in + i));
}

/* Takes 2, 4, 8 ... columns, at most two vectors: whole rows fill them and are added up in them. */
static __attribute__((noinline)) void
mean_of_powers(const struct sl_reduce_args *args) __arm_streaming __arm_inout("za")
{
    size_t columns = args->inner, count = args->reduced * columns;
    svbool_t all = svptrue_b32(), some = svwhilelt_b32_u64(0, columns);
    const float *in = args->in;
    for (float *out = args->out, *end = out + args->outer * columns; out < end;
         out += columns, in += count) {
        svzero_za();
        sum_quads(in, count);
        svadd_za32_f32_vg1x4(0, svread_za32_f32_vg1x4(1));
        svfloat32x4_t quad = svread_za32_f32_vg1x4(0);
        svfloat32_t sum = svadd_f32_x(all, svget4_f32(quad, 0), svget4_f32(quad, 2));
        svfloat32_t second = svadd_f32_x(all, svget4_f32(quad, 1), svget4_f32(quad, 3));
        if (columns > svcntw())
            svst1_f32(all, out + svcntw(), svmul_n_f32_x(all, second, args->scale));
        else
            sum = svadd_f32_x(all, sum, second);
        for (size_t lanes = svcntw(); lanes > columns;) {
            lanes /= 2;
            second = svtbl_f32(sum, svindex_u32((uint32_t)lanes, 1));
            sum = svadd_f32_x(all, sum, second);
        }
        svst1_f32(some, out, svmul_n_f32_x(all, sum, args->scale));
    }
}

static __attribute__((noinline)) void
mean_columns(const struct sl_reduce_args *args) __arm_streaming __arm_inout("za")
{
    const float *in = args->in;
    float *out = args->out;
    size_t inner = args->inner;
    for (size_t o = 0; o < args->outer; o++, in += args->reduced * inner, out += inner) {
        if (inner > 0 && inner <= 2 * svcntw()) {
            mean_few(args, in, out);
            continue;
        }
        for (size_t i = 0; i < inner; i += 4 * svcntw())
            mean_quad(args, in, i, out);
    }
}

static void mean_inner(const void *pointer) __arm_streaming __arm_inout("za")
{
    const struct sl_reduce_args *args = pointer;
    if (mean_fills_vectors(args->inner, 2 * svcntw()))
        mean_of_powers(args);
    else
        mean_columns(args);
}

static void mean(const struct sl_reduce_args *args)
{
    if (args->inner == 1)
        sl_streaming_run(mean_rows, args);
    else
        sl_streaming_run_za(mean_inner, args);
}

const struct sl_reduce sl_reduce_mean_f32_f32_8vl_sme2 = {
    .name = "sl_reduce_mean_f32_f32_8vl_sme2",
    .needs = SL_ISA_SME2,
    .element = SL_F32,
    .op = SL_REDUCE_MEAN,
    .run = mean,
};
