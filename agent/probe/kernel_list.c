/* agent/probe/kernel_list.c */
#include "agent/probe/kernel_list.h"

#include "kernels/binary/binary.h"
#include "kernels/binary/binary_qs8.h"
#include "kernels/conv/conv.h"
#include "kernels/conv/conv_qs8.h"
#include "kernels/convert/convert.h"
#include "kernels/convert/quantise.h"
#include "kernels/depthwise/depthwise.h"
#include "kernels/depthwise/depthwise_qs8.h"
#include "kernels/layout/layout.h"
#include "kernels/layout/layout_x16.h"
#include "kernels/layout/layout_x8.h"
#include "kernels/layout/repeat.h"
#include "kernels/layout/resize.h"
#include "kernels/layout/stride.h"
#include "kernels/matmul/matmul.h"
#include "kernels/matmul/matmul_qd8.h"
#include "kernels/matmul/matmul_qs8.h"
#include "kernels/pool/argmax.h"
#include "kernels/pool/pool.h"
#include "kernels/pool/pool_qs8.h"
#include "kernels/reduce/mean_qs8.h"
#include "kernels/reduce/reduce.h"
#include "kernels/unary/unary.h"
#include "kernels/unary/unary_qs8.h"

/* Every list of kernels, X(type, folder it is in, what it is for, what its kernels are benched on);
 * E(type, element, ..) for each type of a list that has several. */
#define LISTS(X, E)                                                                                \
    E(matmul, F32, "matmul", "f32 products, weights packed at load",                               \
      "matmul:128x128x128 matmul:1x1024x1024")                                                     \
    E(conv, F32, "conv", "f32 convolutions, no im2col buffer",                                     \
      "conv:14x14x64-64-3x3-s1-p1 conv:28x28x64-64-3x3-s1-p1-g64")                                 \
    E(depthwise, F32, "depthwise", "f32 depthwise convolutions",                                   \
      "depthwise:28x28x128-3x3-s1-p1 depthwise:28x28x128-3x3-s2-p1 depthwise:28x28x128-5x5-s1-p2 " \
      "depthwise:28x28x128-5x5-s2-p2 depthwise:28x28x128-7x7-s1-p3 depthwise:28x28x24-3x3-s1-p1")  \
    E(pool, F32, "pool", "f32 pooling", "pool:@-56x56x64-2x2-s2-p0")                               \
    E(unary, F32, "unary", "f32 functions of one operand", "unary:@-65536")                        \
    E(binary, F32, "binary", "f32 functions of two operands", "binary:@-65536")                    \
    E(reduce, F32, "reduce", "f32 mean, softmax, norms", "reduce:@-1x49x512 reduce:@-64x1024x1")   \
    X(transpose, "layout", "transposes of 32-bit elements", "transpose:256x256")                   \
    X(repeat, "layout", "every element several times", "repeat:16384x4")                           \
    X(stride, "layout", "elements that lie apart, side by side", "stride:16384x2")                 \
    E(resize, F32, "layout", "f32 bilinear resize", "resize:28x28x64-56x56")                       \
    X(argmax, "pool", "f32 pooling with indices", "argmax:56x56x64-2x2")                           \
    E(matmul, F16, "matmul", "f16 products, weights packed at load",                               \
      "f16/matmul:128x128x128 f16/matmul:1x1024x1024")                                             \
    E(matmul, BF16, "matmul", "bf16 products, f32 out",                                            \
      "bf16/matmul:128x128x128 bf16/matmul:1x1024x1024")                                           \
    E(conv, F16, "conv", "f16 convolutions, no im2col buffer",                                     \
      "f16/conv:14x14x64-64-3x3-s1-p1 f16/conv:28x28x64-64-3x3-s1-p1-g64")                         \
    E(depthwise, F16, "depthwise", "f16 depthwise convolutions",                                   \
      "f16/depthwise:28x28x128-3x3-s1-p1 f16/depthwise:28x28x128-3x3-s2-p1 "                       \
      "f16/depthwise:28x28x128-5x5-s1-p2 f16/depthwise:28x28x128-5x5-s2-p2 "                       \
      "f16/depthwise:28x28x128-7x7-s1-p3 f16/depthwise:28x28x24-3x3-s1-p1")                        \
    E(pool, F16, "pool", "f16 pooling", "f16/pool:@-56x56x64-2x2-s2-p0")                           \
    E(unary, F16, "unary", "f16 functions of one operand", "f16/unary:@-65536")                    \
    E(binary, F16, "binary", "f16 functions of two operands", "f16/binary:@-65536")                \
    E(reduce, F16, "reduce", "f16 mean, softmax, norms",                                           \
      "f16/reduce:@-1x49x512 f16/reduce:@-64x1024x1")                                              \
    X(transpose_x16, "layout", "transposes of 16-bit elements", "f16/transpose:256x256")           \
    E(resize, F16, "layout", "f16 bilinear resize", "f16/resize:28x28x64-56x56")                   \
    X(matmul_qs8, "matmul", "static int8 products, requantised",                                   \
      "qs8/matmul:128x128x128 qs8/matmul:1x1024x1024")                                             \
    X(conv_qs8, "conv", "static int8 convolutions, requantised",                                   \
      "qs8/conv:14x14x64-64-3x3-s1-p1 qs8/conv:28x28x64-64-3x3-s1-p1-g64")                         \
    X(depthwise_qs8, "depthwise", "static int8 depthwise convolutions",                            \
      "qs8/depthwise:28x28x128-3x3-s1-p1 qs8/depthwise:28x28x128-3x3-s2-p1 "                       \
      "qs8/depthwise:28x28x128-5x5-s1-p2 qs8/depthwise:28x28x128-5x5-s2-p2 "                       \
      "qs8/depthwise:28x28x128-7x7-s1-p3 qs8/depthwise:28x28x24-3x3-s1-p1")                        \
    X(pool_qs8, "pool", "static int8 pooling", "qs8/pool:@-56x56x64-2x2-s2-p0")                    \
    X(unary_qs8, "unary", "static int8 functions of one operand, by table", "qs8/unary:@-65536")   \
    X(binary_qs8, "binary", "static int8 functions of two operands", "qs8/binary:@-65536")         \
    X(mean_qs8, "reduce", "static int8 mean", "qs8/reduce:mean-1x49x512")                          \
    E(resize, QS8, "layout", "int8 bilinear resize, as XNNPACK rounds it",                         \
      "qs8/resize:28x28x64-56x56")                                                                 \
    X(transpose_x8, "layout", "transposes of bytes", "qs8/transpose:256x256")                      \
    X(matmul_qd8, "matmul", "products of floats over int8 or int4 weights",                        \
      "matmul_qd8:128x128x128 matmul_qd8:1x1024x1024 matmul_q4:128x128x128 matmul_q4:1x1024x1024") \
    X(convert, "convert", "one element type to another", "convert:@-65536")                        \
    X(quantise, "convert", "rows of floats to int8 with parameters of their own",                  \
      "quantise:64x1024")

