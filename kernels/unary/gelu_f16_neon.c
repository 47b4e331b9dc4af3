/* kernels/unary/gelu_f16_neon.c: x Phi(x) of halves by the f32 kernel, rounded once. */
#include <string.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon.h"
#include "kernels/unary/unary.h"
#include "kernels/unary/unary_f16.h"

enum { LANES = 8, SPAN = 512 };

static void widen(const uint16_t *in, float *out)
{
    float16x8_t halves = vreinterpretq_f16_u16(vld1q_u16(in));
    vst1q_f32(out, vcvt_f32_f16(vget_low_f16(halves)));
    vst1q_f32(out + LANES / 2, vcvt_high_f32_f16(halves));
}

static void narrow(const float *in, uint16_t *out)
{
    float16x4_t low = vcvt_f16_f32(vld1q_f32(in));
    vst1q_u16(out, vreinterpretq_u16_f16(vcvt_high_f16_f32(low, vld1q_f32(in + LANES / 2))));
}

/* Up to SPAN elements. */
static void run_span(size_t count, const uint16_t *in, uint16_t *out)
{
    float wide[SPAN];
    uint16_t rest[LANES] = {0};
    size_t whole = count / LANES * LANES, left = count - whole;
    for (size_t i = 0; i < whole; i += LANES)
        widen(in + i, wide + i);
    memcpy(rest, in + whole, left * sizeof(rest[0]));
    if (left > 0)
        widen(rest, wide + whole);
    sl_unary_gelu_f32_f32_1x16_neon.run(count, wide, wide, 0, 0);
    for (size_t i = 0; i < whole; i += LANES)
        narrow(wide + i, out + i);
    if (left > 0)
        narrow(wide + whole, rest);
    memcpy(out + whole, rest, left * sizeof(rest[0]));
}

static void run(size_t count, const uint16_t *in, uint16_t *out, float a, float b)
{
    (void)a;
    (void)b;
    for (; count > SPAN; count -= SPAN, in += SPAN, out += SPAN)
        run_span(SPAN, in, out);
    run_span(count, in, out);
}

const struct sl_unary_f16 sl_unary_gelu_f16_f16_1x8_neon = {
    .name = "sl_unary_gelu_f16_f16_1x8_neon",
    .needs = SL_ISA_NEON,
    .op = SL_UNARY_GELU,
    .run = run,
};
