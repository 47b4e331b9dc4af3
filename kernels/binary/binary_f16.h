/* kernels/binary/binary_f16.h: y[i] = clamp(f(a[i], b[i])) in half precision, rounded once, for the
 * operators of binary.h. In place is allowed. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernels/binary/binary.h"

struct sl_binary_f16_args {
    size_t count;
    const uint16_t *a, *b;
    size_t a_step, b_step; /* 1: dense; 0: one value for all. Not both 0 unless count is 1 */
    uint16_t *out;
    float min, max; /* -inf, +inf: no clamp */
};

struct sl_binary_f16 {
    const char *name;
    uint32_t needs;
    int op; /* enum sl_binary_op */
    void (*run)(const struct sl_binary_f16_args *args);
};

const struct sl_binary_f16 *sl_binary_f16_select(uint32_t isa, int op);
const struct sl_binary_f16 *sl_binary_f16_at(size_t i);

/* Every kernel is an object of its own name; the list says which there are. */
#define SL_BINARY_F16(kernel) extern const struct sl_binary_f16 kernel;
#include "kernels/binary/binary_f16.inc"
#undef SL_BINARY_F16
