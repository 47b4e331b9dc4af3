/* kernels/unary/sigmoid_neon.c: 1 / (1 + e^-x), 16 elements at a time.
 *
 * With t = |x|, e^-t = 2^-n e^-r, where n = round(t / ln 2) and e^-r = 1 - r + r^2 times a
 * polynomial of degree 4 (3.1e-9 before rounding). Each constant that a sum begins with is loaded
 * for four vectors by one instruction, where four would copy it. Largest error: 2.4 ulp. Below -88,
 * where the result is no normal number any more, it is 0. */
#include <string.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon.h"
#include "kernels/unary/unary.h"

enum { VECTORS = 4, ELEMENTS = 4 * VECTORS };

/* The start values of sums: a number that rounds when added, with n in its low bits; e^-r; 1. */
enum { ROUND, C5, C4, C3, C2, ONE, TABLES, LOADS = TABLES + 2 };
#define FOUR(x) x, x, x, x
#define TABLE(x) {FOUR(x), FOUR(x), FOUR(x), FOUR(x)}
static const float tables[TABLES][ELEMENTS] = {
    [ROUND] = TABLE(0x1.8p23f),    [C5] = TABLE(-0x1.12398ep-7f), [C4] = TABLE(0x1.5558b2p-5f),
    [C3] = TABLE(-0x1.555492p-3f), [C2] = TABLE(0x1.fffffcp-2f),  [ONE] = TABLE(1),
};

/* 1 / ln 2; ln 2, its upper 14 bits and the rest; of r^6. */
static const float factors[] = {0x1.715476p+0f, 0x1.62e400p-1f, 0x1.7f7d1cp-20f, 0x1.6a4b36p-10f};

#define EACH_VECTOR                                                                                \
    SL_UNROLL                                                                                      \
    for (size_t j = 0; j < VECTORS; j++)

struct constants {
    float32x4_t factors, furthest; /* where 2^-n is 0 */
    int32x4_t exponent;            /* 1, where a float has its exponent */
    const float *at[LOADS];        /* that of ONE three times, for as many loads */
};

/* e^-t is made up of r and a power of two in `e`. */
SL_INLINE float32x4x4_t power(const struct constants *k, float32x4x4_t t)
{
    float32x4x4_t n = vld1q_f32_x4(k->at[ROUND]), e = vld1q_f32_x4(k->at[C5]), one, next;
    EACH_VECTOR n.val[j] = vfmaq_laneq_f32(n.val[j], t.val[j], k->factors, 0);
    EACH_VECTOR
    {
        float32x4_t whole = vsubq_f32(n.val[j], vdupq_n_f32(0x1.8p23f));
        t.val[j] = vfmsq_laneq_f32(t.val[j], whole, k->factors, 1);
        t.val[j] = vfmsq_laneq_f32(t.val[j], whole, k->factors, 2);
    }
    one = vld1q_f32_x4(k->at[ONE]);
    EACH_VECTOR n.val[j] = vreinterpretq_f32_s32(
        vmlsq_s32(vreinterpretq_s32_f32(one.val[j]), vreinterpretq_s32_f32(n.val[j]), k->exponent));
    EACH_VECTOR e.val[j] = vfmaq_laneq_f32(e.val[j], t.val[j], k->factors, 3);
    SL_UNROLL
    for (size_t i = C4; i <= C2; i++) {
        next = vld1q_f32_x4(k->at[i]);
        EACH_VECTOR next.val[j] = vfmaq_f32(next.val[j], t.val[j], e.val[j]);
        e = next;
    }
    next = vld1q_f32_x4(k->at[ONE + 1]); /* 1 - t (1 - t e) */
    EACH_VECTOR next.val[j] = vfmsq_f32(next.val[j], t.val[j], e.val[j]);
    one = vld1q_f32_x4(k->at[ONE + 2]);
    EACH_VECTOR e.val[j] = vmulq_f32(vfmsq_f32(one.val[j], t.val[j], next.val[j]), n.val[j]);
    return e;
}

/* The elements of `in`, again at `again`. */
SL_INLINE float32x4x4_t sigmoid(const struct constants *k, const float *in, const float *again)
{
    __asm__ volatile("" : : : "memory"); /* else constants were kept in registers, and copied */
    float32x4x4_t x = vld1q_f32_x4(in), e;
    EACH_VECTOR x.val[j] = vminq_f32(vabsq_f32(x.val[j]), k->furthest);
    e = power(k, x);
    x = vld1q_f32_x4(again);
    EACH_VECTOR
    {
        const float32x4_t one = vdupq_n_f32(1);
        float32x4_t above = vbslq_f32(vcltzq_f32(x.val[j]), e.val[j], one);
        x.val[j] = vdivq_f32(above, vaddq_f32(e.val[j], one));
    }
    return x;
}

static void run(size_t count, const void *from, void *to, float a, float b)
{
    const float *in = from;
    float *out = to;
    struct constants k = {.factors = vld1q_f32(factors),
                          .furthest = vdupq_n_f32(88.2f),
                          .exponent = vdupq_n_s32(1 << 23)};
    (void)a;
    (void)b;
    __asm__("" : "+w"(k.factors), "+w"(k.exponent));
    SL_UNROLL
    for (size_t i = 0; i < LOADS; i++) {
        k.at[i] = tables[i < ONE ? i : ONE];
        SL_FORGET(k.at[i]);
    }
    for (size_t turns = count / ELEMENTS; turns > 0; turns--) {
        const float *again = in;
        SL_FORGET(again);
        float32x4x4_t y = sigmoid(&k, in, again);
        vst1q_f32_x4(out, y);
        in += ELEMENTS;
        out += ELEMENTS;
        SL_FORGET(in);
        SL_FORGET(out);
    }
    if (count % ELEMENTS > 0) {
        float rest[ELEMENTS] = {0};
        memcpy(rest, in, count % ELEMENTS * sizeof(float));
        float32x4x4_t y = sigmoid(&k, rest, rest);
        vst1q_f32_x4(rest, y);
        memcpy(out, rest, count % ELEMENTS * sizeof(float));
    }
}

const struct sl_unary sl_unary_sigmoid_f32_f32_1x16_neon = {
    .name = "sl_unary_sigmoid_f32_f32_1x16_neon",
    .needs = SL_ISA_NEON,
    .element = SL_F32,
    .op = SL_UNARY_SIGMOID,
    .run = run,
};
