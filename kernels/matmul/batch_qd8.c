/* kernels/matmul/batch_qd8.c */
#include "kernels/matmul/batch_qd8.h"

enum { ALIGNMENT = 64 };

/* The packed right operand comes first. */
static size_t packed_bytes(const struct sl_matmul_qd8 *kernel, size_t n, size_t k, size_t group)
{
    size_t bytes = kernel->rhs_bytes(kernel, n, k, group);
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

size_t sl_batch_qd8_workspace_bytes(const struct sl_matmul_qd8 *kernel, size_t m, size_t n,
                                    size_t k, size_t group)
{
    return packed_bytes(kernel, n, k, group) + kernel->workspace_bytes(kernel, m, n, k);
}

void sl_batch_qd8_run(const struct sl_matmul_qd8 *kernel, const struct sl_batch_qd8_args *args)
{
    struct sl_matmul_qd8_args product = args->product;
    struct sl_weights_qd8 rhs = args->rhs;
    char *workspace = product.workspace;
    product.rhs = workspace;
    size_t packed = packed_bytes(kernel, product.n, product.k, product.group);
    product.workspace = packed > 0 ? workspace + packed : workspace;
    for (size_t i = 0; i < args->batches; i++) {
        if (i == 0 || args->rhs_bytes > 0 || args->scale_bytes > 0)
            kernel->pack_rhs(kernel, &rhs, workspace);
        kernel->run(kernel, &product);
        product.lhs.data = (const char *)product.lhs.data + args->lhs_bytes;
        if (product.lhs.params)
            product.lhs.params += args->params;
        product.dst = (char *)product.dst + args->dst_bytes;
        rhs.data = (const char *)rhs.data + args->rhs_bytes;
        rhs.scale = (const char *)rhs.scale + args->scale_bytes;
    }
}
