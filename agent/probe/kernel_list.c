/* agent/probe/kernel_list.c */
#include "agent/probe/kernel_list.h"

#include "kernels/binary/binary.h"
#include "kernels/binary/binary_f16.h"
#include "kernels/binary/binary_qs8.h"
#include "kernels/conv/conv.h"
#include "kernels/conv/conv_f16.h"
#include "kernels/conv/conv_qs8.h"
#include "kernels/convert/convert.h"
#include "kernels/convert/quantise.h"
#include "kernels/depthwise/depthwise.h"
#include "kernels/depthwise/depthwise_f16.h"
#include "kernels/depthwise/depthwise_qs8.h"
#include "kernels/layout/layout.h"
#include "kernels/layout/layout_x16.h"
#include "kernels/matmul/matmul.h"
#include "kernels/matmul/matmul_bf16.h"
#include "kernels/matmul/matmul_f16.h"
#include "kernels/matmul/matmul_qd8.h"
#include "kernels/matmul/matmul_qs8.h"
#include "kernels/pool/pool.h"
#include "kernels/pool/pool_f16.h"
#include "kernels/pool/pool_qs8.h"
#include "kernels/reduce/mean_qs8.h"
#include "kernels/reduce/reduce.h"
#include "kernels/reduce/reduce_f16.h"
#include "kernels/unary/unary.h"
#include "kernels/unary/unary_f16.h"
#include "kernels/unary/unary_qs8.h"

/* sl_<type>_at() of every family, with the name and the needs of what it returns. */
#define KERNEL_AT(type, folder)                                                                    \
    static bool type##_at(size_t i, struct sl_kernel_entry *out)                                   \
    {                                                                                              \
        const struct sl_##type *kernel = sl_##type##_at(i);                                        \
        if (kernel)                                                                                \
            *out = (struct sl_kernel_entry){folder, kernel->name, kernel->needs};                  \
        return kernel != NULL;                                                                     \
    }
KERNEL_AT(matmul, "matmul")
KERNEL_AT(conv, "conv")
KERNEL_AT(depthwise, "depthwise")
KERNEL_AT(pool, "pool")
KERNEL_AT(unary, "unary")
KERNEL_AT(binary, "binary")
KERNEL_AT(reduce, "reduce")
KERNEL_AT(transpose, "layout")
KERNEL_AT(matmul_qs8, "matmul")
KERNEL_AT(conv_qs8, "conv")
KERNEL_AT(depthwise_qs8, "depthwise")
KERNEL_AT(pool_qs8, "pool")
KERNEL_AT(unary_qs8, "unary")
KERNEL_AT(binary_qs8, "binary")
KERNEL_AT(mean_qs8, "reduce")
KERNEL_AT(matmul_qd8, "matmul")
KERNEL_AT(convert, "convert")
KERNEL_AT(quantise, "convert")
KERNEL_AT(matmul_f16, "matmul")
KERNEL_AT(conv_f16, "conv")
KERNEL_AT(depthwise_f16, "depthwise")
KERNEL_AT(pool_f16, "pool")
KERNEL_AT(unary_f16, "unary")
KERNEL_AT(binary_f16, "binary")
KERNEL_AT(reduce_f16, "reduce")
KERNEL_AT(transpose_x16, "layout")
KERNEL_AT(matmul_bf16, "matmul")

bool sl_kernel_list_at(size_t i, struct sl_kernel_entry *out)
{
    static bool (*const lists[])(size_t, struct sl_kernel_entry *) = {
        matmul_at,        conv_at,       depthwise_at, pool_at,       unary_at,
        binary_at,        reduce_at,     transpose_at, matmul_qs8_at, conv_qs8_at,
        depthwise_qs8_at, pool_qs8_at,   unary_qs8_at, binary_qs8_at, mean_qs8_at,
        matmul_qd8_at,    convert_at,    quantise_at,  matmul_f16_at, conv_f16_at,
        depthwise_f16_at, pool_f16_at,   unary_f16_at, binary_f16_at, reduce_f16_at,
        transpose_x16_at, matmul_bf16_at};
    for (size_t list = 0; list < sizeof(lists) / sizeof(lists[0]); list++) {
        size_t at = 0;
        for (; lists[list](at, out); at++) {
            if (at == i)
                return true;
        }
        i -= at;
    }
    return false;
}
