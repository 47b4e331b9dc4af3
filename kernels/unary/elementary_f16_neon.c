/* kernels/unary/elementary_f16_neon.c: elementary functions of halves, computed in f32. Base
 * Armv8-A has the conversions. */
#include "kernels/unary/unary.h"

#define SL_TYPE f16
#define NEEDS SL_ISA_NEON
#define KERNEL(verb) sl_unary_##verb##_f16_f16_1x8_neon
#include "kernels/cpu/neon.h"

enum { VECTORS = 2, ELEMENTS = 4 * VECTORS };

SL_INLINE void load(const uint16_t *at, float32x4_t pair[VECTORS])
{
    float16x8_t halves = vreinterpretq_f16_u16(vld1q_u16(at));
    pair[0] = vcvt_f32_f16(vget_low_f16(halves));
    pair[1] = vcvt_high_f32_f16(halves);
}

SL_INLINE void store(uint16_t *at, const float32x4_t pair[VECTORS])
{
    vst1q_u16(at, vreinterpretq_u16_f16(vcvt_high_f16_f32(vcvt_f16_f32(pair[0]), pair[1])));
}

#include "kernels/unary/elementary_neon.inc"
