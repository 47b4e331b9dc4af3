/* kernels/unary/unary_neon.c: unary operators, 32 elements at a time. */
#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon.h"
#include "kernels/unary/unary.h"

enum { VECTORS = 8 };

static void clamp(size_t count, const float *in, float *out, float a, float b)
{
    float32x4_t min = vdupq_n_f32(a), max = vdupq_n_f32(b), v[VECTORS];
    for (; count >= 4 * VECTORS; count -= 4 * VECTORS, in += 4 * VECTORS, out += 4 * VECTORS) {
        SL_UNROLL
        for (size_t i = 0; i < VECTORS; i++)
            v[i] = sl_neon_clamp(vld1q_f32(in + 4 * i), min, max);
        SL_UNROLL
        for (size_t i = 0; i < VECTORS; i++)
            vst1q_f32(out + 4 * i, v[i]);
        SL_FORGET(in);
        SL_FORGET(out);
    }
    for (; count >= 4; count -= 4, in += 4, out += 4)
        vst1q_f32(out, sl_neon_clamp(vld1q_f32(in), min, max));
    if (count > 0)
        sl_neon_store(out, sl_neon_clamp(sl_neon_load(in, count), min, max), count);
}

const struct sl_unary sl_unary_clamp_f32_f32_1x32_neon = {
    .name = "sl_unary_clamp_f32_f32_1x32_neon",
    .needs = SL_ISA_NEON,
    .op = SL_UNARY_CLAMP,
    .run = clamp,
};
