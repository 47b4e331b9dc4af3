/* kernels/layout/repeat.h: every element several times in a row, as depthwise convolutions with a
 * multiplier read their channels. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sl_repeat {
    const char *name;
    uint32_t needs; /* enum sl_isa bits */
    /* out[i * times + j] = in[i], i < count, j < times: elements of 1, 2 or 4 bytes, aligned to
     * them; `times` is at least 1. The memories do not overlap. */
    void (*run)(size_t count, size_t element_bytes, size_t times, const void *in, void *out);
};

const struct sl_repeat *sl_repeat_select(uint32_t isa);
const struct sl_repeat *sl_repeat_at(size_t i);

/* Every kernel is an object of its own name; the list says which there are. */
#define SL_KERNEL(kernel) extern const struct sl_repeat kernel;
#include "kernels/layout/repeat.inc"
#undef SL_KERNEL
