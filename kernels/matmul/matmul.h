/* kernels/matmul/matmul.h: y = clamp(x * w^T + bias) in f32 or half precision, or in f32 of
 * bfloat16 operands; weights packed once.
 *
 * x is [m][k] with a row stride, w is [n][k] (or [k][n]), bias is [n] or absent, y is [m][n] with a
 * row stride. All strides count elements.
 *
 * Sums of halves are in f32 and rounded once, but for NEON kernels, which add in half precision (as
 * XNNPACK does): their error grows with k, to 2 ulp * sqrt(k) of the largest value. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/element.h"

struct sl_matmul_args {
    size_t m, n, k;
    const void *lhs;   /* [m][k], elements of the kernel's type */
    size_t lhs_stride; /* elements from row to row */
    const void *rhs;   /* as pack_rhs() left it */
    void *dst;         /* [m][n] */
    size_t dst_stride;
    float min, max;  /* -inf, +inf: no clamp */
    void *workspace; /* workspace_bytes(), 64-byte aligned */
    bool lhs_is_f32; /* SL_BF16 only: lhs is f32 that is rounded first */
};

/* One kernel with its packing. Functions of SME2 kernels enter and leave streaming mode themselves,
 * once a call. */
struct sl_matmul {
    const char *name;
    uint32_t needs;                          /* enum sl_isa bits */
    int element;                             /* enum sl_element: of lhs and rhs; SL_BF16 has f32
                                                biases and results, others their own */
    size_t (*m_step)(void), (*n_step)(void); /* rows and columns of one block */
    /* Packed weights; the bias is folded in. `transposed`: rhs is [k][n] instead of [n][k]. Done
     * once, at load. `packed` is 64-byte aligned. `bias` may be NULL. */
    size_t (*rhs_bytes)(size_t n, size_t k);
    void (*pack_rhs)(size_t n, size_t k, const void *rhs, bool transposed, const void *bias,
                     void *packed);
    /* Workspace of run(): the packed left operand; 0 when lhs is read in place. */
    size_t (*workspace_bytes)(size_t m, size_t n, size_t k);
    /* The two halves of run(), for benchmarks and callers that pack otherwise; NULL when lhs is
     * read in place. pack_lhs() reads m, k and the lhs and writes the workspace, which is all that
     * run_packed() reads of the lhs. */
    void (*pack_lhs)(const struct sl_matmul_args *args);
    void (*run_packed)(const struct sl_matmul_args *args);
    void (*run)(const struct sl_matmul_args *args);
    bool gemv; /* serves m == 1 only, and is preferred there */
};

/* The first kernel of the element in the list whose needs `isa` meets, for products of up to
 * `max_m` rows of n by k; kernels with `gemv` only when that is 1. Never NULL. */
const struct sl_matmul *sl_matmul_select(uint32_t isa, int element, size_t max_m, size_t n,
                                         size_t k);

/* The i-th kernel of the list, NULL past its end: for tests and benchmarks. */
const struct sl_matmul *sl_matmul_at(size_t i);

/* Every kernel is an object of its own name; the list says which there are. */
#define SL_KERNEL(kernel) extern const struct sl_matmul kernel;
#include "kernels/matmul/matmul.inc"
#undef SL_KERNEL
