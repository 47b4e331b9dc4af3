/* kernels/cpu/neon_vector.h: NEON vectors of the type that the including file names (SL_TYPE f32 or
 * f16, see kernels/cpu/element.h): vec_t of LANES elements. Arithmetic is in that type. */
#pragma once

#include <stddef.h>

#include "kernels/cpu/element.h"
#include "kernels/cpu/neon.h"

#if SL_TYPE_CODE(SL_TYPE) == SL_TYPE_f16
#define SL_VECTOR_ISA SL_ISA_FP16
#define V(name) name##_f16
typedef float16x8_t vec_t;
enum { LANES = 8 };

SL_INLINE vec_t v_load(const uint16_t *at)
{
    return vreinterpretq_f16_u16(vld1q_u16(at));
}

SL_INLINE vec_t v_load_dup(const uint16_t *at)
{
    return vreinterpretq_f16_u16(vld1q_dup_u16(at));
}

SL_INLINE void v_store(uint16_t *at, vec_t v)
{
    vst1q_u16(at, vreinterpretq_u16_f16(v));
}

/* The first `lanes` elements (1 to LANES); the other lanes are 0. Four and more are two loads of
 * four that overlap. */
SL_INLINE vec_t v_load_some(const uint16_t *at, size_t lanes)
{
    uint64_t low = at[0], high = 0;
    if (lanes >= LANES)
        return v_load(at);
    if (lanes >= 4)
        memcpy(&low, at, sizeof(low));
    if (lanes > 4) {
        memcpy(&high, at + lanes - 4, sizeof(high));
        high >>= 16 * (LANES - lanes);
    }
    for (size_t i = 1; lanes < 4 && i < lanes; i++)
        low |= (uint64_t)at[i] << 16 * i;
    return vreinterpretq_f16_u64(vcombine_u64(vcreate_u64(low), vcreate_u64(high)));
}

SL_INLINE void v_store_some(uint16_t *at, vec_t v, size_t lanes)
{
    uint64x2_t both = vreinterpretq_u64_f16(v);
    uint64_t low = vgetq_lane_u64(both, 0), high = vgetq_lane_u64(both, 1);
    if (lanes >= LANES) {
        v_store(at, v);
        return;
    }
    if (lanes > 4) {
        high = high << 16 * (LANES - lanes) | low >> 16 * (lanes - 4);
        memcpy(at + lanes - 4, &high, sizeof(high));
    }
    if (lanes >= 4)
        memcpy(at, &low, sizeof(low));
    for (size_t i = 0; lanes < 4 && i < lanes; i++)
        at[i] = (uint16_t)(low >> 16 * i);
}

/* Rounded: monotonous, so that clamps in half precision are clamps of f32, rounded. */
SL_INLINE vec_t v_set(float value)
{
    return vdupq_n_f16((float16_t)value);
}
#else
#define SL_VECTOR_ISA SL_ISA_NEON
#define V(name) name##_f32
typedef float32x4_t vec_t;
enum { LANES = 4 };
#define v_load vld1q_f32
#define v_load_dup vld1q_dup_f32
#define v_store vst1q_f32
#define v_load_some sl_neon_load
#define v_store_some sl_neon_store
#define v_set vdupq_n_f32
#endif

/* 1, 2 or 4 vectors by one instruction. */
SL_INLINE void v_load_all(const SL_ELEMENT *at, size_t vectors, vec_t v[])
{
#if SL_TYPE_CODE(SL_TYPE) == SL_TYPE_f16
    const uint16x8x4_t four = vectors == 4 ? vld1q_u16_x4(at) : (uint16x8x4_t){0};
    const uint16x8x2_t two = vectors == 2 ? vld1q_u16_x2(at) : (uint16x8x2_t){0};
#define V_OF(x) vreinterpretq_f16_u16(x)
#else
    const float32x4x4_t four = vectors == 4 ? vld1q_f32_x4(at) : (float32x4x4_t){0};
    const float32x4x2_t two = vectors == 2 ? vld1q_f32_x2(at) : (float32x4x2_t){0};
#define V_OF(x) (x)
#endif
    SL_UNROLL
    for (size_t j = 0; j < vectors; j++)
        v[j] = vectors == 4 ? V_OF(four.val[j]) : vectors == 2 ? V_OF(two.val[j]) : v_load(at);
#undef V_OF
}

/* 1 to 4 vectors by one instruction, and on to what follows them. */
SL_INLINE void v_load_next(const SL_ELEMENT **at, size_t vectors, vec_t v[])
{
    if (vectors == 3) {
#if SL_TYPE_CODE(SL_TYPE) == SL_TYPE_f16
        const uint16x8x3_t three = vld1q_u16_x3(*at);
        for (size_t j = 0; j < 3; j++)
            v[j] = vreinterpretq_f16_u16(three.val[j]);
#else
        const float32x4x3_t three = vld1q_f32_x3(*at);
        for (size_t j = 0; j < 3; j++)
            v[j] = three.val[j];
#endif
    } else {
        v_load_all(*at, vectors, v);
    }
    *at += vectors * LANES;
    SL_FORGET(*at);
}

SL_INLINE vec_t v_clamp(vec_t v, vec_t min, vec_t max)
{
    return V(vminq)(V(vmaxq)(v, min), max);
}
