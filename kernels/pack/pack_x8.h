/* kernels/pack/pack_x8.h: the left operand of int8 matrix products into panels of words. Internal
 * to the SME2 kernels. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* As struct sl_pack_f32 (pack_f32.h), of bytes: four of a row are one word of a panel, and the last
 * word of a segment is filled up with zeros. VL is the number of words in a streaming vector. */
struct sl_pack_x8 {
    const int8_t *const *rows;       /* [tiles * VL], borrowed */
    const int64_t *segment_offsets;  /* [segments], borrowed; bytes */
    size_t segments, segment_length; /* at least 1 each; bytes */
    size_t tiles;                    /* at least 1 */
    void *packed;                    /* [tiles][segments * words of a segment][VL] words */
};

/* The streaming form in plain C. */
void sl_pack_x8_1vl_scalar(const struct sl_pack_x8 *job, size_t vl);

/* Up to 2VL rows of k bytes, side by side, into a panel of words [ceil(k / 4)][2VL]. */
struct sl_pack_x8_pair {
    const int8_t *const *rows; /* [2VL], borrowed */
    size_t k;                  /* at least 1 */
    void *packed;
    size_t stride_bytes; /* from step to step */
};

void sl_pack_x8_2vl_scalar(const struct sl_pack_x8_pair *job, size_t vl);

/* The same panels of rows at equal distances, as struct sl_pack_lhs_f32. */
struct sl_pack_lhs_x8 {
    const int8_t *lhs;
    size_t stride;
    size_t m, k; /* at least 1 each */
    void *packed;
};

#if defined(__ARM_FEATURE_SME2)
#include <arm_sme.h>

void sl_pack_x8_1vl_sme2_asm(const struct sl_pack_x8 *job) __arm_streaming __arm_inout("za");
void sl_pack_x8_16_sme2_asm(const struct sl_pack_lhs_x8 *job) __arm_streaming __arm_inout("za");
void sl_pack_x8_2vl_sme2_asm(const struct sl_pack_x8_pair *job) __arm_streaming __arm_inout("za");
#endif
