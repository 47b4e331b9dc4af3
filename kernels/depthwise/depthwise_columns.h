/* kernels/depthwise/depthwise_columns.h: output columns of an int8 depthwise convolution, what the
 * assembly of the SME2 kernel is called for. Internal to it and its tests. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Up to four rows of `outputs` columns, one vector of channels (4 VL of them, VL the words of a
 * streaming vector). The assembly knows the layout. */
struct sl_depthwise_columns {
    /* The begins of windows of output rows 0 to 3; for 3x3, of input rows 0 to 5, because windows
     * share neighbouring rows. Rows that are not stored are read. */
    const int8_t *rows[6];
    size_t down, across; /* bytes from tap to tap; down is not used for 3x3 */
    size_t column;       /* bytes from output to output, in the input */
    /* Starts (int32) and scales (f32), word i of vector j being channel 4 i + j; then the taps. */
    const void *weights;
    size_t outputs, out_column; /* outputs: at least 1 */
    int8_t *out[4];
    size_t stored; /* rows: 1 to 4 */
    size_t kernel_h, kernel_w;
    size_t channels;        /* 4 VL, or fewer: none beyond are read or written */
    int32_t min, max, zero; /* bounds less the zero point */
};

/* The streaming forms in plain C; `is_3x3`: rows as that form takes them. */
void sl_depthwise_columns_scalar(const struct sl_depthwise_columns *job, int is_3x3, size_t vl);

#if defined(__ARM_FEATURE_SME2)
#include <arm_sme.h>
void sl_depthwise_qs8_3x3_sme2_asm(
    const struct sl_depthwise_columns *job) __arm_streaming __arm_inout("za");
void sl_depthwise_qs8_9_sme2_asm(
    const struct sl_depthwise_columns *job) __arm_streaming __arm_inout("za");
void sl_depthwise_qs8_any_sme2_asm(
    const struct sl_depthwise_columns *job) __arm_streaming __arm_inout("za");
#endif
