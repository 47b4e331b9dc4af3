/* agent/runtime/ops/broadcast.c */
#include "agent/runtime/ops/broadcast.h"

#include "agent/runtime/ops/op.h"

int sl_broadcast_sizes(struct sl_op_call *call, unsigned count,
                       const struct sl_tensor *const *tensors, struct sl_tensor *out,
                       struct sl_diag *diag)
{
    int32_t sizes[SL_TENSOR_MAX_RANK];
    uint32_t rank = 0;
    for (unsigned k = 0; k < count; k++)
        rank = tensors[k] && tensors[k]->rank > rank ? tensors[k]->rank : rank;
    for (uint32_t i = 1; i <= rank; i++) { /* from the end */
        int32_t *size = &sizes[rank - i];
        *size = 1;
        for (unsigned k = 0; k < count; k++) {
            const struct sl_tensor *t = tensors[k];
            int32_t own = t && i <= t->rank ? t->sizes[t->rank - i] : 1;
            if (own != *size && own != 1 && *size != 1)
                return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT,
                                  "its inputs do not broadcast");
            *size = *size == 1 ? own : *size;
        }
    }
    return sl_tensor_resize(out, rank, sizes, diag);
}
