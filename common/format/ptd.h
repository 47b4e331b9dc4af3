/* common/format/ptd.h: reader of ExecuTorch's external tensor data (.ptd, identifier FT01).
 * Source of the format: ExecuTorch 1.5 extension/flat_tensor/serialize. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"

struct sl_diag;
struct sl_arena;

struct sl_ptd_entry {
    const char *key;
    struct sl_bytes data;     /* the whole segment */
    bool is_tensor;           /* the rest counts */
    int scalar_type;          /* enum sl_scalar_type */
    uint32_t rank;            /* at most SL_TENSOR_MAX_RANK */
    const int32_t *sizes;     /* none negative */
    const uint8_t *dim_order; /* permutation of 0..rank-1 */
};

struct sl_ptd {
    uint32_t count;
    const struct sl_ptd_entry *entries;
    struct sl_arena *pool; /* owns the arrays */
};

/* Parses a whole file, which is borrowed and must outlive `out`; end that with sl_ptd_fini().
 * Ranges, shapes and permutations are checked. Returns as sl_pte_parse() does. */
int sl_ptd_parse(struct sl_bytes file, struct sl_ptd *out, struct sl_diag *diag);
void sl_ptd_fini(struct sl_ptd *ptd);

/* Exact match of the key, or NULL. */
const struct sl_ptd_entry *sl_ptd_find(const struct sl_ptd *ptd, const char *key);
