/* kernels/matmul/matmul_bf16.h: y = clamp(x * w^T + bias) of bfloat16 operands in f32, weights
 * packed once: matmul.h with other elements. Sums are in f32. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_matmul_bf16_args {
    size_t m, n, k;
    const void *lhs; /* [m][k]: bfloat16, or f32 that is rounded to it first */
    bool lhs_is_f32;
    size_t lhs_stride; /* elements from row to row */
    const void *rhs;   /* as pack_rhs() left it */
    float *dst;        /* [m][n] */
    size_t dst_stride;
    float min, max;  /* -inf, +inf: no clamp */
    void *workspace; /* workspace_bytes(), 64-byte aligned */
};

/* The fields mean what they mean in matmul.h. */
struct sl_matmul_bf16 {
    const char *name;
    uint32_t needs; /* enum sl_isa bits */
    size_t (*m_step)(void), (*n_step)(void);
    /* rhs is [n][k], or [k][n] when `transposed`; bias [n] or NULL. */
    size_t (*rhs_bytes)(size_t n, size_t k);
    void (*pack_rhs)(size_t n, size_t k, const uint16_t *rhs, bool transposed, const float *bias,
                     void *packed);
    size_t (*workspace_bytes)(size_t m, size_t n, size_t k);
    /* The two halves of run(); NULL when lhs is read in place. pack_lhs() reads m, k and the lhs
     * and writes the workspace. */
    void (*pack_lhs)(const struct sl_matmul_bf16_args *args);
    void (*run_packed)(const struct sl_matmul_bf16_args *args);
    void (*run)(const struct sl_matmul_bf16_args *args);
    bool gemv; /* serves m == 1 only, and is preferred there */
};

/* The first kernel of the list whose needs `isa` meets; kernels with `gemv` only when `max_m` is 1.
 * Never NULL. */
const struct sl_matmul_bf16 *sl_matmul_bf16_select(uint32_t isa, size_t max_m);
const struct sl_matmul_bf16 *sl_matmul_bf16_at(size_t i);

/* Every kernel is an object of its own name; the list says which there are. */
#define SL_KERNEL(kernel) extern const struct sl_matmul_bf16 kernel;
#include "kernels/matmul/matmul_bf16.inc"
#undef SL_KERNEL
