/* kernels/layout/transpose_rows.h: some rows of 32-bit elements to columns, what the assembly of
 * the SME2 transpose is called for. Internal to it and its tests. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* out[c * out_stride + r] = rows[r][c]. VL is the number of floats in a streaming vector. */
struct sl_transpose_rows {
    const uint32_t *const *rows; /* [2 * VL]; those from `count` on are read but not stored */
    size_t columns;              /* at least 1 */
    uint32_t *out;
    size_t out_stride; /* elements */
    size_t count;      /* 1 to 2 * VL */
};

/* The same for lanes of two neighbours of 16 bits each: a row has `columns` of them in ceil(columns
 * / 2) lanes, and where that is odd, the last lane's second half is 0. */
struct sl_transpose_pairs {
    const uint16_t *const *rows;
    size_t columns;
    uint32_t *out;
    size_t out_stride; /* lanes */
    size_t count;
};

/* All of one transpose: out[c * out_stride + r] = in[r * in_stride + c]. The assembly knows the
 * layout. */
struct sl_transpose_words {
    const uint32_t *in;
    size_t in_stride;
    uint32_t *out;
    size_t out_stride;
    size_t rows, columns; /* at least 1 */
};

/* The streaming forms in plain C. */
void sl_transpose_rows_scalar(const struct sl_transpose_rows *job);
void sl_transpose_pairs_scalar(const struct sl_transpose_pairs *job);

#if defined(__ARM_FEATURE_SME2)
#include <arm_sme.h>
void sl_transpose_rows_sme2_asm(const struct sl_transpose_rows *job) __arm_streaming __arm_inout(
    "za");
void sl_transpose_words_sme2_asm(const struct sl_transpose_words *job) __arm_streaming __arm_inout(
    "za");
void sl_transpose_pairs_sme2_asm(const struct sl_transpose_pairs *job) __arm_streaming __arm_inout(
    "za");
#endif
