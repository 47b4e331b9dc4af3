/* agent/runtime/ops/registry.c */
#include "agent/runtime/ops/registry.h"

#include <stdio.h>
#include <string.h>

#include "agent/runtime/ops/op.h"

/* The exact ones last: most of their names stand before. */
const struct sl_op *const sl_op_families[] = {
    sl_ops_elementwise, sl_ops_copy,        sl_ops_reduce,
    sl_ops_window,      sl_ops_matmul,      sl_ops_map,
    sl_ops_move,        sl_ops_join,        sl_ops_fold,
    sl_ops_index,       sl_ops_scan,        sl_ops_make,
    sl_ops_plane,       sl_ops_prim,        sl_ops_quant,
    sl_ops_attention,   sl_ops_put,         sl_ops_quant_by,
    sl_ops_remap,       sl_ops_shuffle,     sl_ops_mask,
    sl_ops_distance,    sl_ops_sample,      sl_ops_moments,
    sl_ops_compose,     sl_ops_spectrum,    sl_ops_draw,
    sl_ops_hadamard,    sl_ops_delta,       sl_ops_experts,
    sl_ops_exact_norm,  sl_ops_exact_plane, NULL,
};

enum { DIFFERS = 6, BUCKET_BITS = 7 }; /* behind "aten::" most names differ */

/* By the four characters from there on. */
static inline uint32_t bucket_of(const char *name)
{
    uint32_t letters;
    memcpy(&letters, name + DIFFERS, sizeof(letters));
    return letters * 0x9e3779b1u >> (32 - BUCKET_BITS);
}

/* Every name of the bucket that is this operator's and has none yet gets it; returns how many. */
static uint32_t give(const struct sl_op *op, const struct sl_pte_operator *wanted, uint32_t first,
                     const uint32_t *next, const struct sl_op **out)
{
    uint32_t given = 0;
    for (uint32_t i = first; i != 0; i = next[i - 1])
        if (!out[i - 1] && strcmp(wanted[i - 1].name, op->name) == 0) {
            out[i - 1] = op;
            given++;
        }
    return given;
}

void sl_ops_find(const struct sl_pte_operator *wanted, uint32_t count, uint32_t *next,
                 const struct sl_op **out)
{
    uint32_t first[1 << BUCKET_BITS] = {0}, left = 0; /* places from 1 on; 0 ends */
    for (uint32_t i = 0; i < count; i++) {
        out[i] = NULL;
        if (strlen(wanted[i].name) < SL_OP_SHORTEST_NAME)
            continue;
        uint32_t *bucket = &first[bucket_of(wanted[i].name)];
        next[i] = *bucket;
        *bucket = i + 1;
        left++;
    }
    for (const struct sl_op *const *family = sl_op_families; *family; family++)
        for (const struct sl_op *op = *family; op->name && left != 0; op++) {
            uint32_t i = first[bucket_of(op->name)];
            if (i != 0)
                left -= give(op, wanted, i, next, out);
        }
}

void sl_op_event_name(const struct sl_op *op, char *out, size_t size)
{
    const char *name = strstr(op->name, "::");
    if (op->event || strncmp(op->name, "llama::", 7) == 0)
        snprintf(out, size, "%s", op->event ? op->event : op->name);
    else
        snprintf(out, size, "native_call_%s", name ? name + 2 : op->name);
}
