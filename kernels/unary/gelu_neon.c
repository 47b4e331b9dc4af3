/* kernels/unary/gelu_neon.c: x Phi(x) by the exact error function, 16 elements at a time.
 *
 * With t = |x|, x Phi(x) = max(x, 0) - t Phi(-t), and t Phi(-t) = 2^n e^(R / 2) g(t): n =
 * round(-t^2 / 2c) with c of 16 bits near ln 2, so that R = -t^2 - 2nc is exact but for its own
 * rounding. What c is off, e^(t^2 / 2 (ln 2 / c - 1)), is a part of g, and of e^(R / 2) = 1 + R
 * q(R). g is t N(t) / D(t) of degrees 4 and 5, fitted for the least relative error on [0, 13.25]
 * (2.8e-8, 3.9e-8 with rounded coefficients; q: 1.9e-9); even and odd powers are summed apart. Each
 * constant that a sum begins with is loaded for four vectors by one instruction, where four would
 * copy it.
 *
 * Largest error of 16 million floats: 4.7 ulp; 2 in a million are above 4. Beyond t = 13.2, where
 * x Phi(x) is no normal number any more, it is -0. */
#include <string.h>

#include "kernels/cpu/isa.h"
#include "kernels/unary/unary.h"

enum { ELEMENTS = 16 };

#define C 0x1.62e2p-1f
#define MAGIC 0x1.8p23f /* adding it rounds; its low bits hold n */

/* What sums begin with; the assembly knows their order. */
enum { ROUND, WHOLE, Q1, Q2, Q3, Q4, Q5, N0, N1, N2, D0, D1, D2, ONE, TABLES };
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
    [N0] = TABLE(-0x1.49c652p+10f),
    [N1] = TABLE(-0x1.9054dap+9f),
    [N2] = TABLE(-0x1.d6cd92p+7f),
    [D0] = TABLE(-0x1.49c652p+11f),
    [D1] = TABLE(-0x1.cf4992p+11f),
    [D2] = TABLE(-0x1.079d3ep+11f),
    [ONE] = TABLE(1),
    /* And what they go on with. */
    [TABLES] = {-0.5f / C, 2 * C, 0x1.6ac4cep-16f, 0x1.8bd3e0p-2f, -0x1.ac118ap+4f, -0x1.0dcafap+6f,
                0x1p-126f /* as an integer: 1, where a float has its exponent */, 0,
                FOUR(-0x1.243fd0p+9f), FOUR(13.27f) /* where 2^n is 0 */},
};

void sl_gelu_neon_asm(size_t turns, const float *in, float *out, const float *tables);

static void run(size_t count, const float *in, float *out, float a, float b)
{
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
    .op = SL_UNARY_GELU,
    .run = run,
};
