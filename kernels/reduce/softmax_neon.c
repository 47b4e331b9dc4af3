/* kernels/reduce/softmax_neon.c: softmax of rows, up to 32 elements of a row at a time: 16 rows
 * together in assembly, or 4 where they are short, or their largest elements too large.
 *
 * e^x is 2^n e^r with n = round(x / ln 2). Nothing is subtracted from x: a row's largest element
 * only says which power of two stands for 1, and that is part of the number which, added, rounds to
 * n, so that its lowest bits are the exponent. e^r is 120.5 times smaller than c0 + c1 r + ... +
 * r^5, fitted for the least relative error on |r| <= ln 2 / 2 (7.5e-8, and 1.4e-7 with all
 * rounding); that factor and the power of two are in the sum as well. Each constant that a sum
 * begins with is loaded for four vectors by one instruction, where four would copy it. Elements are
 * kept 2^57 times too large until they are divided, so that small ones lose bits one by one, down
 * to 0. */
#include <math.h>
#include <stdbool.h>

#include "kernels/cpu/isa.h"
#include "kernels/reduce/reduce.h"
#include "kernels/reduce/rows_neon.h"

enum { ROWS = 4, LEAST_POWER = -188 };

#define LOG2_E 0x1.715476p+0f
#define LN2 0x1.62e430p-1f
#define C4 0x1.434d06p+2f
#define EXPONENT 0x1p-126f /* as an integer: 1, where a float has its exponent */
static const float log2_e = LOG2_E, ln2 = LN2;
static const float magic = 0x1.8p23f + 57; /* adding it rounds; its low bits hold n + 57 */
static const float most = 0x1p21f;         /* of x, for n to be exact */

enum { C3, C2, C1, C0, TERMS };
#define FOUR(x) x, x, x, x
#define TERM(x) {FOUR(x), FOUR(x), FOUR(x), FOUR(x)}
/* The start values of the sums and other constants of exp_of(); the assembly knows their order. */
static const float terms[TERMS + 1][QUAD] = {
    [C3] = TERM(0x1.416572p+4f),
    [C2] = TERM(0x1.e20eaep+5f),
    [C1] = TERM(0x1.e21162p+6f),
    [C0] = TERM(0x1.e2116ep+6f),
    [TERMS] = {FOUR(C4), LOG2_E, LN2, 0, 0, FOUR(EXPONENT)},
};

/* The arguments of exp_of() beside x. */
struct power {
    float32x4_t lowest;  /* what is lower gives 0 */
    float32x4_t magic;   /* less the power that stands for 1 */
    const float *magics; /* the same, QUAD times */
    const float *terms[TERMS];
    float32x4_t c4;
    float32x2_t factors; /* 1 / ln 2, ln 2 */
    int32x4_t exponent;  /* 1, where a float has its exponent */
};

/* 120.5 * 2^57 e^x / 2^(the power that stands for 1) */
SL_INLINE float32x4_t exp_of(const struct power *p, float32x4_t x)
{
    x = vmaxq_f32(x, p->lowest);
    float32x4_t t = vfmaq_lane_f32(p->magic, x, p->factors, 0);
    float32x4_t r = vfmsq_lane_f32(x, vsubq_f32(t, p->magic), p->factors, 1);
    float32x4_t y = vaddq_f32(r, p->c4);
    SL_UNROLL
    for (size_t i = 0; i < TERMS; i++)
        y = vfmaq_f32(vld1q_f32(p->terms[i]), y, r);
    return vreinterpretq_f32_s32(
        vmlaq_s32(vreinterpretq_s32_f32(y), vreinterpretq_s32_f32(t), p->exponent));
}

SL_INLINE void max_quad(float32x4x4_t *max, float32x4x4_t v)
{
    SL_UNROLL
    for (size_t j = 0; j < 4; j++)
        max->val[j] = vmaxq_f32(max->val[j], v.val[j]);
}

