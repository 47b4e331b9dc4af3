/* kernels/layout/stride.h: elements that lie apart, or one before the other, side by side. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sl_stride {
    const char *name;
    uint32_t needs;          /* enum sl_isa bits */
    size_t vector, farthest; /* bytes it takes at once, up to which step; beyond, one by one */
    /* out[i] = in[i * step], i < count: elements of 1, 2, 4 or 8 bytes, aligned to them. `step` may
     * be negative. Memory between elements that are read may be read, none beyond them. */
    void (*run)(size_t count, size_t element_bytes, ptrdiff_t step, const void *in, void *out);
};

/* Returns the fastest kernel for such a run; any kernel takes every run. */
const struct sl_stride *sl_stride_select(uint32_t isa, size_t count, size_t element_bytes,
                                         ptrdiff_t step);
const struct sl_stride *sl_stride_at(size_t i);

/* Every kernel is an object of its own name; the list says which there are. */
#define SL_STRIDE(kernel) extern const struct sl_stride kernel;
#include "kernels/layout/stride.inc"
#undef SL_STRIDE
