/* kernels/unary/gelu_neon.c: x Phi(x) by the exact error function, 16 elements at a time.
 *
 * With t = |x|, x Phi(x) = max(x, -0) - t Phi(-t), and t Phi(-t) = 2^n e^(R / 2) g(t): n =
 * round(-t^2 / 2c) with c of 16 bits near ln 2, so that R = -t^2 - 2nc is exact but for its own
 * rounding. What c is off, e^(t^2 / 2 (ln 2 / c - 1)), is a part of g, and of e^(R / 2) = 1 + R
 * q(R). g is U / (a U + P), U = t M(t), M and P of degree 4, fitted for the least relative error
 * on [0, 13.25] (3.0e-8; q: 1.9e-9). From t = 1 on P is less than a third of the denominator, 1 /
 * t^2 of it in the end: what rounding does to U is nearly divided out again. Each constant that a
 * sum begins with is loaded for four vectors by one instruction, where four would copy it.
 *
 * Largest error of all floats: 3.8 ulp. Beyond t = 13.2, where x Phi(x) is no normal number any
 * more, it is -0; of -inf it is a NaN as in ExecuTorch, whose product is of -inf and 0. */
#include <string.h>

#include "kernels/cpu/isa.h"
#include "kernels/unary/unary.h"

enum { ELEMENTS = 16 };

#define C 0x1.62e2p-1f
#define MAGIC 0x1.8p23f /* adding it rounds; its low bits hold n */

/* The start values of sums; the assembly knows their order. */
enum { ROUND, WHOLE, Q1, Q2, Q3, Q4, Q5, M0, M1, M2, P0, P1, P2, ONE, TABLES };
#define FOUR(x) x, x, x, x
#define TABLE(x) {FOUR(x), FOUR(x), FOUR(x), FOUR(x)}
static const float tables[TABLES + 1][ELEMENTS] = {
    [ROUND] = TABLE(MAGIC),
    [WHOLE] = TABLE(2 * C * MAGIC),
    [Q1] = TABLE(0x1.000194p-1f),
    [Q2] = TABLE(0x1.000326p-3f),
    [Q3] = TABLE(0x1.555a56p-6f),
    [Q4] = TABLE(0x1.55610ep-9f),
    [Q5] = TABLE(0x1.12779ap-12f),
    [M0] = TABLE(0x1.ccccccp+0f),
    [M1] = TABLE(0x1.175cb6p+0f),
    [M2] = TABLE(0x1.483d1cp-2f),
    [P0] = TABLE(0x1.ccccccp+1f),
    [P1] = TABLE(0x1.968b02p-2f),
    [P2] = TABLE(0x1.9d5d52p-5f),
    [ONE] = TABLE(1),
    /* And what they go on with. */
    [TABLES] = {-0.5f / C, 2 * C, 0x1.6ac4cep-16f, -0x1.11f144p-11f, 0x1.29e6c0p-5f,
                -0x1.133894p-5f, 0x1p-126f /* as an integer: 1, where a float has its exponent */,
                -0x1.3d65d2p-9f, FOUR(0x1.4b3a28p+1f), FOUR(13.27f) /* where 2^n is 0 */},
};

void sl_gelu_neon_asm(size_t turns, const float *in, float *out, const float *tables);

static void run(size_t count, const void *from, void *to, float a, float b)
{
    const float *in = from;
    float *out = to;
    size_t whole = count / ELEMENTS * ELEMENTS;
    float rest[ELEMENTS] = {0};
    (void)a;
    (void)b;
    sl_gelu_neon_asm(count / ELEMENTS, in, out, tables[0]);
    if (whole == count)
        return;
    memcpy(rest, in + whole, (count - whole) * sizeof(float));
    sl_gelu_neon_asm(1, rest, rest, tables[0]);
    memcpy(out + whole, rest, (count - whole) * sizeof(float));
}

const struct sl_unary sl_unary_gelu_f32_f32_1x16_neon = {
    .name = "sl_unary_gelu_f32_f32_1x16_neon",
    .needs = SL_ISA_NEON,
    .element = SL_F32,
    .op = SL_UNARY_GELU,
    .run = run,
};
