/* kernels/matmul/matmul_qd8.h: y = clamp(x * w^T + bias) with x quantised row by row to int8 on the
 * way in, over int8 or int4 weights packed once; f32 or f16 out.
 *
 * With q and z of a row as kernels/convert/quantise.h has them, and all sums in int32:
 *   int8, and int4 by channel: y = fma((sum((q - z) * w)) * row_scale, scale[n], bias)
 *   int4 in groups along k:    y = fma(t, row_scale, bias), where t is -z * sum over groups of
 *     scale * sum(w), then fma(scale, sum(q * w), t) of group after group.
 * That is what XNNPACK computes; every kernel gives the same bits. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/convert/quantise.h"

/* Weights as a model holds them; borrowed by pack_rhs(). */
struct sl_weights_qd8 {
    size_t n, k;
    const void *data;  /* int8_t [n][k]; or nibbles [n][(k + 1) / 2], the even k low, value + 8 */
    bool transposed;   /* int8 only: [k][n] */
    const void *scale; /* float [n]; of groups [n][k / group], float or bfloat16 as uint16_t */
    bool scale_bf16;   /* groups only */
    size_t group;      /* int4: 0 by channel; else 32, 64, ..., and divides k */
    const float *bias; /* [n] or NULL */
};

struct sl_matmul_qd8_args {
    size_t m, n, k;
    size_t group;       /* of the weights */
    struct sl_rows lhs; /* [m][k]; not read by run_packed() */
    const void *rhs;    /* as pack_rhs() left it */
    void *dst;          /* [m][n] */
    int dst_type;       /* SL_ROWS_F32 or SL_ROWS_F16 */
    size_t dst_stride;  /* elements */
    float min, max;     /* -inf, +inf: no clamp. A NaN may stay or become min or max */
    void *workspace;    /* workspace_bytes(), 64-byte aligned */
};

/* One kernel with its packing. Functions of SME2 kernels enter and leave streaming mode themselves,
 * once a call. */
struct sl_matmul_qd8 {
    const char *name;
    uint32_t needs;                          /* enum sl_isa bits */
    bool q4;                                 /* int4 weights; otherwise int8 */
    bool gemv;                               /* serves m == 1 only, and is preferred there */
    const void *engine;                      /* the kernel's own */
    size_t (*m_step)(void), (*n_step)(void); /* rows and columns of one block */
    /* Packed weights, 64-byte aligned; scales and bias are in it. Once, at load. */
    size_t (*rhs_bytes)(const struct sl_matmul_qd8 *self, size_t n, size_t k, size_t group);
    void (*pack_rhs)(const struct sl_matmul_qd8 *self, const struct sl_weights_qd8 *weights,
                     void *packed);
    /* Workspace of run() and run_packed(); it begins with the packed left operand. */
    size_t (*workspace_bytes)(const struct sl_matmul_qd8 *self, size_t m, size_t n, size_t k);
    /* The two halves of run(). What pack_lhs() leaves serves every kernel run with the same m and
     * k, so several products can share it. */
    void (*pack_lhs)(const struct sl_matmul_qd8 *self, size_t m, size_t k,
                     const struct sl_rows *lhs, void *workspace);
    void (*run_packed)(const struct sl_matmul_qd8 *self, const struct sl_matmul_qd8_args *args);
    void (*run)(const struct sl_matmul_qd8 *self, const struct sl_matmul_qd8_args *args);
};

/* The first kernel of the list whose needs `isa` meets, for products of up to `max_m` rows of n by
 * k; kernels with `gemv` only when that is 1. Never NULL. */
const struct sl_matmul_qd8 *sl_matmul_qd8_select(uint32_t isa, size_t max_m, size_t n, size_t k);
const struct sl_matmul_qd8 *sl_matmul_q4_select(uint32_t isa, size_t max_m, size_t n, size_t k);

/* The i-th kernel of the list, int8 before int4, NULL past its end: for tests and benchmarks. */
const struct sl_matmul_qd8 *sl_matmul_qd8_at(size_t i);

/* Every kernel is an object of its own name; the list says which there are. */
#define SL_KERNEL(kernel) extern const struct sl_matmul_qd8 kernel;
#include "kernels/matmul/matmul_qd8.inc"
#undef SL_KERNEL
