/* kernels/matmul/round_bf16_sme2.h: rows of f32 rounded to bf16, in streaming mode. */
#pragma once

#include <arm_sme.h>
#include <arm_sve.h>
#include <stddef.h>
#include <stdint.h>

/* out is dense, [count][k]; `stride` is in elements. */
static inline void sl_round_bf16(const float *in, size_t stride, size_t count, size_t k,
                                 uint16_t *out) __arm_streaming __arm_inout("za")
{
    for (size_t row = 0; row < count; row++, in += stride, out += k)
        for (size_t i = 0; i < k; i += 4 * svcntw()) {
            svfloat32x4_t x = svld1_f32_x4(svwhilelt_c32_u64(i, k, 4), in + i);
            svbfloat16_t low = svcvt_bf16_f32_x2(svcreate2_f32(svget4_f32(x, 0), svget4_f32(x, 1)));
            svbfloat16_t high =
                svcvt_bf16_f32_x2(svcreate2_f32(svget4_f32(x, 2), svget4_f32(x, 3)));
            svst1_bf16_x2(svwhilelt_c16_u64(i, k, 2), (bfloat16_t *)(void *)(out + i),
                          svcreate2_bf16(low, high));
        }
}
