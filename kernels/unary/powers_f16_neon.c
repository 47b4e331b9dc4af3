/* kernels/unary/powers_f16_neon.c: e^x and 1 / (1 + e^-x) of halves in f32, 16 elements at a time.
 *
 * e^x is 2^n e^r with n = round(x / ln 2), and e^r a polynomial of degree 4, 0.006 ulp of a half
 * off at most (2.6e-6). Bounds of x keep n in the range of floats; the results there are 0 and
 * infinity as halves. Each constant that a sum begins with is loaded for four vectors by one
 * instruction, where four would copy it. */
#include <stdbool.h>
#include <string.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon.h"
#include "kernels/unary/unary.h"

enum { VECTORS = 4, ELEMENTS = 4 * VECTORS };

/* The start values of sums: a number that rounds when added, with n in its low bits; e^r; e^-r. */
enum { ROUND, C3, C2, C1, C0, MINUS_C3, MINUS_C1, TABLES };
#define FOUR(x) x, x, x, x
#define TABLE(x) {FOUR(x), FOUR(x), FOUR(x), FOUR(x)}
static const float tables[TABLES][ELEMENTS] = {
    [ROUND] = TABLE(0x1.8p23f),          [C3] = TABLE(0x1.57e15cp-3f),
    [C2] = TABLE(0x1.0005bap-1f),        [C1] = TABLE(0x1.fffb32p-1f),
    [C0] = TABLE(0x1.ffffe8p-1f),        [MINUS_C3] = TABLE(-0x1.57e15cp-3f),
    [MINUS_C1] = TABLE(-0x1.fffb32p-1f),
};

#define EACH_VECTOR                                                                                \
    SL_UNROLL                                                                                      \
    for (size_t j = 0; j < VECTORS; j++)

struct constants {
    float32x4_t factors; /* 1 / ln 2 and ln 2, negative for e^-x; c4 */
    float32x4_t least, most;
    int32x4_t exponent; /* 1, where a float has its exponent */
    const float *at[C0 + 1];
};

SL_INLINE float32x4x4_t load(const uint16_t *at)
{
    const uint16x8x2_t two = vld1q_u16_x2(at);
    float16x8_t a = vreinterpretq_f16_u16(two.val[0]), b = vreinterpretq_f16_u16(two.val[1]);
    return (float32x4x4_t){{vcvt_f32_f16(vget_low_f16(a)), vcvt_high_f32_f16(a),
                            vcvt_f32_f16(vget_low_f16(b)), vcvt_high_f32_f16(b)}};
}

SL_INLINE void store(uint16_t *at, float32x4x4_t v)
{
    float16x8_t a = vcvt_high_f16_f32(vcvt_f16_f32(v.val[0]), v.val[1]);
    float16x8_t b = vcvt_high_f16_f32(vcvt_f16_f32(v.val[2]), v.val[3]);
    vst1q_u16_x2(at, ((uint16x8x2_t){{vreinterpretq_u16_f16(a), vreinterpretq_u16_f16(b)}}));
}

/* e^x, or e^-x. */
SL_INLINE float32x4x4_t power(const struct constants *k, float32x4x4_t x)
{
    __asm__ volatile("" : : : "memory"); /* else constants were kept in registers, and copied */
    float32x4x4_t n = vld1q_f32_x4(k->at[ROUND]), y = vld1q_f32_x4(k->at[C3]), next;
    EACH_VECTOR
    {
        x.val[j] = vminq_f32(vmaxq_f32(x.val[j], k->least), k->most);
        n.val[j] = vfmaq_laneq_f32(n.val[j], x.val[j], k->factors, 0);
        float32x4_t whole = vsubq_f32(n.val[j], vdupq_n_f32(0x1.8p23f));
        x.val[j] = vfmsq_laneq_f32(x.val[j], whole, k->factors, 1);
        y.val[j] = vfmaq_laneq_f32(y.val[j], x.val[j], k->factors, 2);
    }
    SL_UNROLL
    for (size_t i = C2; i <= C0; i++) {
        next = vld1q_f32_x4(k->at[i]);
        EACH_VECTOR next.val[j] = vfmaq_f32(next.val[j], y.val[j], x.val[j]);
        y = next;
    }
    EACH_VECTOR y.val[j] = vreinterpretq_f32_s32(
        vmlaq_s32(vreinterpretq_s32_f32(y.val[j]), vreinterpretq_s32_f32(n.val[j]), k->exponent));
    return y;
}

SL_INLINE float32x4x4_t result(int op, const struct constants *k, const uint16_t *in)
{
    float32x4x4_t y = power(k, load(in));
    const float32x4_t one = vdupq_n_f32(1);
    EACH_VECTOR
    {
        if (op == SL_UNARY_SIGMOID)
            y.val[j] = vdivq_f32(one, vaddq_f32(y.val[j], one));
    }
    return y;
}

SL_INLINE void run(int op, size_t count, const uint16_t *in, uint16_t *out)
{
    const float sign = op == SL_UNARY_EXP ? 1 : -1;
    const bool minus = op != SL_UNARY_EXP;
    const float factors[] = {sign * 0x1.715476p+0f, sign * 0x1.62e430p-1f, 0x1.53a092p-5f, 0};
    struct constants k = {.factors = vld1q_f32(factors),
                          .least = vdupq_n_f32(-25),
                          .most = vdupq_n_f32(25),
                          .exponent = vdupq_n_s32(1 << 23),
                          .at = {tables[ROUND], tables[minus ? MINUS_C3 : C3], tables[C2],
                                 tables[minus ? MINUS_C1 : C1], tables[C0]}};
    __asm__("" : "+w"(k.factors), "+w"(k.exponent));
    SL_UNROLL
    for (size_t i = 0; i <= C0; i++)
        SL_FORGET(k.at[i]);
    for (; count >= ELEMENTS; count -= ELEMENTS) {
        store(out, result(op, &k, in));
        in += ELEMENTS;
        out += ELEMENTS;
        SL_FORGET(in);
        SL_FORGET(out);
    }
    if (count > 0) {
        uint16_t rest[ELEMENTS] = {0};
        memcpy(rest, in, count * sizeof(*in));
        store(rest, result(op, &k, rest));
        memcpy(out, rest, count * sizeof(*out));
    }
}

static void exponential(size_t count, const void *in, void *out, float a, float b)
{
    (void)a, (void)b;
    run(SL_UNARY_EXP, count, in, out);
}

static void sigmoid(size_t count, const void *in, void *out, float a, float b)
{
    (void)a, (void)b;
    run(SL_UNARY_SIGMOID, count, in, out);
}

const struct sl_unary sl_unary_exp_f16_f16_1x16_neon = {
    .name = "sl_unary_exp_f16_f16_1x16_neon",
    .needs = SL_ISA_NEON,
    .element = SL_F16,
    .op = SL_UNARY_EXP,
    .run = exponential,
};

const struct sl_unary sl_unary_sigmoid_f16_f16_1x16_neon = {
    .name = "sl_unary_sigmoid_f16_f16_1x16_neon",
    .needs = SL_ISA_NEON,
    .element = SL_F16,
    .op = SL_UNARY_SIGMOID,
    .run = sigmoid,
};
