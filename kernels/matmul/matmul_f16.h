/* kernels/matmul/matmul_f16.h: y = clamp(x * w^T + bias) in half precision, weights packed once:
 * matmul.h with other elements.
 *
 * Sums are in f32 and rounded once, but for NEON kernels, which add in half precision (as XNNPACK
 * does): their error grows with k, to 2 ulp * sqrt(k) of the largest value. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_matmul_f16_args {
    size_t m, n, k;
    const uint16_t *lhs; /* [m][k] */
    size_t lhs_stride;   /* elements from row to row */
    const void *rhs;     /* as pack_rhs() left it */
    uint16_t *dst;       /* [m][n] */
    size_t dst_stride;
    float min, max;  /* -inf, +inf: no clamp */
    void *workspace; /* workspace_bytes(), 64-byte aligned */
};

/* One kernel with its packing. Functions of SME2 kernels enter and leave streaming mode themselves,
 * once a call. */
struct sl_matmul_f16 {
    const char *name;
    uint32_t needs;                          /* enum sl_isa bits */
    size_t (*m_step)(void), (*n_step)(void); /* rows and columns of one block */
    /* Packed weights; the bias is folded in. `transposed`: rhs is [k][n] instead of [n][k]. Done
     * once, at load. `packed` is 64-byte aligned. `bias` may be NULL. */
    size_t (*rhs_bytes)(size_t n, size_t k);
    void (*pack_rhs)(size_t n, size_t k, const uint16_t *rhs, bool transposed, const uint16_t *bias,
                     void *packed);
    /* Workspace of run(): the packed left operand; 0 when lhs is read in place. */
    size_t (*workspace_bytes)(size_t m, size_t n, size_t k);
    /* The two halves of run(), for benchmarks and callers that pack otherwise; NULL when lhs is
     * read in place. */
    void (*pack_lhs)(size_t m, size_t k, const uint16_t *lhs, size_t lhs_stride, void *packed);
    void (*run_packed)(const struct sl_matmul_f16_args
                           *args); /* args->workspace holds the packed lhs; args->lhs is not read */
    void (*run)(const struct sl_matmul_f16_args *args);
    bool gemv; /* serves m == 1 only, and is preferred there */
};

/* The first kernel of the list whose needs `isa` meets; kernels with `gemv` only when `max_m` is 1.
 * Never NULL. */
const struct sl_matmul_f16 *sl_matmul_f16_select(uint32_t isa, size_t max_m);

/* The i-th kernel of the list, NULL past its end: for tests and benchmarks. */
const struct sl_matmul_f16 *sl_matmul_f16_at(size_t i);

/* Every kernel is an object of its own name; the list says which there are. */
#define SL_MATMUL_F16(kernel) extern const struct sl_matmul_f16 kernel;
#include "kernels/matmul/matmul_f16.inc"
#undef SL_MATMUL_F16
