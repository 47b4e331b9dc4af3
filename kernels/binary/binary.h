/* kernels/binary/binary.h: y[i] = clamp(f(a[i], b[i])) in f32, or in half precision, rounded once.
 * In place is allowed. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum sl_binary_op {
    SL_BINARY_ADD,
    SL_BINARY_SUBTRACT,
    SL_BINARY_MULTIPLY,
    SL_BINARY_DIVIDE,
    SL_BINARY_MAXIMUM,
    SL_BINARY_MINIMUM,
    SL_BINARY_PRELU, /* a < 0 ? a * b : a */
    SL_BINARY_EQUAL, /* 1 where it is so, else 0; so the others: a != b, a < b, a <= b */
    SL_BINARY_UNEQUAL,
    SL_BINARY_LESS,
    SL_BINARY_ATMOST,
    SL_BINARY_KEEP, /* a != 0 ? b : -0, */
    SL_BINARY_DROP, /* a == 0 ? b : -0: the sum of one of each is a choice, to the bit */
    SL_BINARY_OP_END
};

#define SL_TEMPLATE "kernels/binary/binary_head.inc"
#include "kernels/cpu/floats.inc"