/* The largest in 4 parts. */
SL_INLINE float32x4_t row_max(const float *in, size_t count)
{
    float32x4_t max = count >= LANES ? vld1q_f32(in + count - LANES) : vld1q_dup_f32(in);
    if (count < LANES) {
        for (size_t i = 1; i < count; i++)
            max = vmaxq_f32(max, vld1q_dup_f32(in + i));
        return max;
    }
    if (count >= QUAD) {
        float32x4x4_t quad = {{max, max, max, max}};
        for (size_t turns = count / (4 * QUAD); turns > 0; turns--) {
            SL_UNROLL
            for (size_t i = 0; i < 4; i++)
                max_quad(&quad, load_quad(&in));
        }
        for (count %= 4 * QUAD; count >= QUAD; count -= QUAD)
            max_quad(&quad, load_quad(&in));
        max = vmaxq_f32(vmaxq_f32(quad.val[0], quad.val[1]), vmaxq_f32(quad.val[2], quad.val[3]));
    }
    for (; count >= LANES; count -= LANES, in += LANES)
        max = vmaxq_f32(max, vld1q_f32(in));
    return max;
}

#define EACH_VECTOR                                                                                \
    SL_UNROLL                                                                                      \
    for (size_t j = 0; j < QUAD / LANES; j++)

SL_INLINE void exp_quad(const struct power *p, const float **in, float **out, float32x4_t sum[2])
{
    __asm__ volatile("" : : : "memory"); /* else constants were kept in registers, and copied */
    float32x4x4_t r = load_quad(in), t = vld1q_f32_x4(p->magics), y, next;
    EACH_VECTOR
    {
        r.val[j] = vmaxq_f32(r.val[j], p->lowest);
        t.val[j] = vfmaq_lane_f32(t.val[j], r.val[j], p->factors, 0);
        r.val[j] = vfmsq_lane_f32(r.val[j], vsubq_f32(t.val[j], p->magic), p->factors, 1);
        y.val[j] = vaddq_f32(r.val[j], p->c4);
    }
    SL_UNROLL
    for (size_t i = 0; i < TERMS; i++) {
        next = vld1q_f32_x4(p->terms[i]);
        EACH_VECTOR next.val[j] = vfmaq_f32(next.val[j], y.val[j], r.val[j]);
        y = next;
    }
    EACH_VECTOR
    {
        y.val[j] = vreinterpretq_f32_s32(vmlaq_s32(vreinterpretq_s32_f32(y.val[j]),
                                                   vreinterpretq_s32_f32(t.val[j]), p->exponent));
        sum[j % 2] = vaddq_f32(sum[j % 2], y.val[j]);
    }
    store_quad(out, y);
}

/* out = exp_of(in); returns the sum in 4 parts. */
SL_INLINE float32x4_t row_exp(const struct power *p, const float *in, float *out, size_t count)
{
    float32x4_t sum[2] = {vdupq_n_f32(0), vdupq_n_f32(0)}, last = sum[0];
    float *row = out;
    if (count % LANES > 0) {
        last = exp_of(p, load_last(in, count)); /* before `out` is written, which may be `in` */
        sum[0] = vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_f32(last), last_lanes(count)));
    }
    for (size_t turns = count / (2 * QUAD); turns > 0; turns--) {
        exp_quad(p, &in, &out, sum);
        exp_quad(p, &in, &out, sum);
    }
    if (count & QUAD)
        exp_quad(p, &in, &out, sum);
    size_t left = count % QUAD;
    for (; left >= LANES; left -= LANES, in += LANES, out += LANES) {
        float32x4_t y = exp_of(p, vld1q_f32(in));
        sum[1] = vaddq_f32(sum[1], y);
        vst1q_f32(out, y);
    }
    if (left > 0)
        store_last(row, count, last);
    return vaddq_f32(sum[0], sum[1]);
}

SL_INLINE void scale_quad(const float **in, float **out, float32x4_t scale)
{
    float32x4x4_t v = load_quad(in);
    SL_UNROLL
    for (size_t j = 0; j < 4; j++)
        v.val[j] = vmulq_f32(v.val[j], scale);
    store_quad(out, v);
}

