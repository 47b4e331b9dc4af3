/* kernels/unary/gelu_f16_neon.c: x Phi(x) of halves by the f32 kernel, rounded once. */
#include <string.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon.h"
#include "kernels/unary/unary.h"

enum { LANES = 8, BLOCK = 4 * LANES, SPAN = 512 };

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

static void widen_all(size_t blocks, const uint16_t *in, float *out)
{
    for (; blocks > 0; blocks--) {
        const uint16x8x4_t v = sl_neon_next_x16(&in);
        SL_UNROLL
        for (size_t i = 0; i < 4; i += 2) {
            float16x8_t a = vreinterpretq_f16_u16(v.val[i]),
                        b = vreinterpretq_f16_u16(v.val[i + 1]);
            const float32x4x4_t y = {{vcvt_f32_f16(vget_low_f16(a)), vcvt_high_f32_f16(a),
                                      vcvt_f32_f16(vget_low_f16(b)), vcvt_high_f32_f16(b)}};
            vst1q_f32_x4(out, y);
            out += 2 * LANES;
            SL_FORGET(out);
        }
    }
}

static void narrow_all(size_t blocks, const float *in, uint16_t *out)
{
    for (; blocks > 0; blocks--) {
        uint16x8x4_t y;
        SL_UNROLL
        for (size_t i = 0; i < 4; i += 2) {
            const float32x4x4_t v = vld1q_f32_x4(in);
            in += 2 * LANES;
            SL_FORGET(in);
            y.val[i] = vreinterpretq_u16_f16(vcvt_high_f16_f32(vcvt_f16_f32(v.val[0]), v.val[1]));
            y.val[i + 1] =
                vreinterpretq_u16_f16(vcvt_high_f16_f32(vcvt_f16_f32(v.val[2]), v.val[3]));
        }
        vst1q_u16_x4(out, y);
        out += BLOCK;
        SL_FORGET(out);
    }
}

/* Up to SPAN elements. */
static void run_span(size_t count, const uint16_t *in, uint16_t *out)
{
    float wide[SPAN];
    uint16_t rest[LANES] = {0};
    size_t whole = count / LANES * LANES, left = count - whole;
    size_t blocks = count / BLOCK;
    widen_all(blocks, in, wide);
    for (size_t i = blocks * BLOCK; i < whole; i += LANES)
        widen(in + i, wide + i);
    memcpy(rest, in + whole, left * sizeof(rest[0]));
    if (left > 0)
        widen(rest, wide + whole);
    sl_unary_gelu_f32_f32_1x16_neon.run(count, wide, wide, 0, 0);
    narrow_all(blocks, wide, out);
    for (size_t i = blocks * BLOCK; i < whole; i += LANES)
        narrow(wide + i, out + i);
    if (left > 0)
        narrow(wide + whole, rest);
    memcpy(out + whole, rest, left * sizeof(rest[0]));
}

static void run(size_t count, const void *from, void *to, float a, float b)
{
    const uint16_t *in = from;
    uint16_t *out = to;
    (void)a;
    (void)b;
    for (; count > SPAN; count -= SPAN, in += SPAN, out += SPAN)
        run_span(SPAN, in, out);
    run_span(count, in, out);
}

const struct sl_unary sl_unary_gelu_f16_f16_1x8_neon = {
    .name = "sl_unary_gelu_f16_f16_1x8_neon",
    .needs = SL_ISA_NEON,
    .element = SL_F16,
    .op = SL_UNARY_GELU,
    .run = run,
};
