/* kernels/unary/unary_f16.h: y[i] = f(x[i]) in half precision, for the operators of unary.h. In
 * place is allowed. Computed in f32 and rounded once: over all 65,536 halves no kernel is more than
 * 0.51 ulp from the exact result, GELU among them, but hard-swish in SME2 and in NEON that computes
 * with halves, which is 2.2: it rounds thrice, to the bit as XNNPACK does. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernels/unary/unary.h"

struct sl_unary_f16 {
    const char *name;
    uint32_t needs;
    int op; /* enum sl_unary_op */
    void (*run)(size_t count, const uint16_t *in, uint16_t *out, float a, float b);
};

const struct sl_unary_f16 *sl_unary_f16_select(uint32_t isa, int op);
const struct sl_unary_f16 *sl_unary_f16_at(size_t i);

/* As sl_unary_most_ulp(), of halves, over all of them. */
double sl_unary_f16_most_ulp(const struct sl_unary_f16 *kernel);

/* Every kernel is an object of its own name; the list says which there are. */
#define SL_UNARY_F16(kernel) extern const struct sl_unary_f16 kernel;
#include "kernels/unary/unary_f16.inc"
#undef SL_UNARY_F16