enum found { PAST_END, OTHER_ELEMENT, FOUND };

/* sl_<type>_at() of every list, with the name and the needs of what it returns. */
#define ENTRY_AT(function, type, is_wanted, folder, purpose, shapes)                               \
    static enum found function(size_t i, struct sl_kernel_entry *out)                              \
    {                                                                                              \
        const struct sl_##type *kernel = sl_##type##_at(i);                                        \
        if (!kernel || !(is_wanted))                                                               \
            return kernel ? OTHER_ELEMENT : PAST_END;                                              \
        *out =                                                                                     \
            (struct sl_kernel_entry){folder, kernel->name, purpose, kernel->needs, shapes, {0}};   \
        return FOUND;                                                                              \
    }
#define KERNEL_AT(type, folder, purpose, shapes)                                                   \
    ENTRY_AT(type##_at, type, true, folder, purpose, shapes)
#define ELEMENT_AT(type, of, folder, purpose, shapes)                                              \
    ENTRY_AT(type##_##of##_at, type, kernel->element == SL_##of, folder, purpose, shapes)
LISTS(KERNEL_AT, ELEMENT_AT)

bool sl_kernel_list_next(struct sl_kernel_entry *entry)
{
#define ITS_AT(type, folder, purpose, shapes) type##_at,
#define ITS_ELEMENT_AT(type, of, folder, purpose, shapes) type##_##of##_at,
    static enum found (*const lists[])(size_t,
                                       struct sl_kernel_entry *) = {LISTS(ITS_AT, ITS_ELEMENT_AT)};
#undef ITS_AT
#undef ITS_ELEMENT_AT
    size_t at = entry->place.next;
    for (size_t list = entry->place.list; list < sizeof(lists) / sizeof(lists[0]); list++, at = 0) {
        enum found found;
        while ((found = lists[list](at++, entry)) == OTHER_ELEMENT)
            ;
        if (found == FOUND) {
            entry->place.list = list;
            entry->place.next = at;
            return true;
        }
    }
    return false;
}
