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
