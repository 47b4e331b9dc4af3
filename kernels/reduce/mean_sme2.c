/* kernels/reduce/mean_sme2.c: sums over one dimension in streaming mode. */
#include <arm_sme.h>
#include <arm_sve.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
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

/* Columns i .. i + 8 VL of one outer index, two groups of four vectors in ZA. */
static void mean_columns(const struct sl_reduce_args *args, const float *in, size_t i,
                         float *out) __arm_streaming __arm_inout("za")
{
    size_t quad = 4 * svcntw();
    svcount_t some = svwhilelt_c32_u64(i, args->inner, 4);
    svcount_t more = svwhilelt_c32_u64(i + quad, args->inner, 4);
    svfloat32_t scale = svdup_f32(args->scale);
    const float *from = in + i;
    svzero_za();
    for (size_t r = args->reduced; r > 0; r--, from += args->inner) {
        svadd_za32_f32_vg1x4(0, svld1_f32_x4(some, from));
        svadd_za32_f32_vg1x4(1, svld1_vnum_f32_x4(more, from, 4));
    }
    for (uint32_t half = 0; half < 2; half++) {
        svfloat32x4_t sum = svread_za32_f32_vg1x4(half);
        svbool_t all = svptrue_b32();
        sum = svcreate4_f32(svmul_f32_x(all, svget4_f32(sum, 0), scale),
                            svmul_f32_x(all, svget4_f32(sum, 1), scale),
                            svmul_f32_x(all, svget4_f32(sum, 2), scale),
                            svmul_f32_x(all, svget4_f32(sum, 3), scale));
        svst1_f32_x4(half ? more : some, out + i + half * quad, sum);
    }
}

/* Columns i .. i + 4 VL, four rows at a time, each with its own group. */
static void mean_quad(const struct sl_reduce_args *args, const float *in, size_t i,
                      float *out) __arm_streaming __arm_inout("za")
{
    svbool_t all = svptrue_b32();
    svcount_t some = svwhilelt_c32_u64(i, args->inner, 4);
    size_t step = args->inner, r = args->reduced;
    const float *from = in + i;
    svzero_za();
    for (; r >= 4; r -= 4, from += 4 * step) {
        svadd_za32_f32_vg1x4(0, svld1_f32_x4(some, from));
        svadd_za32_f32_vg1x4(1, svld1_f32_x4(some, from + step));
        svadd_za32_f32_vg1x4(2, svld1_f32_x4(some, from + 2 * step));
        svadd_za32_f32_vg1x4(3, svld1_f32_x4(some, from + 3 * step));
    }
    for (; r > 0; r--, from += step)
        svadd_za32_f32_vg1x4(0, svld1_f32_x4(some, from));
    for (uint32_t group = 1; group < 4; group++)
        svadd_za32_f32_vg1x4(0, svread_za32_f32_vg1x4(group));
    svfloat32x4_t sum = svread_za32_f32_vg1x4(0);
    sum = svcreate4_f32(svmul_n_f32_x(all, svget4_f32(sum, 0), args->scale),
                        svmul_n_f32_x(all, svget4_f32(sum, 1), args->scale),
                        svmul_n_f32_x(all, svget4_f32(sum, 2), args->scale),
                        svmul_n_f32_x(all, svget4_f32(sum, 3), args->scale));
    svst1_f32_x4(some, out + i, sum);
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
    for (size_t o = 0; o < args->outer; o++) {
        const float *in = args->in + o * args->reduced * args->inner;
        for (size_t i = 0; i < args->inner; i += 8 * svcntw()) {
            if (args->inner - i <= 4 * svcntw())
                mean_quad(args, in, i, args->out + o * args->inner);
            else
                mean_columns(args, in, i, args->out + o * args->inner);
        }
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
