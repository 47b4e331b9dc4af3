/* kernels/reduce/mean_qs8.h: means of int8 over a dense [outer][reduced][inner] view, as XNNPACK's
 * reduce-mean and global average pooling compute them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/requant.h"

struct sl_mean_qs8_args {
    size_t outer, reduced, inner; /* reduced below 2^24: sums are 32 bits wide */
    const int8_t *in;
    int8_t *out; /* [outer][inner] */
    float scale; /* input scale / output scale * (1.0f / reduced) */
    int8_t in_zero;
    struct sl_requant_out out_quant;
    void *workspace; /* workspace_bytes(), 64-byte aligned */
};

struct sl_mean_qs8 {
    const char *name;
    uint32_t needs;
    size_t (*workspace_bytes)(size_t inner);
    void (*run)(const struct sl_mean_qs8_args *args);
};

/* Returns the offset that combines the zero points of input and output: y = round(sum * scale +
 * offset), product and sum rounded each. */
float sl_mean_qs8_offset(const struct sl_mean_qs8_args *args);

const struct sl_mean_qs8 *sl_mean_qs8_select(uint32_t isa);
const struct sl_mean_qs8 *sl_mean_qs8_at(size_t i);

/* Every kernel is an object of its own name; the list says which there are. */
#define SL_KERNEL(kernel) extern const struct sl_mean_qs8 kernel;
#include "kernels/reduce/mean_qs8.inc"
#undef SL_KERNEL
