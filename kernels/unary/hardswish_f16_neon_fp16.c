/* kernels/unary/hardswish_f16_neon_fp16.c: x / 6 * min(max(x + 3, 0), 6) in half precision, a half
 * after each step, to the bit as XNNPACK and as SME2 does it. */
#include "kernels/unary/unary.h"

#define SL_TYPE f16
#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon_vector.inc"

enum { VECTORS = 4, BLOCK = VECTORS * LANES };

SL_INLINE uint16x8_t hardswish(uint16x8_t bits)
{
    const vec_t sixth = vreinterpretq_f16_u16(vdupq_n_u16(0x3155));
    vec_t x = vreinterpretq_f16_u16(bits);
    vec_t gate = v_clamp(vaddq_f16(x, v_set(3)), v_set(0), v_set(6));
    return vreinterpretq_u16_f16(vmulq_f16(vmulq_f16(x, sixth), gate));
}

static void run(size_t count, const void *from, void *to, float a, float b)
{
    const uint16_t *in = from;
    uint16_t *out = to;
    (void)a, (void)b;
    for (; count >= BLOCK; count -= BLOCK) {
        uint16x8x4_t v = sl_neon_next_x16(&in);
        SL_UNROLL
        for (size_t i = 0; i < VECTORS; i++)
            v.val[i] = hardswish(v.val[i]);
        vst1q_u16_x4(out, v);
        out += BLOCK;
        SL_FORGET(out);
    }
    for (; count >= LANES; count -= LANES, in += LANES, out += LANES)
        vst1q_u16(out, hardswish(vld1q_u16(in)));
    if (count > 0) {
        uint16x8_t rest = vreinterpretq_u16_f16(v_load_some(in, count));
        v_store_some(out, vreinterpretq_f16_u16(hardswish(rest)), count);
    }
}

const struct sl_unary sl_unary_hardswish_f16_f16_1x32_neon = {
    .name = "sl_unary_hardswish_f16_f16_1x32_neon",
    .needs = SL_ISA_FP16,
    .element = SL_F16,
    .op = SL_UNARY_HARDSWISH,
    .run = run,
};
