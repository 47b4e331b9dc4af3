/* agent/probe/kernel_list.c */
#include "agent/probe/kernel_list.h"

#include <stddef.h>

#include "kernels/binary/binary.h"
#include "kernels/conv/conv.h"
#include "kernels/depthwise/depthwise.h"
#include "kernels/layout/layout.h"
#include "kernels/matmul/matmul.h"
#include "kernels/pool/pool.h"
#include "kernels/reduce/reduce.h"
#include "kernels/unary/unary.h"

#define VISIT(family, type)                                                                        \
    for (size_t i = 0; sl_##type##_at(i); i++)                                                     \
    visit(user, family, sl_##type##_at(i)->name, sl_##type##_at(i)->needs)

void sl_kernel_list_visit(sl_kernel_list_fn visit, void *user)
{
    VISIT("matmul", matmul);
    VISIT("conv", conv);
    VISIT("depthwise", depthwise);
    VISIT("pool", pool);
    VISIT("unary", unary);
    VISIT("binary", binary);
    VISIT("reduce", reduce);
    VISIT("layout", transpose);
}
