/* kernels/matmul/matmul_qs8.h: y = clamp(requantised(x * w^T + bias)), static int8, weights packed
 * once.
 *
 * x is [m][k] int8 with one zero point, w is [n][k] (or [k][n]) int8 without one, bias is [n] int32
 * or absent, y is [m][n] int8; a scale for each column. All strides count elements.
 * kernels/cpu/requant.h says the arithmetic; all kernels give the same bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/requant.h"

struct sl_matmul_qs8_args {
    size_t m, n, k;
    const int8_t *lhs; /* [m][k] */
    size_t lhs_stride; /* elements from row to row */
    const void *rhs;   /* as pack_rhs() left it */
    int8_t *dst;       /* [m][n] */
    size_t dst_stride;
    struct sl_requant_out out;
    void *workspace; /* workspace_bytes(), 64-byte aligned */
};

/* One kernel with its packing. Members as of struct sl_matmul (matmul.h). */
struct sl_matmul_qs8 {
    const char *name;
    uint32_t needs; /* enum sl_isa bits */
    size_t (*m_step)(void), (*n_step)(void);
    /* Bias, scales and the input's zero point are folded in. */
    size_t (*rhs_bytes)(size_t n, size_t k);
    void (*pack_rhs)(size_t n, size_t k, const int8_t *rhs, bool transposed,
                     const struct sl_requant *requant, void *packed);
    size_t (*workspace_bytes)(size_t m, size_t n, size_t k);
    void (*pack_lhs)(size_t m, size_t k, const int8_t *lhs, size_t lhs_stride, void *packed);
    void (*run_packed)(const struct sl_matmul_qs8_args *args);
    void (*run)(const struct sl_matmul_qs8_args *args);
    bool gemv; /* serves m == 1 only, and is preferred there */
};

/* The first kernel of the list whose needs `isa` meets, for products of up to `max_m` rows of n by
 * k; kernels with `gemv` only when that is 1. Never NULL. */
const struct sl_matmul_qs8 *sl_matmul_qs8_select(uint32_t isa, size_t max_m, size_t n, size_t k);

/* The i-th kernel of the list, NULL past its end. */
const struct sl_matmul_qs8 *sl_matmul_qs8_at(size_t i);

/* Every kernel is an object of its own name; the list says which there are. */
#define SL_KERNEL(kernel) extern const struct sl_matmul_qs8 kernel;
#include "kernels/matmul/matmul_qs8.inc"
#undef SL_KERNEL
