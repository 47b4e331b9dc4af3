/* agent/runtime/ops/registry.c: operators by name. */
#include <string.h>

#include "agent/runtime/ops/op.h"

/* Ours are all longer than "aten::", behind which most of them differ. */
static bool is_named(const struct sl_op *op, const char *name, size_t len)
{
    enum { DIFFERS = 6 };
    return len > DIFFERS && op->name[DIFFERS] == name[DIFFERS] && strcmp(op->name, name) == 0;
}

const struct sl_op *sl_op_find(const char *name)
{
    size_t len = strlen(name);
    static const struct sl_op *const families[] = {
        sl_ops_elementwise, sl_ops_copy,        sl_ops_reduce,   sl_ops_window,  sl_ops_matmul,
        sl_ops_map,         sl_ops_move,        sl_ops_join,     sl_ops_fold,    sl_ops_index,
        sl_ops_scan,        sl_ops_make,        sl_ops_plane,    sl_ops_prim,    sl_ops_quant,
        sl_ops_attention,   sl_ops_put,         sl_ops_quant_by, sl_ops_remap,   sl_ops_shuffle,
        sl_ops_mask,        sl_ops_distance,    sl_ops_sample,   sl_ops_moments, sl_ops_compose,
        sl_ops_exact_norm,  sl_ops_exact_plane,
    }; /* the exact ones last: most of their names stand before */
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
        for (const struct sl_op *op = families[i]; op->name; op++)
            if (is_named(op, name, len))
                return op;
    return NULL;
}
