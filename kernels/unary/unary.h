/* kernels/unary/unary.h: y[i] = f(x[i]) in f32. In place is allowed (out == in). */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum sl_unary_op { SL_UNARY_CLAMP }; /* min(max(x, a), b); a NaN stays */

struct sl_unary {
    const char *name;
    uint32_t needs;
    int op; /* enum sl_unary_op */
    void (*run)(size_t count, const float *in, float *out, float a, float b);
};

const struct sl_unary *sl_unary_select(uint32_t isa, int op);
const struct sl_unary *sl_unary_at(size_t i);

/* Every kernel is an object of its own name; the list says which there are. */
#define SL_UNARY(kernel) extern const struct sl_unary kernel;
#include "kernels/unary/unary.inc"
#undef SL_UNARY
