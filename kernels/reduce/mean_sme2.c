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
        args->out[o] = svaddv_f32(all, svadd_f32_x(all, sum, other)) * args->scale;
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

/* Of at most 2 VL columns: as many rows as four vectors hold at a time, side by side. */
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
        args->out[o] = sl_row_sum_sme2(args->in + o * args->reduced, args->reduced) * args->scale;
}

static void mean_inner(const void *pointer) __arm_streaming __arm_inout("za")
{
    const struct sl_reduce_args *args = pointer;
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
    .op = SL_REDUCE_MEAN,
    .run = mean,
};
