/* kernels/pack/pack_rhs_x16_sme2.c: panels of 16-bit weights: [n][k] through ZA, [k][n] by
 * interleaving rows. */
#include "kernels/pack/pack_rhs_x16.h"

#include "kernels/layout/transpose_rows.h"
#include "kernels/pack/pack_columns.h"
#include "kernels/pack/pack_f32.h"
#include "kernels/pack/pack_short.h"
#include "kernels/pack/pack_x16.h"

#define SL_ELEMENT uint16_t
#define PACK_RHS_JOB sl_pack_rhs_x16
#define SEGMENTS(job) ((job)->segments)
#define LINES(job) (((job)->k + 1) / 2)
#define TURN_JOB sl_transpose_pairs
#define TURN sl_transpose_pairs_sme2_asm
#define PACK_JOB sl_pack_x16
#define PACK sl_pack_x16_1vl_sme2_asm
#include "kernels/pack/pack_rhs_sme2.inc"

static void put_biases(const struct panel *p) __arm_streaming __arm_inout("za")
{
    const struct sl_pack_rhs_x16 *job = p->job;
    for (size_t j = 0; j < p->width; j += svcntw()) {
        svbool_t some = svwhilelt_b32_u64(j, p->columns);
        svfloat32_t v = svdup_f32(0);
        if (job->bias && job->half_bias) {
            svuint32_t bits = svld1uh_u32(some, (const uint16_t *)job->bias + p->first + j);
            v = svcvt_f32_f16_z(some, svreinterpret_f16_u32(bits));
        } else if (job->bias) {
            v = svld1_f32(some, (const float *)job->bias + p->first + j);
        }
        svst1_f32(svptrue_b32(), p->out + j, v);
    }
}

/* Pairs of k rows, up to a vector of columns of each; `width` is in lanes. */
static void zip_pairs(const uint16_t *in, size_t stride, size_t k, svbool_t some, size_t width,
                      uint16_t *out) __arm_streaming __arm_inout("za")
{
    svcount_t all = svptrue_c16();
    for (; k >= 4; k -= 4, in += 4 * stride, out += 4 * width) {
        svuint16_t a = svld1_u16(some, in), b = svld1_u16(some, in + stride);
        svuint16_t c = svld1_u16(some, in + 2 * stride), d = svld1_u16(some, in + 3 * stride);
        svst1_u16_x2(all, out, svzip_u16_x2(svcreate2_u16(a, b)));
        svst1_u16_x2(all, out + 2 * width, svzip_u16_x2(svcreate2_u16(c, d)));
    }
    for (; k > 0; in += 2 * stride, out += 2 * width) {
        svuint16_t a = svld1_u16(some, in), b = svdup_u16(0);
        if (k > 1)
            b = svld1_u16(some, in + stride);
        svst1_u16_x2(all, out, svzip_u16_x2(svcreate2_u16(a, b)));
        k -= k > 1 ? 2 : 1;
    }
}

/* Offsets of rows, in registers of their own: pointers then need no addition for each. */
struct strides {
    size_t one, two, three;
};

static inline __attribute__((always_inline)) struct strides
strides_of(size_t stride) __arm_streaming __arm_inout("za")
{
    struct strides s = {stride, 2 * stride, 3 * stride};
    __asm__("" : "+r"(s.one), "+r"(s.two), "+r"(s.three));
    return s;
}

static inline __attribute__((always_inline)) svuint16x4_t
load_four(const uint16_t *in, struct strides s, svbool_t some) __arm_streaming __arm_inout("za")
{
    return svcreate4_u16(svld1_u16(some, in), svld1_u16(some, in + s.one),
                         svld1_u16(some, in + s.two), svld1_u16(some, in + s.three));
}

/* Four k rows, two pairs of two vectors. */
static inline __attribute__((always_inline)) svuint16x4_t
zip_four(svuint16x4_t rows) __arm_streaming __arm_inout("za")
{
    svuint16x2_t a = svzip_u16_x2(svcreate2_u16(svget4_u16(rows, 0), svget4_u16(rows, 1)));
    svuint16x2_t b = svzip_u16_x2(svcreate2_u16(svget4_u16(rows, 2), svget4_u16(rows, 3)));
    return svcreate4_u16(svget2_u16(a, 0), svget2_u16(a, 1), svget2_u16(b, 0), svget2_u16(b, 1));
}

/* Whole eights of k rows of a panel whose pairs fill `vectors`, 1 or 2, that follow each other;
 * returns how many rows. */
static inline __attribute__((always_inline)) size_t
zip_eights(size_t vectors, const uint16_t *in, size_t stride, size_t k, svbool_t some,
           uint16_t *out) __arm_streaming __arm_inout("za")
{
    svcount_t all = svptrue_c16();
    struct strides s = strides_of(stride);
    const uint16_t *next = in + 4 * stride;
    for (size_t left = k / 8; left > 0; left--, in += 8 * stride, next += 8 * stride) {
        __asm__("" : "+r"(in), "+r"(next));
        svuint16x4_t a = load_four(in, s, some), b = load_four(next, s, some);
        if (vectors == 2) {
            svst1_u16_x4(all, out, zip_four(a));
            svst1_vnum_u16_x4(all, out, 4, zip_four(b));
        } else {
            svst1_u16_x4(all, out,
                         svcreate4_u16(svzip1_u16(svget4_u16(a, 0), svget4_u16(a, 1)),
                                       svzip1_u16(svget4_u16(a, 2), svget4_u16(a, 3)),
                                       svzip1_u16(svget4_u16(b, 0), svget4_u16(b, 1)),
                                       svzip1_u16(svget4_u16(b, 2), svget4_u16(b, 3))));
        }
        out += 4 * vectors * svcnth();
    }
    return k / 8 * 8;
}