SL_INLINE void row_scale(float *out, size_t count, float32x4_t scale)
{
    float *row = out;
    const float *in = out;
    float32x4_t last = scale;
    SL_FORGET(in);
    if (count % LANES > 0)
        last = vmulq_f32(load_last(row, count), scale);
    for (size_t turns = count / (4 * QUAD); turns > 0; turns--) {
        SL_UNROLL
        for (size_t i = 0; i < 4; i++)
            scale_quad(&in, &out, scale);
    }
    size_t left = count % (4 * QUAD);
    for (; left >= QUAD; left -= QUAD)
        scale_quad(&in, &out, scale);
    for (; left >= LANES; left -= LANES, out += LANES)
        vst1q_f32(out, vmulq_f32(vld1q_f32(out), scale));
    if (left > 0)
        store_last(row, count, last);
}

static void subtract(const float *in, float *out, size_t count, float what)
{
    for (size_t i = 0; i < count; i++)
        out[i] = in[i] - what;
}

/* 4 rows, or fewer of the last ones. What is done once for a row is done for all of them. */
static void some_rows(const float *in, float *out, size_t count, size_t rows, struct power p)
{
    float32x4_t part[ROWS] = {p.c4, p.c4, p.c4, p.c4}; /* anything, where there is no row */
    float lowest[ROWS], magics[ROWS], scale[ROWS], largest[ROWS], row_magics[QUAD];
    p.magics = row_magics;
    /* The compiler makes more instructions of constants that it knows. */
    __asm__("" : "+w"(p.factors), "+w"(p.exponent), "+w"(p.c4));
    SL_FORGET(p.magics);
    for (size_t i = 0; i < TERMS; i++) {
        p.terms[i] = terms[i];
        SL_FORGET(p.terms[i]);
    }
    for (size_t r = 0; r < rows; r++)
        part[r] = row_max(in + r * count, count);
    float32x4_t max = vpmaxq_f32(vpmaxq_f32(part[0], part[1]), vpmaxq_f32(part[2], part[3]));
    float32x4_t spoilt = vsubq_f32(max, max); /* 0, or NaN where the largest is not finite */
    if (vminvq_u32(vcaltq_f32(max, vdupq_n_f32(most))) == 0) {
        vst1q_f32(largest, max);
        for (size_t r = 0; r < rows; r++)
            subtract(in + r * count, out + r * count, count, largest[r]);
        in = out;
        max = vdupq_n_f32(0);
    }
    float32x4_t power = vrndnq_f32(vmulq_n_f32(max, log2_e));
    vst1q_f32(magics, vsubq_f32(vdupq_n_f32(magic), power));
    vst1q_f32(lowest, vmulq_n_f32(vaddq_f32(power, vdupq_n_f32(LEAST_POWER)), ln2));
    for (size_t r = 0; r < rows; r++) {
        p.lowest = vld1q_dup_f32(lowest + r);
        p.magic = vld1q_dup_f32(magics + r);
        vst1q_f32_x4(row_magics, ((float32x4x4_t){{p.magic, p.magic, p.magic, p.magic}}));
        part[r] = row_exp(&p, in + r * count, out + r * count, count);
    }
    float32x4_t sum = vpaddq_f32(vpaddq_f32(part[0], part[1]), vpaddq_f32(part[2], part[3]));
    vst1q_f32(scale, vaddq_f32(vdivq_f32(vdupq_n_f32(1), sum), spoilt));
    for (size_t r = 0; r < rows; r++)
        row_scale(out + r * count, count, vld1q_dup_f32(scale + r));
}

enum { MANY_ROWS = 16 };

struct sl_softmax_walk { /* the assembly knows its layout */
    const float *in;
    float *out, (*parts)[LANES];
    size_t count; /* at least QUAD */
    const int32_t *lanes;
    size_t rows; /* at least 1 */
    const float *lowest, *magics, *terms, *scale;
};

