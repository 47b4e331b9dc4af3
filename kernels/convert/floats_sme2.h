/* kernels/convert/floats_sme2.h: four vectors of floats at a time, from f32 or half, for the SME2
 * kernels of this folder. */
#pragma once

#include <arm_sme.h>
#include <arm_sve.h>
#include <stddef.h>
#include <stdint.h>

#define SL_SME2_INLINE static inline __attribute__((always_inline))

#define SL_WHOLE SIZE_MAX /* for `count`: nothing is cut off */

SL_SME2_INLINE svcount_t sl_some_c32(size_t i, size_t count) __arm_streaming
{
    return count == SL_WHOLE ? svptrue_c32() : svwhilelt_c32_u64(i, count, 4);
}

SL_SME2_INLINE svcount_t sl_some_c16(size_t i, size_t count) __arm_streaming
{
    return count == SL_WHOLE ? svptrue_c16() : svwhilelt_c16_u64(i, count, 2);
}

SL_SME2_INLINE svbool_t sl_some_b8(size_t i, size_t count) __arm_streaming
{
    return count == SL_WHOLE ? svptrue_b8() : svwhilelt_b8_u64(i, count);
}

/* Elements [i, i + 4 VL) of `in` that come before `count`; the others are 0. */
SL_SME2_INLINE svfloat32x4_t sl_load_f32(const void *in, size_t i, size_t count) __arm_streaming
{
    return svld1_f32_x4(sl_some_c32(i, count), (const float *)in + i);
}

SL_SME2_INLINE svfloat32x4_t sl_load_f16(const void *in, size_t i, size_t count) __arm_streaming
{
    svbool_t all = svptrue_b32();
    svuint16x2_t half = svld1_u16_x2(sl_some_c16(i, count), (const uint16_t *)in + i);
    svuint32x4_t wide = svunpk_u32_u16_x4(half);
    return svcreate4_f32(svcvt_f32_f16_x(all, svreinterpret_f16_u32(svget4_u32(wide, 0))),
                         svcvt_f32_f16_x(all, svreinterpret_f16_u32(svget4_u32(wide, 1))),
                         svcvt_f32_f16_x(all, svreinterpret_f16_u32(svget4_u32(wide, 2))),
                         svcvt_f32_f16_x(all, svreinterpret_f16_u32(svget4_u32(wide, 3))));
}

SL_SME2_INLINE svfloat32x4_t sl_scaled(svfloat32x4_t x, float by) __arm_streaming
{
    svbool_t all = svptrue_b32();
    return svcreate4_f32(
        svmul_n_f32_x(all, svget4_f32(x, 0), by), svmul_n_f32_x(all, svget4_f32(x, 1), by),
        svmul_n_f32_x(all, svget4_f32(x, 2), by), svmul_n_f32_x(all, svget4_f32(x, 3), by));
}
