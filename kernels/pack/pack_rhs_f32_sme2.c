/* kernels/pack/pack_rhs_f32_sme2.c: panels of weights: [n][k] through ZA, [k][n] by copies. */
#include "kernels/pack/pack_rhs_f32.h"

#include "kernels/layout/transpose_rows.h"
#include "kernels/pack/pack_columns.h"
#include "kernels/pack/pack_f32.h"
#include "kernels/pack/pack_short.h"

#define SL_ELEMENT float
#define PACK_RHS_JOB sl_pack_rhs_f32
#define SEGMENTS(job) 1
#define LINES(job) ((job)->k)
#define TURN_JOB sl_transpose_rows
#define TURN sl_transpose_rows_sme2_asm
#define PACK_JOB sl_pack_f32
#define PACK sl_pack_f32_1vl_sme2_asm
#include "kernels/pack/pack_rhs_sme2.inc"

static void put_biases(const struct panel *p) __arm_streaming __arm_inout("za")
{
    const float *bias = p->job->bias ? p->job->bias + p->first : NULL;
    for (size_t j = 0; j < p->width; j += svcntw()) {
        svfloat32_t v = svdup_f32(0);
        if (bias && j < p->columns)
            v = svld1_f32(svwhilelt_b32_u64(j, p->columns), bias + j);
        svst1_f32(svptrue_b32(), p->out + j, v);
    }
}

/* Two vectors of each of k rows. */
static void copy_pairs(const float *in, size_t stride, size_t k, svcount_t some, size_t width,
                       float *out) __arm_streaming __arm_inout("za")
{
    svcount_t all = svptrue_c32();
    for (; k >= 4; k -= 4, in += 4 * stride, out += 4 * width) {
        svfloat32x2_t a = svld1_f32_x2(some, in), b = svld1_f32_x2(some, in + stride);
        svfloat32x2_t c = svld1_f32_x2(some, in + 2 * stride);
        svfloat32x2_t d = svld1_f32_x2(some, in + 3 * stride);
        svst1_f32_x2(all, out, a);
        svst1_f32_x2(all, out + width, b);
        svst1_f32_x2(all, out + 2 * width, c);
        svst1_f32_x2(all, out + 3 * width, d);
    }
    for (; k > 0; k--, in += stride, out += width)
        svst1_f32_x2(all, out, svld1_f32_x2(some, in));
}

/* The same for a panel that is one vector wide. */
static void copy_vectors(const float *in, size_t stride, size_t k, svbool_t some,
                         float *out) __arm_streaming __arm_inout("za")
{
    size_t vl = svcntw();
    for (; k >= 4; k -= 4, in += 4 * stride, out += 4 * vl) {
        svfloat32_t a = svld1_f32(some, in), b = svld1_f32(some, in + stride);
        svfloat32_t c = svld1_f32(some, in + 2 * stride), d = svld1_f32(some, in + 3 * stride);
        svst1_f32_x4(svptrue_c32(), out, svcreate4_f32(a, b, c, d));
    }
    for (; k > 0; k--, in += stride, out += vl)
        svst1_f32(svptrue_b32(), out, svld1_f32(some, in));
}

static void copy_rows(const struct panel *p, float *out) __arm_streaming __arm_inout("za")
{
    const struct sl_pack_rhs_f32 *job = p->job;
    const float *in = job->weights + p->first;
    size_t vl = svcntw();
    if (p->width == vl) {
        copy_vectors(in, job->n, job->k, svwhilelt_b32_u64(0, p->columns), out);
        return;
    }
    for (size_t j = 0; j < p->width; j += 2 * vl)
        copy_pairs(j < p->columns ? in + j : in, job->n, job->k,
                   svwhilelt_c32_u64(j, p->columns, 2), p->width, out + j);
}

/* All panels of outer products for vectors of 16 floats; weights are [n][k], k is not 0. */
static void pack_columns_16(const void *args) __arm_streaming __arm_inout("za")
{
    const struct sl_pack_rhs_f32 *job = args;
    const struct sl_pack_columns columns = {job->weights, job->k * sizeof(float), job->n,
                                            2 * SL_PACK_16 * sizeof(float), job->packed};
    size_t panel = 2 * SL_PACK_16 * (job->k + 1), biases = job->bias ? job->n : 0;
    size_t end = (job->n + 15) / 16 * 16;
    float *out = job->packed;
    sl_pack_columns_sme2(&columns);
    for (size_t at = 0; at < end; at += 2 * SL_PACK_16, out += panel) {
        svst1_f32_x2(svwhilelt_c32_u64(at, end, 2), out,
                     svld1_f32_x2(svwhilelt_c32_u64(at, biases, 2), job->bias + at));
    }
}

void sl_pack_rhs_f32_sme2(const struct sl_pack_rhs_f32 *job)
{
    bool columns = svcntsw() == SL_PACK_16 && !job->transposed && job->panel_vl == 2 && job->k > 0;
    sl_streaming_run_za(columns && job->n > 0 ? pack_columns_16 : pack_panels, job);
}
