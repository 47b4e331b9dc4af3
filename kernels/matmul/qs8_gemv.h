/* kernels/matmul/qs8_gemv.h: one row of int8 times panels of weights, back to int8, SME2. Internal
 * to this kernel. Panels are those of mopa_qs8.h, 16 VL columns wide, the last one a multiple of
 * 4 VL; VL is the number of words in a streaming vector. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sl_gemv_qs8 {
    const int8_t *row; /* [4 * words] */
    const void *weights;
    int8_t *dst;            /* [n] */
    size_t n, words;        /* n at least 1 */
    int32_t min, max, zero; /* of the output; min and max less the zero point */
};

#if defined(__ARM_FEATURE_SME2)
#include <arm_sme.h>
void sl_gemv_qs8_sme2_asm(const struct sl_gemv_qs8 *job) __arm_streaming __arm_inout("za");

/* The single row of a struct sl_matmul_qs8_args, as it lies, times panels of outer products. */
void sl_matmul_qs8_row_sme2(const void *args) __arm_streaming __arm_inout("za");
#endif
