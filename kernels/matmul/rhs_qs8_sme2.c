/* kernels/matmul/rhs_qs8_sme2.c: panels of int8 weights: [n][k] through ZA, [k][n] by zips. */
#include <arm_sme.h>
#include <arm_sve.h>

#include "kernels/cpu/streaming.h"
#include "kernels/matmul/line_sums_sme2.h"
#include "kernels/matmul/mopa_qs8.h"
#include "kernels/pack/pack_columns.h"
#include "kernels/pack/pack_f32.h"
#include "kernels/pack/pack_short.h"
#include "kernels/pack/pack_x8.h"

enum { MOST_ROWS = 2 * 64 }; /* of one strip at the longest vector */

struct panel {
    const struct sl_rhs_qs8 *job;
    size_t first, columns, width, steps; /* columns: those that exist */
    int32_t *out;
};

/* The words of 2VL columns from column j of the panel, or of VL when it is as narrow; each row of
 * weights becomes a column. */
static void pack_turned_rows(const struct panel *p, size_t j,
                             int32_t *out) __arm_streaming __arm_inout("za")
{
    static const int64_t start = 0;
    const struct sl_rhs_qs8 *job = p->job;
    const int8_t *rows[MOST_ROWS];
    size_t vl = svcntw(), strip = p->width > vl ? 2 * vl : vl, length = job->segment_length;
    size_t row = job->segments * length, from = j < p->columns ? j : p->columns - 1;
    const int8_t *base = job->weights + (p->first + from) * row;
    for (size_t s = 0; s < job->segments; s++, base += length) {
        int32_t *to = out + s * ((length + 3) / 4) * p->width;
        if (sl_pack_eights_serves(p->columns, p->width)) {
            struct sl_pack_eights eight = {base, row, length, to};
            sl_pack_eights_sme2_asm(&eight);
            continue;
        }
        sl_pack_rows_sme2((const float **)(void *)rows, (const float *)(const void *)base, row,
                          p->columns - from, strip);
        if (strip == vl) {
            struct sl_pack_x8 pack = {rows, &start, 1, length, 1, to};
            sl_pack_x8_1vl_sme2_asm(&pack);
            continue;
        }
        struct sl_pack_x8_pair pack = {rows, length, to, 4 * p->width};
        sl_pack_x8_2vl_sme2_asm(&pack);
    }
}

/* The same from weights [k][n]: the bytes of four rows are zipped. */
static void zip_rows(const struct panel *p, size_t j,
                     int32_t *out) __arm_streaming __arm_inout("za")
{
    const struct sl_rhs_qs8 *job = p->job;
    size_t vl = svcntw(), n = job->n, from = j < p->columns ? j : 0;
    const int8_t *in = job->weights + p->first + from;
    size_t columns = p->columns - from < 2 * vl ? p->columns - from : 2 * vl;
    svbool_t some = svwhilelt_b8_u64(0, columns), none = svpfalse_b();
    for (size_t k = 0; k < job->segment_length; k += 4, in += 4 * n, out += p->width) {
        size_t left = job->segment_length - k;
        svint8_t a = svld1_s8(some, in);
        svint8_t b = svld1_s8(left > 1 ? some : none, left > 1 ? in + n : in);
        svint8_t c = svld1_s8(left > 2 ? some : none, left > 2 ? in + 2 * n : in);
        svint8_t d = svld1_s8(left > 3 ? some : none, left > 3 ? in + 3 * n : in);
        svint8_t ac = svzip1_s8(a, c), bd = svzip1_s8(b, d);
        svst1_s32(svptrue_b32(), out, svreinterpret_s32_s8(svzip1_s8(ac, bd)));
        if (p->width > vl)
            svst1_vnum_s32(svptrue_b32(), out, 1, svreinterpret_s32_s8(svzip2_s8(ac, bd)));
    }
}

/* Starts and scales of VL columns from column j of the panel; `sum` is of their weights. */
static void put_vector(const struct panel *p, size_t j,
                       svint32_t sum) __arm_streaming __arm_inout("za")
{
    const struct sl_requant *requant = p->job->requant;
    svbool_t all = svptrue_b32(), some = svwhilelt_b32_u64(j, p->columns);
    size_t at = j < p->columns ? p->first + j : 0;
    svint32_t start = svdup_s32(0);
    if (requant->bias)
        start = svld1_s32(some, requant->bias + at);
    svst1_s32(all, p->out + j, svmls_n_s32_x(all, start, sum, requant->in_zero));
    svst1_f32(all, (float *)(p->out + p->width) + j, svld1_f32(some, requant->scale + at));
}

