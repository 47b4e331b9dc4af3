/* kernels/pack/pack_rhs_x16.h: the right operand of SME2 products of 16-bit floats into panels of
 * columns: pack_rhs_f32.h with two neighbours of k in each lane. Internal to the SME2 kernels. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A panel's biases are floats; then it is [segments * ceil(k / 2)][width] lanes: where k is odd,
 * the last line of each segment has zeros in its second halves. */
struct sl_pack_rhs_x16 {
    size_t n, k, segments; /* k: elements of a segment */
    const uint16_t
        *weights; /* [n][segments][k], or [k][n] when `transposed`, which has one segment */
    bool transposed;
    const void *bias; /* [n] or NULL: f16 when half_bias, else f32 */
    bool half_bias;
    size_t panel_vl; /* 2 for outer products, 16 for single rows; a multiple of least_vl */
    size_t least_vl; /* 1, or even */
    float *packed;
};

/* Enters streaming mode and leaves it. What it computes is stated by sl_mopa_x16_pack_rhs(). */
void sl_pack_rhs_x16_sme2(const struct sl_pack_rhs_x16 *job);
