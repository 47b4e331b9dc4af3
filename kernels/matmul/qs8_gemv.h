/* kernels/matmul/qs8_gemv.h: one row of int8 times panels of weights, back to int8, SME2. Internal
 * to this kernel. Panels are those of mopa_qs8.h, 16 VL columns wide, the last one a multiple of
 * 4 VL; VL is the number of words in a streaming vector. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernels/matmul/matmul_qs8.h"
#include "kernels/matmul/mopa_qs8.h"

struct sl_gemv_qs8 {
    const int8_t *row; /* [4 * words] */
    const void *weights;
    int8_t *dst;            /* [n] */
    size_t n, words;        /* n at least 1 */
    int32_t min, max, zero; /* of the output; min and max less the zero point */
    size_t k;               /* of the row; only panels of outer products are read by it */
};

static inline struct sl_gemv_qs8
sl_gemv_qs8_of(const struct sl_matmul_qs8_args *args) __arm_streaming_compatible
{
    return (struct sl_gemv_qs8){
        .row = args->lhs,
        .weights = args->rhs,
        .dst = args->dst,
        .n = args->n,
        .words = sl_rhs_qs8_steps(1, args->k),
        .min = args->out.min - args->out.zero,
        .max = args->out.max - args->out.zero,
        .zero = args->out.zero,
        .k = args->k,
    };
}

#if defined(__ARM_FEATURE_SME2)
#include <arm_sme.h>
void sl_gemv_qs8_sme2_asm(const struct sl_gemv_qs8 *job) __arm_streaming __arm_inout("za");

/* The same on panels that are packed for outer products, 2VL columns wide; `row` is [k]. */
void sl_gemv_qs8_panels_sme2_asm(const struct sl_gemv_qs8 *job) __arm_streaming __arm_inout("za");
#endif
