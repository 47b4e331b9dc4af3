/* kernels/cpu/element.h: in which type operands lie in memory. */
#pragma once

#include <stddef.h>

enum sl_element { SL_F32, SL_F16, SL_BF16, SL_QS8 };

/* Bytes of one; `element` is one of these. */
static inline size_t sl_element_bytes(int element)
{
    return element == SL_F32 ? 4 : element == SL_QS8 ? 1 : 2;
}
