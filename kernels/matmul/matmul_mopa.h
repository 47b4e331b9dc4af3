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

/* The same of rows as they lie instead of `product.lhs`, for products that fit one tile: m and n at
 * most VL. */
struct sl_mopa_f32_few {
    struct sl_mopa_f32 product;
    const float *rows; /* borrowed */
    size_t row_stride;
};

/* The same with 16-bit operands, two neighbours of k in each lane: left panels as in pack_x16.h,
 * right panels as in pack_rhs_x16.h, biases in f32, k counts lanes. dst is of halves for f16, of
 * floats for bf16. */
struct sl_mopa_x16 {
    const uint16_t *lhs;
    const float *rhs;
    void *dst;
    size_t dst_stride;
    size_t m, n, k;
    float min, max;
    uint32_t clamp;
};

/* Floats of the right panels, or lanes. */
size_t sl_mopa_f32_rhs_floats(size_t n, size_t k, size_t vl);

/* Element (k, n) of the weights at weights[k * k_stride + n * n_stride]; bias [n] or NULL. */
void sl_mopa_f32_pack_rhs(size_t n, size_t k, const float *weights, size_t n_stride,
                          size_t k_stride, const float *bias, size_t vl, float *packed);

/* The same with two neighbours of k in each lane; the bias is in f32. */
struct sl_pack_rhs_x16;
void sl_mopa_x16_pack_rhs(const struct sl_pack_rhs_x16 *job, size_t vl);

/* The streaming forms in plain C; the 16-bit ones round between the two products of a
 * lane as they like. */
void sl_mopa_f32_scalar(const struct sl_mopa_f32 *job, size_t vl);
void sl_mopa_f32_few_scalar(const struct sl_mopa_f32_few *few, size_t vl);
void sl_mopa_f16_scalar(const struct sl_mopa_x16 *job, size_t vl);
void sl_mopa_bf16_scalar(const struct sl_mopa_x16 *job, size_t vl);

#if defined(__ARM_FEATURE_SME2)
#include <arm_sme.h>

/* Rows of a block: where the last columns fill one vector at most, four vectors of them, else two.
 */
static inline __attribute__((always_inline)) size_t
sl_mopa_block_rows(size_t n, size_t vl) __arm_streaming_compatible
{
    size_t last = n & (2 * vl - 1); /* VL is a power of two */
    return last > 0 && last <= vl ? 4 * vl : 2 * vl;
}

void sl_mopa_f32_sme2_asm(const struct sl_mopa_f32 *job) __arm_streaming __arm_inout("za");
void sl_mopa_f32_few_sme2_asm(const struct sl_mopa_f32_few *few) __arm_streaming __arm_inout("za");
void sl_mopa_f16_sme2_asm(const struct sl_mopa_x16 *job) __arm_streaming __arm_inout("za");
void sl_mopa_bf16_sme2_asm(const struct sl_mopa_x16 *job) __arm_streaming __arm_inout("za");
#endif
