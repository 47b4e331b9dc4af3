/* kernels/pack/pack_rhs_f32.h: the right operand of SME2 matrix products into panels of columns.
 * Internal to the SME2 kernels. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A panel is `panel_vl` vectors wide, the last one only as many whole `least_vl` vectors as its
 * columns need. It holds its biases, then [k][width]. Lanes past the last column hold zeros or that
 * column again: nothing that is stored depends on them. */
struct sl_pack_rhs_f32 {
    size_t n, k;
    const float *weights; /* [n][k], or [k][n] when `transposed` */
    bool transposed;
    const float *bias; /* [n] or NULL */
    size_t panel_vl;   /* 2 for outer products, 16 for single rows; a multiple of least_vl */
    size_t least_vl;   /* 1, or even */
    float *packed;
};

/* Enters streaming mode and leaves it. What it computes is stated by sl_mopa_f32_pack_rhs() for
 * panels of 2 VL and by sl_gemv_f32_pack() for those of 16 VL. */
void sl_pack_rhs_f32_sme2(const struct sl_pack_rhs_f32 *job);

/* Panels of 32 columns for vectors of 16 floats; rows behind the last repeat it. */
struct sl_pack_columns_f32 {
    const float *weights; /* [n][k] */
    size_t k, n;          /* k at least 1; n modulo 32 is 0 or more than 16, n is not 0 */
    const float *bias;    /* [n] or NULL */
    float *packed;
    float add; /* to each bias */
};

#if defined(__ARM_FEATURE_SME2)
#include <arm_sme.h>
void sl_pack_columns_f32_16_sme2_asm(
    const struct sl_pack_columns_f32 *job) __arm_streaming __arm_inout("za");
#endif
