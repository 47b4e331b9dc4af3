/* kernels/pack/pack_x16.h: the left operand of outer products of 16-bit elements: pack_f32.h with
 * two neighbours of k in each lane. Internal to the SME2 kernels and their tests. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A segment fills half as many lines of the panel as it has elements; where that is odd, the last
 * line's second halves are 0. */
struct sl_pack_x16 {
    const uint16_t *const *rows;     /* [tiles * VL], borrowed */
    const int64_t *segment_offsets;  /* [segments], borrowed */
    size_t segments, segment_length; /* at least 1 each */
    size_t tiles;                    /* at least 1 */
    uint16_t *packed;                /* [tiles][segments * ceil(segment_length / 2)][VL][2] */
};

/* The same panels of rows at equal distances, as struct sl_pack_lhs_f32. */
struct sl_pack_lhs_x16 {
    const uint16_t *lhs;
    size_t stride;
    size_t m, k; /* at least 1 each */
    uint16_t *packed;
};

/* The streaming form in plain C. */
void sl_pack_x16_1vl_scalar(const struct sl_pack_x16 *job, size_t vl);

#if defined(__ARM_FEATURE_SME2)
#include <arm_sme.h>
void sl_pack_x16_1vl_sme2_asm(const struct sl_pack_x16 *job) __arm_streaming __arm_inout("za");
void sl_pack_x16_16_sme2_asm(const struct sl_pack_lhs_x16 *job) __arm_streaming __arm_inout("za");
void sl_pack_lhs_x16_sme2(const struct sl_pack_lhs_x16 *job) __arm_streaming __arm_inout("za");
#endif
