/* kernels/unary/elementary_neon.c: elementary functions of f32. */
#include "kernels/unary/unary.h"

#define SL_TYPE f32
#define NEEDS SL_ISA_NEON
#define KERNEL(verb) sl_unary_##verb##_f32_f32_1x16_neon
#include "kernels/cpu/neon.h"

enum { VECTORS = 4, ELEMENTS = 4 * VECTORS };

SL_INLINE void load(const float *at, float32x4_t v[VECTORS])
{
    float32x4x4_t quad = vld1q_f32_x4(at);
    SL_UNROLL
    for (size_t j = 0; j < VECTORS; j++)
        v[j] = quad.val[j];
}

SL_INLINE void store(float *at, const float32x4_t v[VECTORS])
{
    const float32x4x4_t quad = {{v[0], v[1], v[2], v[3]}};
    vst1q_f32_x4(at, quad);
}

#include "kernels/unary/elementary_neon.inc"
