/* kernels/layout/transpose_halves.h: some rows of 16-bit elements to columns, what the assembly of
 * the SME2 transpose is called for. Internal to it and its tests. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* out[c * out_stride + r] = in[r * in_stride + c]. VL is the number of halves in a streaming
 * vector. */
struct sl_transpose_halves {
    const uint16_t *in;
    size_t in_stride; /* elements */
    uint16_t *out;
    size_t out_stride; /* elements */
    size_t rows;       /* 1 to 2 * VL */
    size_t columns;    /* at least 1 */
};

#if defined(__ARM_FEATURE_SME2)
#include <arm_sme.h>
void sl_transpose_halves_sme2_asm(
    const struct sl_transpose_halves *job) __arm_streaming __arm_inout("za");
#endif
