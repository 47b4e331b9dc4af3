/* kernels/matmul/qd8_mopa.h: dynamic int8 products by outer products over packed panels, SME2.
 * Internal to these kernels. VL is the number of floats in a streaming vector; a word is four int8
 * along k, or four nibbles of a halfword.
 *
 * Left: for each VL rows three vectors and then [words][VL]: the rows' scales; their zero points z
 * as pairs of int16 (z, 256 z); -z as float. Right, by channel: for each 2VL columns `corrections`
 * lines, then scales, biases, and the weights [words][2VL], all lines 2VL wide. A line of
 * corrections has the sum of the weights over at most 65536 k as pairs of int16 (low, high), low +
 * 256 high: the outer product with the left pairs takes z * sum off. int8: the last panel is VL
 * wide when that suffices. int4: lines of weights are VL long. Right, in groups: for each 2VL
 * columns the sums of scale * weight as float, the biases, and then of each group its scales and
 * the nibbles of its words. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sl_qd8_mopa {
    const void *lhs, *rhs; /* borrowed */
    void *dst;
    size_t dst_stride;       /* elements from row to row */
    size_t m, n;             /* at least 1 each, below 2^31 */
    size_t words;            /* of a row; in groups: of a group */
    size_t corrections;      /* lines; in groups: how many groups */
    float min, max;          /* NaN: none */
    uint32_t half;           /* 1: dst is half, not float */
    const uint32_t *nibbles; /* int4: what ZT0 takes */
};

/* Rows to panels of left ones. */
struct sl_qd8_pack {
    const void *const *rows; /* [tiles * VL] */
    size_t k, tiles;         /* tiles: at least 1 */
    void *packed;
    uint32_t half; /* 1: rows are half, not float */
};

enum { SL_QD8_LHS_HEAD = 3, SL_QD8_CORRECTION_K = 65536 };

#if defined(__ARM_FEATURE_SME2)
#include <arm_sme.h>
void sl_qd8_pack_sme2_asm(const struct sl_qd8_pack *job) __arm_streaming __arm_inout("za");
void sl_mopa_qd8_sme2_asm(const struct sl_qd8_mopa *job) __arm_streaming __arm_inout("za");
void sl_mopa_q4_sme2_asm(const struct sl_qd8_mopa *job) __arm_streaming __arm_inout("za");
void sl_mopa_q4_groups_sme2_asm(const struct sl_qd8_mopa *job) __arm_streaming __arm_inout("za");
#endif
