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
#include "kernels/layout/layout_x8.h"
#include "kernels/layout/repeat.h"
#include "kernels/layout/resize.h"
#include "kernels/layout/resize_f16.h"
#include "kernels/layout/resize_qs8.h"
#include "kernels/matmul/matmul.h"
#include "kernels/matmul/matmul_bf16.h"
#include "kernels/matmul/matmul_f16.h"
#include "kernels/matmul/matmul_qd8.h"
#include "kernels/matmul/matmul_qs8.h"
#include "kernels/pool/argmax.h"
#include "kernels/pool/pool.h"
#include "kernels/pool/pool_f16.h"
#include "kernels/pool/pool_qs8.h"
#include "kernels/reduce/mean_qs8.h"
#include "kernels/reduce/reduce.h"
#include "kernels/reduce/reduce_f16.h"
#include "kernels/unary/unary.h"
#include "kernels/unary/unary_f16.h"
#include "kernels/unary/unary_qs8.h"

/* Every list of kernels: its type, the folder it is in, what it is for. */
#define LISTS(X)                                                                                   \
    X(matmul, "matmul", "f32 products, weights packed at load")                                    \
    X(conv, "conv", "f32 convolutions, no im2col buffer")                                          \
    X(depthwise, "depthwise", "f32 depthwise convolutions")                                        \
    X(pool, "pool", "f32 pooling")                                                                 \
    X(unary, "unary", "f32 functions of one operand")                                              \
    X(binary, "binary", "f32 functions of two operands")                                           \
    X(reduce, "reduce", "f32 mean, softmax, norms")                                                \
    X(transpose, "layout", "transposes of 32-bit elements")                                        \
    X(repeat, "layout", "every element several times")                                             \
    X(resize, "layout", "f32 bilinear resize")                                                     \
    X(argmax, "pool", "f32 pooling with indices")                                                  \
    X(matmul_f16, "matmul", "f16 products, weights packed at load")                                \
    X(matmul_bf16, "matmul", "bf16 products, f32 out")                                             \
    X(conv_f16, "conv", "f16 convolutions, no im2col buffer")                                      \
    X(depthwise_f16, "depthwise", "f16 depthwise convolutions")                                    \
    X(pool_f16, "pool", "f16 pooling")                                                             \
    X(unary_f16, "unary", "f16 functions of one operand")                                          \
    X(binary_f16, "binary", "f16 functions of two operands")                                       \
    X(reduce_f16, "reduce", "f16 mean, softmax, norms")                                            \
    X(transpose_x16, "layout", "transposes of 16-bit elements")                                    \
    X(resize_f16, "layout", "f16 bilinear resize")                                                 \
    X(matmul_qs8, "matmul", "static int8 products, requantised")                                   \
    X(conv_qs8, "conv", "static int8 convolutions, requantised")                                   \
    X(depthwise_qs8, "depthwise", "static int8 depthwise convolutions")                            \
    X(pool_qs8, "pool", "static int8 pooling")                                                     \
    X(unary_qs8, "unary", "static int8 functions of one operand, by table")                        \
    X(binary_qs8, "binary", "static int8 functions of two operands")                               \
    X(mean_qs8, "reduce", "static int8 mean")                                                      \
    X(resize_qs8, "layout", "int8 bilinear resize, as XNNPACK rounds it")                          \
    X(transpose_x8, "layout", "transposes of bytes")                                               \
    X(matmul_qd8, "matmul", "products of floats over int8 or int4 weights")                        \
    X(convert, "convert", "one element type to another")                                           \
    X(quantise, "convert", "rows of floats to int8 with parameters of their own")

/* sl_<type>_at() of every list, with the name and the needs of what it returns. */
#define KERNEL_AT(type, folder, purpose)                                                           \
    static bool type##_at(size_t i, struct sl_kernel_entry *out)                                   \
    {                                                                                              \
        const struct sl_##type *kernel = sl_##type##_at(i);                                        \
        if (kernel)                                                                                \
            *out = (struct sl_kernel_entry){folder, kernel->name, purpose, kernel->needs};         \
        return kernel != NULL;                                                                     \
    }
LISTS(KERNEL_AT)

bool sl_kernel_list_at(size_t i, struct sl_kernel_entry *out)
{
#define ITS_AT(type, folder, purpose) type##_at,
    static bool (*const lists[])(size_t, struct sl_kernel_entry *) = {LISTS(ITS_AT)};
#undef ITS_AT
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
