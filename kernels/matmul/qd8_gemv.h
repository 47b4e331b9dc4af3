/* kernels/matmul/qd8_gemv.h: one row of int8 times panels of weights, SME2. Internal to these
 * kernels. VL is the number of floats in a streaming vector.
 *
 * Panels are 16 VL columns wide, in groups 8; the last one of int8 a multiple of 4 VL, of int4
 * of 8. By channel: lines of corrections, scales, biases, and then the words of each four k, as
 * qd8_mopa.h has them; in groups: the sums of scale * weight as float, the biases, and then of each
 * group its scales and its words. Panels for outer products: qd8_mopa.h. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sl_qd8_gemv {
    const int8_t *row; /* [4 * words of all k] */
    const void *weights;
    void *dst;      /* [n] */
    size_t n;       /* at least 1 */
    size_t words;   /* in groups: of a group, a multiple of 8 */
    size_t groups;  /* by channel: lines of corrections */
    float min, max; /* NaN: none */
    float scale;    /* of the row */
    int32_t zero_point;
    uint32_t half;           /* 1: dst is half, not float */
    const uint32_t *nibbles; /* what ZT0 takes */
};

#if defined(__ARM_FEATURE_SME2)
#include <arm_sme.h>
void sl_gemv_qd8_sme2_asm(const struct sl_qd8_gemv *job) __arm_streaming __arm_inout("za");
void sl_gemv_q4_sme2_asm(const struct sl_qd8_gemv *job) __arm_streaming __arm_inout("za");
void sl_gemv_q4_groups_sme2_asm(const struct sl_qd8_gemv *job) __arm_streaming __arm_inout("za");

/* The same on panels that are packed for outer products. */
void sl_gemv_qd8_panels_sme2_asm(const struct sl_qd8_gemv *job) __arm_streaming __arm_inout("za");
void sl_gemv_q4_panels_sme2_asm(const struct sl_qd8_gemv *job) __arm_streaming __arm_inout("za");
void sl_gemv_q4_groups_panels_sme2_asm(const struct sl_qd8_gemv *job) __arm_streaming __arm_inout(
    "za");
#endif
