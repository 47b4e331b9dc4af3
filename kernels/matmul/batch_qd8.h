/* kernels/matmul/batch_qd8.h: products of many pairs of matrices, neither constant: the left one
 * quantised row by row, the right one int8 or int4 with its scales, packed on the way. */
#pragma once

#include "kernels/matmul/matmul_qd8.h"

struct sl_batch_qd8_args {
    size_t batches;
    struct sl_matmul_qd8_args product; /* of the first pair; rhs is not read */
    struct sl_weights_qd8 rhs;         /* of the first pair; its n and k are the product's */
    /* From one batch to the next; 0: the same again, and a right one is then packed once. */
    size_t lhs_bytes, params, rhs_bytes, scale_bytes, dst_bytes;
};

/* Bytes of product.workspace, of which the kernel must not be one for single rows unless m is 1. */
size_t sl_batch_qd8_workspace_bytes(const struct sl_matmul_qd8 *kernel, size_t m, size_t n,
                                    size_t k, size_t group);
void sl_batch_qd8_run(const struct sl_matmul_qd8 *kernel, const struct sl_batch_qd8_args *args);
