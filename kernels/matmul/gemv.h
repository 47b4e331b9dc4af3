/* kernels/matmul/gemv.h: one row times packed weights. Internal to the SME2 kernel and its tests.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

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

/* The same with 16-bit operands, two neighbours of k in each lane, as pack_rhs_x16.h packs them.
 * dst is of halves for f16, of floats for bf16. */
struct sl_gemv_x16 {
    const uint16_t *row;
    const float *weights;
    void *dst;
    size_t n, k; /* k counts elements */
    float min, max;
};

/* Floats of the packed weights, or lanes. */
size_t sl_gemv_f32_floats(size_t n, size_t k, size_t vl);

/* Element (k, n) at weights[k * k_stride + n * n_stride]; bias [n] or NULL. */
void sl_gemv_f32_pack(size_t n, size_t k, const float *weights, size_t n_stride, size_t k_stride,
                      const float *bias, size_t vl, float *packed);

/* The streaming forms in plain C. */
void sl_gemv_f32_scalar(const struct sl_gemv_f32 *job, size_t vl);
void sl_gemv_f16_scalar(const struct sl_gemv_x16 *job, size_t vl);
void sl_gemv_bf16_scalar(const struct sl_gemv_x16 *job, size_t vl);

#if defined(__ARM_FEATURE_SME2)
#include <arm_sme.h>
void sl_gemv_f32_sme2_asm(const struct sl_gemv_f32 *job) __arm_streaming __arm_inout("za");
void sl_gemv_f16_sme2_asm(const struct sl_gemv_x16 *job) __arm_streaming __arm_inout("za");
void sl_gemv_bf16_sme2_asm(const struct sl_gemv_x16 *job) __arm_streaming __arm_inout("za");

/* The same with weights that are packed for outer products (matmul_mopa.h). */
void sl_gemv_panels_f32_sme2_asm(const struct sl_gemv_f32 *job) __arm_streaming __arm_inout("za");
void sl_gemv_panels_f16_sme2_asm(const struct sl_gemv_x16 *job) __arm_streaming __arm_inout("za");
void sl_gemv_panels_bf16_sme2_asm(const struct sl_gemv_x16 *job) __arm_streaming __arm_inout("za");
#endif
