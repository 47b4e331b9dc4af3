/* kernels/matmul/matmul_mopa.h: outer products over packed panels, shared by matmul and
 * convolution. Internal to the SME2 kernels and their tests. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* dst[m][n] = clamp(bias + left * right). Left panels: [ceil(m / VL)][k][VL], see pack_f32.h. Right
 * panels: for each 2VL columns a bias [2VL], then [k][2VL], padded with anything; when the last
 * panel has at most VL columns it is VL wide. VL is the number of floats in a streaming vector. */
struct sl_mopa_f32 {
    const float *lhs, *rhs; /* borrowed */
    float *dst;
    size_t dst_stride; /* elements from row to row */
    size_t m, n, k;    /* at least 1 each, m and n below 2^31 */
    float min, max;
    uint32_t clamp; /* 0: min is -inf and max is +inf */
};

/* Added to every bias of packed SME2 weights: 0, but in a build for the test of the verdict
 * `wrong`. */
#if defined(SL_WRONG_KERNEL)
static const float sl_bias_error = 1;
#else
static const float sl_bias_error = 0;
#endif

/* Floats of the right panels. */
size_t sl_mopa_f32_rhs_floats(size_t n, size_t k, size_t vl);

/* Element (k, n) of the weights at weights[k * k_stride + n * n_stride]; bias [n] or NULL. */
void sl_mopa_f32_pack_rhs(size_t n, size_t k, const float *weights, size_t n_stride,
                          size_t k_stride, const float *bias, size_t vl, float *packed);

/* What the streaming form computes, in plain C. */
void sl_mopa_f32_scalar(const struct sl_mopa_f32 *job, size_t vl);

#if defined(__ARM_FEATURE_SME2)
#include <arm_sme.h>
void sl_mopa_f32_sme2_asm(const struct sl_mopa_f32 *job) __arm_streaming __arm_inout("za");
#endif