/* The same for a panel that is one vector of lanes wide. */
static void zip_halves(const uint16_t *in, size_t stride, size_t k, svbool_t some,
                       uint16_t *out) __arm_streaming __arm_inout("za")
{
    for (; k > 0; in += 2 * stride, out += svcnth()) {
        svuint16_t a = svld1_u16(some, in), b = svdup_u16(0);
        if (k > 1)
            b = svld1_u16(some, in + stride);
        svst1_u16(svptrue_b16(), out, svzip1_u16(a, b));
        k -= k > 1 ? 2 : 1;
    }
}

static void copy_rows(const struct panel *p, float *out) __arm_streaming __arm_inout("za")
{
    const struct sl_pack_rhs_x16 *job = p->job;
    const uint16_t *in = job->weights + p->first;
    uint16_t *to = (uint16_t *)(void *)out;
    svbool_t some = svwhilelt_b16_u64(0, p->columns);
    size_t done = 0;
    if (p->width == svcntw())
        done = zip_eights(1, in, job->n, job->k, some, to);
    else if (p->width == svcnth())
        done = zip_eights(2, in, job->n, job->k, some, to);
    if (done == job->k)
        return;
    in += done * job->n;
    to += done * p->width;
    if (p->width == svcntw()) {
        zip_halves(in, job->n, job->k - done, some, to);
        return;
    }
    for (size_t j = 0; j < p->width; j += svcnth())
        zip_pairs(j < p->columns ? in + j : in, job->n, job->k - done,
                  svwhilelt_b16_u64(j, p->columns), p->width, to + 2 * j);
}

/* Floats of up to 16 biases from `at` on, of those that `some` has. */
static inline __attribute__((always_inline)) svfloat32_t floats_of(
    const struct sl_pack_rhs_x16 *job, size_t at, svbool_t some) __arm_streaming __arm_inout("za")
{
    if (!job->half_bias)
        return svld1_f32(some, (const float *)job->bias + at);
    svuint32_t bits = svld1uh_u32(some, (const uint16_t *)job->bias + at);
    return svcvt_f32_f16_x(some, svreinterpret_f16_u32(bits));
}

/* All panels of outer products for vectors of 16 lanes, of weights whose segments are one. */
static void pack_columns_16(const void *args) __arm_streaming __arm_inout("za")
{
    const struct sl_pack_rhs_x16 *job = args;
    size_t k = job->segments * job->k, panel = 32 * (1 + (k + 1) / 2);
    const struct sl_pack_columns columns = {job->weights, 2 * k, job->n, 128, job->packed};
    svbool_t all = svptrue_b32();
    float *out = job->packed;
    sl_pack_columns_sme2(&columns);
    for (size_t at = 0; at < job->n; at += 32, out += panel) {
        svbool_t some = svwhilelt_b32_u64(at, job->n), more = svwhilelt_b32_u64(at + 16, job->n);
        svfloat32_t left = svdup_f32(0), right = svdup_f32(0);
        if (job->bias) {
            left = floats_of(job, at, some);
            right = floats_of(job, at + 16, more);
        }
        svst1_f32(all, out, left);
        if (job->n - at > 16)
            svst1_vnum_f32(all, out, 1, right);
    }
}

/* Two k rows of four panels that follow each other: a pair for each. */
static inline __attribute__((always_inline)) void
put_pairs(svuint16x4_t upper, svuint16x4_t lower, uint16_t *out,
          size_t panel) __arm_streaming __arm_inout("za")
{
    svcount_t all = svptrue_c16();
#define PAIR(i) svzip_u16_x2(svcreate2_u16(svget4_u16(upper, i), svget4_u16(lower, i)))
    svst1_u16_x2(all, out, PAIR(0));
    svst1_u16_x2(all, out + panel, PAIR(1));
    svst1_u16_x2(all, out + 2 * panel, PAIR(2));
    svst1_u16_x2(all, out + 3 * panel, PAIR(3));
#undef PAIR
}

/* Whole fours of panels that are a vector of halves wide, of [k][n]. */
static void pack_fours(const void *args) __arm_streaming __arm_inout("za")
{
    const struct sl_pack_rhs_x16 *job = args;
    size_t width = svcnth(), panel = 2 * width * (1 + (job->k + 1) / 2), stride = job->n, first = 0;
    svcount_t all = svptrue_c16();
    uint16_t *packed = (void *)job->packed;
    for (; first + 4 * width <= job->n; first += 4 * width, packed += 4 * panel) {
        const uint16_t *in = job->weights + first;
        uint16_t *out = packed + 2 * width;
        for (size_t j = 0; j < 4; j++) {
            struct panel p = {job, first + j * width, width, width, (void *)(packed + j * panel)};
            put_biases(&p);
        }
        for (size_t left = job->k / 2; left > 0; left--, in += 2 * stride, out += 2 * width)
            put_pairs(svld1_u16_x4(all, in), svld1_u16_x4(all, in + stride), out, panel);
        svuint16_t none = svdup_u16(0);
        if (job->k % 2)
            put_pairs(svld1_u16_x4(all, in), svcreate4_u16(none, none, none, none), out, panel);
    }
    pack_panels_from(job, first, (void *)packed);
}

void sl_pack_rhs_x16_sme2(const struct sl_pack_rhs_x16 *job)
{
    bool columns = svcntsw() == SL_PACK_16 && !job->transposed && job->panel_vl == 2 &&
                   (job->segments == 1 || job->k % 2 == 0) && job->k > 0 && job->n > 0;
    bool fours = job->transposed && job->panel_vl == 2 && job->segments == 1 && job->k > 0;
    sl_streaming_run_za(columns ? pack_columns_16 : fours ? pack_fours : pack_panels, job);
}