/* Sums of the weights in four vectors of columns: `count` bytes at each of `lines` places. */
static svint32x4_t sums_of(const int8_t *words, size_t count, size_t lines,
                           size_t stride) __arm_streaming __arm_inout("za")
{
    svint8_t ones = svdup_s8(1);
    size_t quad = 4 * svcntb();
    svzero_za();
    for (; lines > 0; lines--, words += stride) {
        const int8_t *at = words, *end = words + count;
        for (; (size_t)(end - at) >= 4 * quad; at += 4 * quad) {
            svcount_t all = svptrue_c8();
            svdot_single_za32_s8_vg1x4(0, svld1_s8_x4(all, at), ones);
            svdot_single_za32_s8_vg1x4(1, svld1_vnum_s8_x4(all, at, 4), ones);
            svdot_single_za32_s8_vg1x4(0, svld1_vnum_s8_x4(all, at, 8), ones);
            svdot_single_za32_s8_vg1x4(1, svld1_vnum_s8_x4(all, at, 12), ones);
        }
        for (; at < end; at += quad) {
            svcount_t some = svwhilelt_c8_u64(0, (uint64_t)(end - at), 4);
            svdot_single_za32_s8_vg1x4(0, svld1_s8_x4(some, at), ones);
        }
    }
    svadd_za32_s32_vg1x4(0, svread_za32_s32_vg1x4(1));
    return svread_za32_s32_vg1x4(0);
}

/* Starts and scales of a panel whose weights stand there already. Steps of narrow panels follow
 * each other, so four vectors are some steps of each column. */
static void put_head(const struct panel *p) __arm_streaming __arm_inout("za")
{
    const int8_t *words = (const int8_t *)(p->out + 2 * p->width);
    size_t vl = svcntw(), vectors = p->width / vl;
    for (size_t j = 0; vectors >= 4 && j < p->width; j += 4 * vl) {
        svint32x4_t sum = sums_of(words + 4 * j, 16 * vl, p->steps, 4 * p->width);
        put_vector(p, j, svget4_s32(sum, 0));
        put_vector(p, j + vl, svget4_s32(sum, 1));
        put_vector(p, j + 2 * vl, svget4_s32(sum, 2));
        put_vector(p, j + 3 * vl, svget4_s32(sum, 3));
    }
    if (vectors >= 4)
        return;
    svint32x2_t sums = sums_of_lines(words, p->steps, vectors == 1);
    put_vector(p, 0, svget2_s32(sums, 0));
    if (vectors > 1)
        put_vector(p, vl, svget2_s32(sums, 1));
}

/* All panels of outer products, for vectors of 16 words and weights whose segments are one. */
static void pack_columns_16(const void *args) __arm_streaming __arm_inout("za")
{
    const struct sl_rhs_qs8 *job = args;
    const struct sl_requant *requant = job->requant;
    size_t row = job->segments * job->segment_length, lines = (row + 3) / 4;
    size_t end = (job->n + 15) / 16 * 16, biases = requant->bias ? job->n : 0;
    const struct sl_pack_columns columns = {job->weights, row, job->n, 256, job->packed};
    int32_t *out = job->packed, zero = requant->in_zero;
    svbool_t all = svptrue_b32();
    sl_pack_columns_sme2(&columns);
    for (size_t at = 0; at < end; at += 32, out += 32 * (lines + 2)) {
        bool narrow = end - at == 16;
        size_t width = narrow ? 16 : 32;
        svcount_t both = svwhilelt_c32_u64(at, end, 2);
        svint32x2_t sums = sums_of_lines((const int8_t *)(out + 2 * width), lines, narrow);
        svint32x2_t start = svld1_s32_x2(svwhilelt_c32_u64(at, biases, 2), requant->bias + at);
        svint32_t left = svmls_n_s32_x(all, svget2_s32(start, 0), svget2_s32(sums, 0), zero);
        svint32_t right = svmls_n_s32_x(all, svget2_s32(start, 1), svget2_s32(sums, 1), zero);
        svst1_s32_x2(both, out, svcreate2_s32(left, right));
        svfloat32x2_t scale = svld1_f32_x2(svwhilelt_c32_u64(at, job->n, 2), requant->scale + at);
        svst1_f32_x2(both, (float *)(out + width), scale);
    }
}

static void body(const void *args) __arm_streaming __arm_inout("za")
{
    const struct sl_rhs_qs8 *job = args;
    size_t vl = svcntw(), most = job->panel_vl * vl, least = job->least_vl * vl;
    struct panel p = {.job = job, .out = job->packed};
    p.steps = sl_rhs_qs8_steps(job->segments, job->segment_length);
    for (; p.first < job->n; p.first += most) {
        size_t left = job->n - p.first;
        p.width = left < most ? (left + least - 1) / least * least : most;
        p.columns = left < p.width ? left : p.width;
        for (size_t j = 0; p.steps > 0 && j < p.width; j += 2 * vl) {
            if (job->transposed)
                zip_rows(&p, j, p.out + 2 * p.width + j);
            else
                pack_turned_rows(&p, j, p.out + 2 * p.width + j);
        }
        put_head(&p);
        p.out += p.width * (p.steps + 2);
    }
}

void sl_rhs_qs8_pack_sme2(const struct sl_rhs_qs8 *job)
{
    bool columns = svcntsw() == SL_PACK_16 && !job->transposed && job->panel_vl == 2 &&
                   (job->segments == 1 || job->segment_length % 4 == 0) && job->n > 0 &&
                   job->segment_length > 0;
    sl_streaming_run_za(columns ? pack_columns_16 : body, job);
}
