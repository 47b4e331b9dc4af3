/* kernels/cpu/requant_neon.h: sums back to int8 (requant.h) in NEON, 16 at a time. */
#pragma once

#include "kernels/cpu/neon.h"
#include "kernels/cpu/requant.h"

/* The numbers of a call, kept out of memory that stores may change. */
struct sl_requant_neon {
    int16x8_t zero;
    int8x16_t min, max;
    float32x4_t scale[4]; /* of the present sixteen */
};

SL_INLINE struct sl_requant_neon sl_requant_neon_of(struct sl_requant_out out)
{
    return (struct sl_requant_neon){
        .zero = vdupq_n_s16(out.zero), .min = vdupq_n_s8(out.min), .max = vdupq_n_s8(out.max)};
}

/* 8 sums, not yet narrowed and clamped. */
SL_INLINE int16x8_t sl_requant_eight(const int32x4_t sums[2], const float32x4_t scale[2],
                                     const struct sl_requant_neon *quant)
{
    int32x4_t a = vcvtnq_s32_f32(vmulq_f32(vcvtq_f32_s32(sums[0]), scale[0]));
    int32x4_t b = vcvtnq_s32_f32(vmulq_f32(vcvtq_f32_s32(sums[1]), scale[1]));
    return vqaddq_s16(vqmovn_high_s32(vqmovn_s32(a), b), quant->zero);
}

SL_INLINE int8x16_t sl_requant_sixteen(const int32x4_t low[2], const int32x4_t high[2],
                                       const struct sl_requant_neon *quant)
{
    int8x16_t y = vqmovn_high_s16(vqmovn_s16(sl_requant_eight(low, quant->scale, quant)),
                                  sl_requant_eight(high, quant->scale + 2, quant));
    return vminq_s8(vmaxq_s8(y, quant->min), quant->max);
}
