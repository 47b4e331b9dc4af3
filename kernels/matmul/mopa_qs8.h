/* kernels/matmul/mopa_qs8.h: int8 outer products over packed panels, shared by matmul and
 * convolution. Internal to the SME2 kernels and their tests.
 *
 * A step is four k: a word of four bytes of one row or column. VL is the number of words in a
 * streaming vector. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/requant.h"

/* dst[m][n] = requantised(start + left * right). Left panels: [ceil(m / VL)][steps][VL] words, see
 * pack_x8.h. Right panels, 2VL columns wide: starts of the sums (int32), scales (f32), then
 * [steps][2VL] words, padded with anything finite; when the last panel has at most VL columns it is
 * VL wide. */
struct sl_mopa_qs8 {
    const void *lhs, *rhs; /* borrowed */
    int8_t *dst;
    size_t dst_stride;  /* elements from row to row */
    size_t m, n, steps; /* m and n at least 1 and below 2^31 */
    int32_t min, max;   /* of the output less its zero point */
    int32_t zero;
};

/* How weights [n][segments][segment_length] become steps: each segment begins a new one, and its
 * last is filled up with zeros. Transposed weights are [segment_length][n], of one segment. */
struct sl_rhs_qs8 {
    size_t n, segments, segment_length;
    const int8_t *weights;
    bool transposed;
    const struct sl_requant *requant;
    size_t panel_vl; /* columns of a panel in VL: 2 for outer products, 16 for single rows */
    size_t least_vl; /* the last panel is as many times this wide as it needs: 1, or even */
    void *packed;
};

/* Steps of one column. */
static inline size_t sl_rhs_qs8_steps(size_t segments, size_t segment_length)
{
    return segments * ((segment_length + 3) / 4);
}

/* Bytes of the right panels. */
size_t sl_rhs_qs8_bytes(size_t n, size_t steps, size_t least_vl, size_t vl);

/* The streaming forms in plain C. */
void sl_rhs_qs8_pack_scalar(const struct sl_rhs_qs8 *job, size_t vl);
void sl_mopa_qs8_scalar(const struct sl_mopa_qs8 *job, size_t vl);

/* Enters streaming mode and leaves it. */
void sl_rhs_qs8_pack_sme2(const struct sl_rhs_qs8 *job);

#if defined(__ARM_FEATURE_SME2)
#include <arm_sme.h>
void sl_mopa_qs8_sme2_asm(const struct sl_mopa_qs8 *job) __arm_streaming __arm_inout("za");
#endif
