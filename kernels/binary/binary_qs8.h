/* kernels/binary/binary_qs8.h: y[i] = clamp(f(a[i], b[i])) in int8, in XNNPACK's fixed point. In
 * place is allowed. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernels/binary/binary.h"
#include "kernels/cpu/requant.h"

/* How sums and products come back to int8, made once by sl_binary_qs8_prepare():
 * ADD, SUBTRACT: y = ((a - a_zero) * a_multiplier + (b - b_zero) * b_multiplier) rounded off by
 *   `shift` bits, ties up, + zero
 * MULTIPLY: y = the high half of 2 * (((a - a_zero) * (b - b_zero)) << pre_shift) * multiplier,
 * rounded off by `shift` bits, ties up, + zero. This is what XNNPACK does on Arm; elsewhere it
 * multiplies in f32, and may differ by one where a product lies next to a tie. */
struct sl_binary_qs8_plan {
    int32_t a_zero, b_zero;
    int32_t a_multiplier, b_multiplier; /* MULTIPLY: a_multiplier only */
    int32_t pre_shift, shift;
};

struct sl_binary_qs8_args {
    size_t count;
    const int8_t *a, *b;
    size_t a_step, b_step; /* 1: dense; 0: one value for all. Not both 0 unless count is 1 */
    int8_t *out;
    struct sl_binary_qs8_plan plan;
    struct sl_requant_out out_quant;
};

struct sl_binary_qs8 {
    const char *name;
    uint32_t needs;
    int op; /* SL_BINARY_ADD (which subtracts too) or SL_BINARY_MULTIPLY */
    void (*run)(const struct sl_binary_qs8_args *args);
};

struct sl_quant_scale {
    float scale;
    int32_t zero;
};

/* `op` is SL_BINARY_ADD, SUBTRACT or MULTIPLY. Returns 0, -1 for other operators and for scales
 * whose ratio XNNPACK refuses. */
int sl_binary_qs8_prepare(int op, struct sl_quant_scale a, struct sl_quant_scale b, float out_scale,
                          struct sl_binary_qs8_plan *out);

/* `op` as above. Never NULL for those. */
const struct sl_binary_qs8 *sl_binary_qs8_select(uint32_t isa, int op);
const struct sl_binary_qs8 *sl_binary_qs8_at(size_t i);

/* Every kernel is an object of its own name; the list says which there are. */
#define SL_KERNEL(kernel) extern const struct sl_binary_qs8 kernel;
#include "kernels/binary/binary_qs8.inc"
#undef SL_KERNEL
