/* kernels/reduce/reduce_f16_sme2.c: reductions of halves in streaming mode. Sums are products with
 * ones, widened to f32 in ZA: even and odd columns have a group each. */
#include <arm_sme.h>
#include <arm_sve.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/reduce/mean_few_f16_sme2.h"

struct sl_mean_columns { /* the assembly knows its layout */
    const uint16_t *in;  /* [rows][columns] */
    size_t columns, rows;
    uint16_t *out;
    float scale;
};

void sl_mean_columns_f16_sme2_asm(const struct sl_mean_columns *job) __arm_streaming __arm_inout(
    "za");

static float row_sum(const uint16_t *in, size_t count) __arm_streaming __arm_inout("za")
{
    svbool_t all = svptrue_b32();
    svfloat16_t ones = svdup_f16(1);
    const float16_t *from = (const void *)in;
    svzero_za();
    for (size_t i = 0; i < count; i += 4 * svcnth())
        svmla_single_za32_f16_vg2x4(0, svld1_f16_x4(svwhilelt_c16_u64(i, count, 4), from + i),
                                    ones);
    svadd_za32_f32_vg1x4(0, svread_za32_f32_vg1x4(1));
    svfloat32x4_t sums = svread_za32_f32_vg1x4(0);
    svfloat32_t sum = svadd_f32_x(all, svget4_f32(sums, 0), svget4_f32(sums, 1));
    svfloat32_t other = svadd_f32_x(all, svget4_f32(sums, 2), svget4_f32(sums, 3));
    return svaddv_f32(all, svadd_f32_x(all, sum, other));
}

static __attribute__((noinline)) void
mean_any(const struct sl_reduce_args *args) __arm_streaming __arm_inout("za")
{
    for (size_t o = 0; o < args->outer; o++) {
        const uint16_t *in = (const uint16_t *)args->in + o * args->reduced * args->inner;
        if (args->inner == 1) {
            svfloat16_t y =
                svcvt_f16_f32_x(svptrue_b32(), svdup_f32(row_sum(in, args->reduced) * args->scale));
            svst1_f16(svwhilelt_b16_u64(0, 1), (float16_t *)(void *)((uint16_t *)args->out + o), y);
            continue;
        }
        if (args->inner > 0 && 2 * args->inner <= 4 * svcnth()) {
            mean_few(args, in, (uint16_t *)args->out + o * args->inner);
            continue;
        }
        struct sl_mean_columns job = {in, args->inner, args->reduced,
                                      (uint16_t *)args->out + o * args->inner, args->scale};
        if (args->inner > 0)
            sl_mean_columns_f16_sme2_asm(&job);
    }
}

static void mean_body(const void *pointer) __arm_streaming __arm_inout("za")
{
    const struct sl_reduce_args *args = pointer;
    if (mean_fills_vectors(args->inner, 2 * svcnth()))
        mean_of_powers(args);
    else
        mean_any(args);
}

static void mean(const struct sl_reduce_args *args)
{
    sl_streaming_run_za(mean_body, args);
}

const struct sl_reduce sl_reduce_mean_f16_f16_8vl_sme2 = {
    .name = "sl_reduce_mean_f16_f16_8vl_sme2",
    .needs = SL_ISA_SME2,
    .element = SL_F16,
    .op = SL_REDUCE_MEAN,
    .run = mean,
};

/* It knows the layout of struct sl_reduce_args. */
void sl_layer_norm_rows_f16_sme2_asm(const void *args) __arm_streaming __arm_inout("za");

static void layer_norm(const struct sl_reduce_args *args)
{
    sl_streaming_run_za(sl_layer_norm_rows_f16_sme2_asm, args);
}

const struct sl_reduce sl_reduce_layer_norm_f16_f16_8vl_sme2 = {
    .name = "sl_reduce_layer_norm_f16_f16_8vl_sme2",
    .needs = SL_ISA_SME2,
    .element = SL_F16,
    .op = SL_REDUCE_LAYER_NORM,
    .run = layer_norm,
};
