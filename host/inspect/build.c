/* host/inspect/build.c */
#include "host/inspect/build.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/base/saturate.h"
#include "common/format/scalar_type.h"

void sl_inspect_describe(struct sl_inspect_node *node, bool turned)
{
    sl_operands_finish(&node->operands, node->kind, turned);
    sl_operands_words(&node->operands, node->shape, sizeof(node->shape));
    sl_dims_words(&node->operands.out, node->out_shape, sizeof(node->out_shape));
}

uint64_t sl_inspect_tensor_bytes(const struct sl_pte_tensor *tensor)
{
    uint64_t bytes = sl_scalar_size(tensor->scalar_type);
    for (uint32_t i = 0; i < tensor->rank; i++)
        bytes = sl_times(bytes, (uint64_t)tensor->sizes[i]);
    return bytes;
}

int sl_inspect_add(struct sl_inspect_build *b, struct sl_inspect_node **out, struct sl_diag *diag)
{
    struct sl_inspect *inspect = b->inspect;
    if (inspect->node_count == SL_INSPECT_MAX_NODES)
        return sl_diag_set(diag, SL_E_LIMIT, NULL, "more than %d operators", SL_INSPECT_MAX_NODES);
    if (inspect->node_count == inspect->node_room) {
        uint32_t room = inspect->node_room ? 2 * inspect->node_room : 64;
        void *nodes = sl_realloc(inspect->nodes, room, sizeof(*inspect->nodes));
        if (!nodes)
            return sl_diag_set(diag, -ENOMEM, NULL, "memory is short");
        inspect->nodes = nodes;
        inspect->node_room = room;
    }
    struct sl_inspect_node *node = &inspect->nodes[inspect->node_count++];
    *node = (struct sl_inspect_node){.method = b->method,
                                     .chain = b->chain,
                                     .instruction = b->instruction,
                                     .delegate = -1,
                                     .type = "",
                                     .batch = 1,
                                     .taps = 1,
                                     .why = SL_WHY_UNKNOWN};
    *out = node;
    return 0;
}

void sl_inspect_link(struct sl_inspect_node *node, uint32_t from)
{
    for (uint32_t i = 0; i < node->from_count; i++)
        if (node->from[i] == from)
            return;
    if (from != SL_INSPECT_NO_NODE && node->from_count < SL_INSPECT_MAX_FROM)
        node->from[node->from_count++] = from;
}
