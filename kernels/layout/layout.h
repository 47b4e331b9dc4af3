/* kernels/layout/layout.h: moving 32-bit elements about. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SL_LAYOUT_MAX_RANK = 6 };

/* Batches of 2-D transposes: for each b, out[b][c][r] = in[b][r][c]. Other permutations come down
 * to this one and copies through sl_permute_x32(). */
struct sl_transpose_args {
    size_t batch, rows, cols;
    const uint32_t *in; /* element (b, r, c) at b * in_batch_stride + r * in_row_stride + c */
    size_t in_batch_stride, in_row_stride;
    uint32_t *out; /* element (b, c, r) at b * out_batch_stride + c * out_row_stride + r */
    size_t out_batch_stride, out_row_stride;
};

struct sl_transpose {
    const char *name;
    uint32_t needs;
    void (*run)(const struct sl_transpose_args *args);
};

const struct sl_transpose *sl_transpose_select(uint32_t isa);
const struct sl_transpose *sl_transpose_at(size_t i);

/* out = permutation of the dense `in`: output dim j is input dim perm[j]. `dims` are the input's.
 * Runs `kernel` over the innermost two moving dimensions after merging neighbours that stay
 * together; runs that stay whole are copied. */
void sl_permute_x32(const struct sl_transpose *kernel, size_t rank, const size_t *dims,
                    const size_t *perm, const uint32_t *in, uint32_t *out);

/* Does that permutation run a kernel at all, in elements of any size? */
bool sl_permute_transposes(size_t rank, const size_t *dims, const size_t *perm);

/* Every kernel is an object of its own name; the list says which there are. */
#define SL_KERNEL(kernel) extern const struct sl_transpose kernel;
#include "kernels/layout/transpose.inc"
#undef SL_KERNEL
