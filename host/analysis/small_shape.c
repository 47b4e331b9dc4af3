/* host/analysis/small_shape.c */
#include "host/analysis/small_shape.h"

#include <stdint.h>
#include <string.h>

#include "common/format/operands.h"
#include "kernels/cpu/small.h"

static bool is_one_of(const char *origin, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(origin, names[i]) == 0)
            return true;
    return false;
}

/* The rows and columns of one product; false where the operator computes none, or one that its
 * operands do not show. */
static bool read_product(const struct sl_operands *s, const char *origin, uint64_t *m, uint64_t *n)
{
    static const char *const plain[] = {"FullyConnected", "Conv2d", "aten::mm.out",
                                        "aten::linear.out", "aten::addmm.out"};
    static const char *const batched[] = {"BatchMatrixMultiply", "aten::bmm.out"};
    uint64_t outputs = sl_dims_count(&s->out);
    *n = sl_dims_back(&s->out, 0);
    *m = sl_dims_back(&s->out, 1);
    if (is_one_of(origin, batched, sizeof(batched) / sizeof(batched[0])))
        return true;
    if (strcmp(origin, "aten::convolution.out") == 0 && s->out.rank > 2)
        *n = s->out.of[1]; /* [batch][channels][..] */
    else if (!is_one_of(origin, plain, sizeof(plain) / sizeof(plain[0])))
        return false;
    *m = outputs / *n;
    return true;
}

bool sl_shape_is_small(const struct sl_operands *operands, const char *origin, const char *kernel)
{
    uint64_t outputs = operands ? sl_dims_count(&operands->out) : 0, m, n;
    if (outputs == 0 || operands->macs == 0 || !origin || !kernel)
        return false;
    if (strncmp(kernel, "sl_conv_", 8) == 0)
        return sl_policy_few_macs(1, 1, operands->macs);
    if (strncmp(kernel, "sl_matmul_", 10) != 0 || !read_product(operands, origin, &m, &n))
        return false;
    uint64_t k = operands->macs / outputs;
    if (strncmp(kernel + 10, "bf16", 4) == 0)
        return sl_policy_small_bf16(m, n, k);
    if (strncmp(kernel + 10, "f16", 3) == 0)
        return sl_policy_small_f16(m, n, k);
    return strncmp(kernel + 10, "qs8", 3) == 0 || strncmp(kernel + 10, "qd8", 3) == 0
               ? sl_policy_small_int8(m, n, k)
               : sl_policy_small(m, n, k);
}
