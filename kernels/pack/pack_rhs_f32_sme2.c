/* kernels/pack/pack_rhs_f32_sme2.c: panels of weights: [n][k] through ZA, [k][n] by copies. */
#include "kernels/pack/pack_rhs_f32.h"

#include <arm_sme.h>
#include <arm_sve.h>

#include "kernels/cpu/streaming.h"
#include "kernels/layout/transpose_rows.h"
#include "kernels/matmul/matmul_mopa.h"
#include "kernels/pack/pack_f32.h"

enum { MOST_ROWS = 2 * 64 }; /* of one strip at the longest vector */

struct panel {
    const struct sl_pack_rhs_f32 *job;
    size_t first, columns, width; /* columns: those that exist */
    float *out;
};

static void put_biases(const struct panel *p) __arm_streaming __arm_inout("za")
{
    const float *bias = p->job->bias ? p->job->bias + p->first : NULL;
    for (size_t j = 0; j < p->width; j += svcntw()) {
        svfloat32_t v = svdup_f32(0);
        if (bias && j < p->columns)
            v = svld1_f32(svwhilelt_b32_u64(j, p->columns), bias + j);
        svst1_f32(svptrue_b32(), p->out + j, svadd_n_f32_x(svptrue_b32(), v, sl_bias_error));
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

/* Each row of k weights becomes a column. */
static void turn_rows(const struct panel *p, float *out) __arm_streaming __arm_inout("za")
{
    static const int64_t start = 0;
    const struct sl_pack_rhs_f32 *job = p->job;
    const float *rows[MOST_ROWS];
    size_t vl = svcntw(), strip = p->width > vl ? 2 * vl : vl;
    for (size_t j = 0; j < p->width; j += strip) {
        size_t from = j < p->columns ? j : p->columns - 1;
        sl_pack_rows_sme2(rows, job->weights + (p->first + from) * job->k, job->k * sizeof(float),
                          p->columns - from, strip);
        if (strip == vl) {
            struct sl_pack_f32 pack = {rows, &start, 1, job->k, 1, out};
            sl_pack_f32_1vl_sme2_asm(&pack);
            continue;
        }
        struct sl_transpose_rows turn = {(const uint32_t *const *)(const void *)rows, job->k,
                                         (uint32_t *)(void *)(out + j), p->width, strip};
        sl_transpose_rows_sme2_asm(&turn);
    }
}

static void body(const void *args) __arm_streaming __arm_inout("za")
{
    const struct sl_pack_rhs_f32 *job = args;
    size_t most = job->panel_vl * svcntw(), least = job->least_vl * svcntw();
    struct panel p = {.job = job, .out = job->packed};
    for (; p.first < job->n; p.first += most) {
        size_t left = job->n - p.first;
        p.width = left < most ? (left + least - 1) / least * least : most;
        p.columns = left < p.width ? left : p.width;
        put_biases(&p);
        if (job->k > 0 && job->transposed)
            copy_rows(&p, p.out + p.width);
        else if (job->k > 0)
            turn_rows(&p, p.out + p.width);
        p.out += p.width * (job->k + 1);
    }
}

void sl_pack_rhs_f32_sme2(const struct sl_pack_rhs_f32 *job)
{
    sl_streaming_run_za(body, job);
}
