/* kernels/reduce/reduce_f16_sme2.c: reductions of halves in streaming mode. Sums are products with
 * ones, widened to f32 in ZA: even and odd columns have a group each. */
#include <arm_sme.h>
#include <arm_sve.h>

#include "kernels/cpu/streaming.h"

#define ENGINE sme2
#define ISA SL_ISA_SME2
#define SOFTMAX sl_reduce_softmax_f32_f32_4vl_sme2
#include "kernels/reduce/reduce_wide.h"

struct span {
    size_t count;
    const void *in;
    void *out;
};

static void widen_body(const void *args) __arm_streaming
{
    const struct span *s = args;
    const uint16_t *in = s->in;
    float *out = s->out;
    svbool_t all = svptrue_b32();
    for (size_t i = 0; i < s->count; i += 2 * svcnth()) {
        svuint16x2_t halves = svld1_u16_x2(svwhilelt_c16_u64(i, s->count, 2), in + i);
        svuint32x4_t bits = svunpk_u32_u16_x4(halves);
        svst1_f32_x4(
            svwhilelt_c32_u64(i, s->count, 4), out + i,
            svcreate4_f32(svcvt_f32_f16_x(all, svreinterpret_f16_u32(svget4_u32(bits, 0))),
                          svcvt_f32_f16_x(all, svreinterpret_f16_u32(svget4_u32(bits, 1))),
                          svcvt_f32_f16_x(all, svreinterpret_f16_u32(svget4_u32(bits, 2))),
                          svcvt_f32_f16_x(all, svreinterpret_f16_u32(svget4_u32(bits, 3)))));
    }
}

static void narrow_body(const void *args) __arm_streaming
{
    const struct span *s = args;
    const float *in = s->in;
    float16_t *out = s->out;
    for (size_t i = 0; i < s->count; i += 2 * svcnth()) {
        svfloat32x4_t x = svld1_f32_x4(svwhilelt_c32_u64(i, s->count, 4), in + i);
        svfloat16_t low = svcvt_f16_f32_x2(svcreate2_f32(svget4_f32(x, 0), svget4_f32(x, 1)));
        svfloat16_t high = svcvt_f16_f32_x2(svcreate2_f32(svget4_f32(x, 2), svget4_f32(x, 3)));
        svst1_f16_x2(svwhilelt_c16_u64(i, s->count, 2), out + i, svcreate2_f16(low, high));
    }
}

static void widen(size_t count, const uint16_t *in, float *out)
{
    struct span args = {count, in, out};
    sl_streaming_run(widen_body, &args);
}

static void narrow(size_t count, const float *in, uint16_t *out)
{
    struct span args = {count, in, out};
    sl_streaming_run(narrow_body, &args);
}

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

static void mean_body(const void *pointer) __arm_streaming __arm_inout("za")
{
    const struct sl_reduce_f16_args *args = pointer;
    for (size_t o = 0; o < args->outer; o++) {
        const uint16_t *in = args->in + o * args->reduced * args->inner;
        if (args->inner == 1) {
            svfloat16_t y =
                svcvt_f16_f32_x(svptrue_b32(), svdup_f32(row_sum(in, args->reduced) * args->scale));
            svst1_f16(svwhilelt_b16_u64(0, 1), (float16_t *)(void *)(args->out + o), y);
            continue;
        }
        struct sl_mean_columns job = {in, args->inner, args->reduced, args->out + o * args->inner,
                                      args->scale};
        if (args->inner > 0)
            sl_mean_columns_f16_sme2_asm(&job);
    }
}

static void mean(const struct sl_reduce_f16_args *args)
{
    sl_streaming_run_za(mean_body, args);
}

const struct sl_reduce_f16 sl_reduce_mean_f16_f16_8vl_sme2 = {
    .name = "sl_reduce_mean_f16_f16_8vl_sme2",
    .needs = SL_ISA_SME2,
    .op = SL_REDUCE_MEAN,
    .run = mean,
};

/* It knows the layout of struct sl_reduce_f16_args. */
void sl_layer_norm_rows_f16_sme2_asm(const void *args) __arm_streaming __arm_inout("za");

static void layer_norm(const struct sl_reduce_f16_args *args)
{
    sl_streaming_run_za(sl_layer_norm_rows_f16_sme2_asm, args);
}

const struct sl_reduce_f16 sl_reduce_layer_norm_f16_f16_8vl_sme2 = {
    .name = "sl_reduce_layer_norm_f16_f16_8vl_sme2",
    .needs = SL_ISA_SME2,
    .op = SL_REDUCE_LAYER_NORM,
    .run = layer_norm,
};
