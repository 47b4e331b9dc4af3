/* kernels/layout/layout_x16.h: moving 16-bit elements about: layout.h with other elements. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernels/layout/layout.h"

/* Batches of 2-D transposes: for each b, out[b][c][r] = in[b][r][c]. Other permutations come down
 * to this one and copies through sl_permute_x16(). */
struct sl_transpose_x16_args {
    size_t batch, rows, cols;
    const uint16_t *in; /* element (b, r, c) at b * in_batch_stride + r * in_row_stride + c */
    size_t in_batch_stride, in_row_stride;
    uint16_t *out; /* element (b, c, r) at b * out_batch_stride + c * out_row_stride + r */
    size_t out_batch_stride, out_row_stride;
};

struct sl_transpose_x16 {
    const char *name;
    uint32_t needs;
    void (*run)(const struct sl_transpose_x16_args *args);
};

const struct sl_transpose_x16 *sl_transpose_x16_select(uint32_t isa);
const struct sl_transpose_x16 *sl_transpose_x16_at(size_t i);

/* out = permutation of the dense `in`: output dim j is input dim perm[j]. `dims` are the input's.
 * Runs `kernel` over the innermost two moving dimensions after merging neighbours that stay
 * together; runs that stay whole are copied. */
void sl_permute_x16(const struct sl_transpose_x16 *kernel, size_t rank, const size_t *dims,
                    const size_t *perm, const uint16_t *in, uint16_t *out);

/* Every kernel is an object of its own name; the list says which there are. */
#define SL_KERNEL(kernel) extern const struct sl_transpose_x16 kernel;
#include "kernels/layout/transpose_x16.inc"
#undef SL_KERNEL
