/* kernels/reduce/mean_qs8_sme2.c: means of int8, SME2: sums of four vectors of columns by SMLALL
 * into ZA, of a row by SDOT. */
#include <arm_sme.h>
#include <arm_sve.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/reduce/mean_qs8.h"

/* clang 19 fails at debug information of tuples that are arguments. */
#define INLINE static inline __attribute__((always_inline))

struct job {
    const struct sl_mean_qs8_args *args;
    float offset;
};

static size_t workspace_bytes(size_t inner)
{
    (void)inner;
    return 0;
}

/* Word i of vector j is of byte 4 i + j. */
INLINE svint8_t means_of(svint32x4_t sums, const struct job *job) __arm_streaming
{
#pragma STDC FP_CONTRACT OFF
    const struct sl_mean_qs8_args *a = job->args;
    svbool_t all = svptrue_b32();
    svfloat32x4_t y = svcvt_f32_s32_x4(sums);
    svfloat32_t offset = svdup_f32(job->offset);
    y = svcreate4_f32(svadd_f32_x(all, svmul_n_f32_x(all, svget4_f32(y, 0), a->scale), offset),
                      svadd_f32_x(all, svmul_n_f32_x(all, svget4_f32(y, 1), a->scale), offset),
                      svadd_f32_x(all, svmul_n_f32_x(all, svget4_f32(y, 2), a->scale), offset),
                      svadd_f32_x(all, svmul_n_f32_x(all, svget4_f32(y, 3), a->scale), offset));
    y = svclamp_single_f32_x4(y, svdup_f32(a->out_quant.min), svdup_f32(a->out_quant.max));
    return svqcvtn_s8_s32_x4(svcvt_s32_f32_x4(svrintn_f32_x4(y)));
}

/* The sums that SMLALL left for the g-th of four vectors. */
INLINE svint32x4_t read_sums(uint32_t g) __arm_streaming __arm_inout("za")
{
    svint8x4_t bits = svread_hor_za8_s8_vg4(0, g * (uint32_t)(svcntb() / 4));
    return svcreate4_s32(
        svreinterpret_s32_s8(svget4_s8(bits, 0)), svreinterpret_s32_s8(svget4_s8(bits, 1)),
        svreinterpret_s32_s8(svget4_s8(bits, 2)), svreinterpret_s32_s8(svget4_s8(bits, 3)));
}

/* Four vectors of columns of one outer index. */
INLINE void columns_of(const struct job *job, svcount_t some, const int8_t *in,
                       int8_t *out) __arm_streaming __arm_inout("za")
{
    size_t step = job->args->inner;
    svint8_t one = svdup_s8(1);
    svzero_za();
    for (size_t r = job->args->reduced; r > 0; r--, in += step)
        svmla_single_za32_s8_vg4x4(0, svld1_s8_x4(some, in), one);
    svst1_s8_x4(some, out,
                svcreate4_s8(means_of(read_sums(0), job), means_of(read_sums(1), job),
                             means_of(read_sums(2), job), means_of(read_sums(3), job)));
}

/* All of one outer index is a single mean. */
INLINE void row_of(const struct job *job, const int8_t *in,
                   int8_t *out) __arm_streaming __arm_inout("za")
{
    svint8_t one = svdup_s8(1);
    svbool_t all = svptrue_b32();
    size_t count = job->args->reduced;
    svzero_za();
    for (size_t i = 0; i < count; i += 4 * svcntb())
        svdot_single_za32_s8_vg1x4(0, svld1_s8_x4(svwhilelt_c8_u64(i, count, 4), in + i), one);
    svint32x4_t sums = svread_za32_s32_vg1x4(0);
    svint32_t even = svadd_s32_x(all, svget4_s32(sums, 0), svget4_s32(sums, 1));
    svint32_t odd = svadd_s32_x(all, svget4_s32(sums, 2), svget4_s32(sums, 3));
    svint32_t sum = svdup_s32((int32_t)svaddv_s32(all, svadd_s32_x(all, even, odd)));
    svst1_s8(svwhilelt_b8_u64(0, 1), out, means_of(svcreate4_s32(sum, sum, sum, sum), job));
}

static void body(const void *pointer) __arm_streaming __arm_inout("za")
{
    const struct job *job = pointer;
    const struct sl_mean_qs8_args *a = job->args;
    const int8_t *in = a->in;
    int8_t *out = a->out;
    for (size_t o = 0; o < a->outer; o++, in += a->reduced * a->inner, out += a->inner) {
        if (a->inner == 1) {
            row_of(job, in, out);
            continue;
        }
        for (size_t c = 0; c < a->inner; c += 4 * svcntb())
            columns_of(job, svwhilelt_c8_u64(c, a->inner, 4), in + c, out + c);
    }
}

static void run(const struct sl_mean_qs8_args *args)
{
    const struct job job = {args, sl_mean_qs8_offset(args)};
    sl_streaming_run_za(body, &job);
}

const struct sl_mean_qs8 sl_mean_qs8_qs8_1x4vl_sme2 = {
    .name = "sl_mean_qs8_qs8_1x4vl_sme2",
    .needs = SL_ISA_SME2,
    .workspace_bytes = workspace_bytes,
    .run = run,
};
