/* kernels/cpu/small.h: which products and convolutions are the small classes of a policy
 * (policy.h).
 *
 * Small is [m][k] by [k][n] with few multiply-adds, with few rows or columns of a tile in use (of
 * bf16, which NEON multiplies by matrices, too), a single row of f16, which NEON multiplies in a
 * third of f32's time, or, of several int8 rows, with short sums. There the way into streaming
 * mode, what the tile leaves empty, or what is done to each sum takes longer than the core needs
 * for the whole (configs/silicon/README.md). The host reads it too: it says why an operator ran on
 * NEON.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum {
    SL_POLICY_SMALL_MACS = 8192,
    SL_POLICY_SMALL_INT8_MACS = 65536, /* with several rows: they may be quantised first */
    SL_POLICY_FEW = 8,
    SL_POLICY_FEW_COLUMNS = 16, /* of one row, of bf16 and of int8 */
    SL_POLICY_SHORT_SUM = 64, /* of int8 rows: what is done to each sum takes longer than the sum */
};

static inline bool sl_policy_few_macs(size_t m, size_t n, size_t k)
{
    return (double)m * (double)n * (double)k < (double)SL_POLICY_SMALL_MACS;
}

static inline bool sl_policy_small(size_t m, size_t n, size_t k)
{
    return sl_policy_few_macs(m, n, k) || n < (m > 1 ? SL_POLICY_FEW : SL_POLICY_FEW_COLUMNS);
}

static inline bool sl_policy_small_f16(size_t m, size_t n, size_t k)
{
    return m == 1 || sl_policy_small(m, n, k);
}

static inline bool sl_policy_small_bf16(size_t m, size_t n, size_t k)
{
    bool rows = m > 1 && m <= SL_POLICY_FEW;
    return rows || n < SL_POLICY_FEW_COLUMNS || sl_policy_few_macs(m, n, k);
}

static inline bool sl_policy_small_int8(size_t m, size_t n, size_t k)
{
    bool rows = m > 1 && (m < SL_POLICY_FEW || k <= SL_POLICY_SHORT_SUM ||
                          (double)m * (double)n * (double)k < (double)SL_POLICY_SMALL_INT8_MACS);
    return rows || n < SL_POLICY_FEW_COLUMNS || sl_policy_few_macs(m, n, k);
}
