/* kernels/unary/elementary_neon.c: elementary functions of f32. */
#include "kernels/unary/unary.h"

#define SL_TYPE f32
#define NEEDS SL_ISA_NEON
#define KERNEL(verb) sl_unary_##verb##_f32_f32_1x8_neon
#include "kernels/cpu/neon.h"

SL_INLINE void load_8(const float *at, float32x4_t pair[2])
{
    pair[0] = vld1q_f32(at);
    pair[1] = vld1q_f32(at + 4);
}

SL_INLINE void store_8(float *at, const float32x4_t pair[2])
{
    vst1q_f32(at, pair[0]);
    vst1q_f32(at + 4, pair[1]);
}

#include "kernels/unary/elementary_neon.h"
