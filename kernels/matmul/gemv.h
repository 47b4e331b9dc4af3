/* kernels/matmul/gemv.h: one row times packed weights. Internal to the SME2 kernel and its tests.
 */
#pragma once

#include <stddef.h>

/* dst[n] = clamp(bias + row * weights). Weights: for each 16 VL columns a bias, then one line for
 * each k, all 16 VL wide, padded with anything; the last columns as many times 4 VL as they need.
 * VL is the number of floats in a streaming vector. */
struct sl_gemv_f32 {
    const float *row; /* [k] */
    const float *weights;
    float *dst;  /* [n] */
    size_t n, k; /* n at least 1 */
    float min, max;
};

/* Floats of the packed weights. */
size_t sl_gemv_f32_floats(size_t n, size_t k, size_t vl);

/* Element (k, n) at weights[k * k_stride + n * n_stride]; bias [n] or NULL. */
void sl_gemv_f32_pack(size_t n, size_t k, const float *weights, size_t n_stride, size_t k_stride,
                      const float *bias, size_t vl, float *packed);

/* What the streaming form computes, in plain C. */
void sl_gemv_f32_scalar(const struct sl_gemv_f32 *job, size_t vl);

#if defined(__ARM_FEATURE_SME2)
#include <arm_sme.h>
void sl_gemv_f32_sme2_asm(const struct sl_gemv_f32 *job) __arm_streaming __arm_inout("za");
#endif
