/* kernels/pack/pack_columns.h: weights of any type into panels of columns, for vectors of 16 words.
 * Internal to the SME2 kernels and their tests. */
#pragma once

#include <stddef.h>

/* Weights [n][k] of any type: rows one behind the other become columns of panels that are 32 wide,
 * the last 16 when that suffices. */
struct sl_pack_columns {
    const void *weights;
    size_t row_bytes, n; /* at least 1 */
    size_t head_bytes;   /* before the lines of a panel of 32 columns; they are left alone */
    void *packed;        /* of each panel the head, then [words][columns] words; columns behind the
                            last hold anything that is finite */
};

#if defined(__ARM_FEATURE_SME2)
void sl_pack_columns_sme2(const struct sl_pack_columns *job) __arm_streaming __arm_inout("za");

/* All whole panels, and a last one of more than 16 columns; n modulo 32 is 0 or more than 16. */
void sl_pack_columns_16_sme2_asm(const struct sl_pack_columns *job) __arm_streaming __arm_inout(
    "za");
#endif
