/* kernels/matmul/qd8_rhs_sme2.h: panels of int8 and int4 weights, SME2. Internal to the kernels of
 * dynamic int8. */
#pragma once

#include "kernels/matmul/matmul_qd8.h"
#include "kernels/matmul/qd8_mopa.h"

#if defined(__ARM_FEATURE_SME2)
#include <math.h>

#include "kernels/cpu/streaming.h"
#endif

/* -8 to 7, for ZT0: 16 words. */
extern const uint32_t sl_qd8_nibbles[16];

/* Panels for outer products, qd8_mopa.h, or for single rows, qd8_gemv.h, as the kernel says. */
size_t sl_qd8_rhs_bytes(const struct sl_matmul_qd8 *self, size_t n, size_t k, size_t group);
void sl_qd8_pack_rhs(const struct sl_matmul_qd8 *self, const struct sl_weights_qd8 *weights,
                     void *packed);

#if defined(__ARM_FEATURE_SME2)
/* The arguments of streaming functions. The clamp, NaN for none, is known before: in streaming mode
 * a comparison of floats waits for the unit. */
struct sl_qd8_call {
    const struct sl_matmul_qd8 *self;
    const struct sl_matmul_qd8_args *args;
    float min, max;
};

/* Calls body(&call), unless there is nothing to compute. */
static inline void sl_qd8_stream(sl_streaming_za_fn body, const struct sl_matmul_qd8 *self,
                                 const struct sl_matmul_qd8_args *args)
{
    const struct sl_qd8_call call = {
        .self = self,
        .args = args,
        .min = args->min == -INFINITY ? NAN : args->min,
        .max = args->max == INFINITY ? NAN : args->max,
    };
    if (args->m > 0 && args->n > 0)
        sl_streaming_run_za(body, &call);
}

/* A kernel of the functions that its file has under the names of the struct's members. */
#define SL_QD8_SME2_KERNEL(kernel, is_q4, is_gemv)                                                 \
    const struct sl_matmul_qd8 kernel = {                                                          \
        .name = #kernel,                                                                           \
        .needs = SL_ISA_SME2,                                                                      \
        .q4 = is_q4,                                                                               \
        .gemv = is_gemv,                                                                           \
        .m_step = m_step,                                                                          \
        .n_step = n_step,                                                                          \
        .rhs_bytes = sl_qd8_rhs_bytes,                                                             \
        .pack_rhs = sl_qd8_pack_rhs,                                                               \
        .workspace_bytes = workspace_bytes,                                                        \
        .pack_lhs = pack_lhs,                                                                      \
        .run_packed = run_packed,                                                                  \
        .run = run,                                                                                \
    }
#endif
