/* kernels/matmul/qd8_rhs.h: panels of int8 and int4 weights, SME2. Internal to the kernels of
 * dynamic int8. */
#pragma once

#include "kernels/matmul/matmul_qd8.h"
#include "kernels/matmul/qd8_mopa.h"

/* -8 to 7, for ZT0: 16 words. */
extern const uint32_t sl_qd8_nibbles[16];

/* Panels for outer products, qd8_mopa.h, or for single rows, qd8_gemv.h, as the kernel says. */
size_t sl_qd8_rhs_bytes(const struct sl_matmul_qd8 *self, size_t n, size_t k, size_t group);
void sl_qd8_pack_rhs(const struct sl_matmul_qd8 *self, const struct sl_weights_qd8 *weights,
                     void *packed);
