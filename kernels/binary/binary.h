/* kernels/binary/binary.h: y[i] = clamp(f(a[i], b[i])) in f32. In place is allowed. */
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
    SL_BINARY_OP_END
};

struct sl_binary_args {
    size_t count;
    const float *a, *b;
    size_t a_step, b_step; /* 1: dense; 0: one value for all. Not both 0 unless count is 1 */
    float *out;
    float min, max; /* -inf, +inf: no clamp */
};

struct sl_binary {
    const char *name;
    uint32_t needs;
    int op; /* enum sl_binary_op */
    void (*run)(const struct sl_binary_args *args);
};

const struct sl_binary *sl_binary_select(uint32_t isa, int op);
const struct sl_binary *sl_binary_at(size_t i);

/* Every kernel is an object of its own name; the list says which there are. */
#define SL_BINARY(kernel) extern const struct sl_binary kernel;
#include "kernels/binary/binary.inc"
#undef SL_BINARY