void sl_softmax_maxima_neon_asm(const struct sl_softmax_walk *walk);
void sl_softmax_powers_neon_asm(const struct sl_softmax_walk *walk);
void sl_softmax_scale_neon_asm(const struct sl_softmax_walk *walk);

/* Masks the one, two or four vectors that a row ends with: 0 for each element that its whole
 * quads have, then ones. */
static const int32_t *tail_lanes(size_t count)
{
    static const int32_t lanes[2 * QUAD] = {FOUR(0),  FOUR(0),  FOUR(0),  FOUR(0),
                                            FOUR(-1), FOUR(-1), FOUR(-1), FOUR(-1)};
    size_t rest = count % QUAD, tail = rest > 8 ? QUAD : rest > 4 ? 8 : 4;
    return rest == 0 ? lanes : lanes + QUAD - (tail - rest);
}

SL_INLINE float32x4x4_t parts_of(float (*parts)[LANES])
{
    return (float32x4x4_t){
        {vld1q_f32(parts[0]), vld1q_f32(parts[1]), vld1q_f32(parts[2]), vld1q_f32(parts[3])}};
}

/* some_rows() in assembly, of more rows. False, with nothing done, where a largest element is too
 * large or none. */
SL_INLINE bool many_rows(struct sl_softmax_walk *w)
{
    float lowest[MANY_ROWS], magics[MANY_ROWS], scale[MANY_ROWS];
    sl_softmax_maxima_neon_asm(w);
    for (size_t i = 0; i < w->rows; i += LANES) {
        float32x4x4_t p = parts_of(w->parts + i);
        float32x4_t max =
            vpmaxq_f32(vpmaxq_f32(p.val[0], p.val[1]), vpmaxq_f32(p.val[2], p.val[3]));
        if (vminvq_u32(vcaltq_f32(max, vdupq_n_f32(most))) == 0)
            return false;
        float32x4_t power = vrndnq_f32(vmulq_n_f32(max, log2_e));
        vst1q_f32(magics + i, vsubq_f32(vdupq_n_f32(magic), power));
        vst1q_f32(lowest + i, vmulq_n_f32(vaddq_f32(power, vdupq_n_f32(LEAST_POWER)), ln2));
    }
    w->lowest = lowest;
    w->magics = magics;
    w->scale = scale;
    sl_softmax_powers_neon_asm(w);
    for (size_t i = 0; i < w->rows; i += LANES) {
        float32x4x4_t p = parts_of(w->parts + i);
        float32x4_t sum =
            vpaddq_f32(vpaddq_f32(p.val[0], p.val[1]), vpaddq_f32(p.val[2], p.val[3]));
        vst1q_f32(scale + i, vdivq_f32(vdupq_n_f32(1), sum));
    }
    sl_softmax_scale_neon_asm(w);
    return true;
}

static void softmax(const struct sl_reduce_args *args)
{
    static const float factors[] = {log2_e, ln2};
    const struct power p = {
        .factors = vld1_f32(factors), .c4 = vdupq_n_f32(C4), .exponent = vdupq_n_s32(1 << 23)};
    size_t count = args->reduced, outer = count > 0 ? args->outer : 0;
    float parts[MANY_ROWS][LANES] = {{0}};
    struct sl_softmax_walk w = {
        .parts = parts, .count = count, .lanes = tail_lanes(count), .terms = terms[0]};
    for (size_t o = 0; o < outer; o += w.rows) {
        w.in = (const float *)args->in + o * count;
        w.out = (float *)args->out + o * count;
        w.rows = outer - o < MANY_ROWS ? outer - o : MANY_ROWS;
        if (count >= QUAD && many_rows(&w))
            continue;
        w.rows = w.rows < ROWS ? w.rows : ROWS;
        some_rows(w.in, w.out, count, w.rows, p);
    }
}

const struct sl_reduce sl_reduce_softmax_f32_f32_1x16_neon = {
    .name = "sl_reduce_softmax_f32_f32_1x16_neon",
    .needs = SL_ISA_NEON,
    .element = SL_F32,
    .op = SL_REDUCE_SOFTMAX,
    .run = softmax,
};
