/* kernels/binary/binary.h: y[i] = clamp(f(a[i], b[i])) in f32, or in half precision, rounded once.
 * In place is allowed. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/element.h"

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

struct sl_binary_args {
    size_t count;
    const void *a, *b;     /* elements of the kernel's type, as out */
    size_t a_step, b_step; /* 1: dense; 0: one value for all. Not both 0 unless count is 1 */
    void *out;
    float min, max; /* -inf, +inf: no clamp */
};

struct sl_binary {
    const char *name;
    uint32_t needs;
    int element; /* enum sl_element */
    int op;      /* enum sl_binary_op */
    void (*run)(const struct sl_binary_args *args);
};

const struct sl_binary *sl_binary_select(uint32_t isa, int element, int op);
const struct sl_binary *sl_binary_at(size_t i);

/* Every kernel is an object of its own name; the list says which there are. */
#define SL_KERNEL(kernel) extern const struct sl_binary kernel;
#include "kernels/binary/binary.inc"
#undef SL_KERNEL
