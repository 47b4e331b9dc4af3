/* host/inspect/build.h: the parts of sl_inspect_new(), one file a source of nodes. */
#pragma once

#include <stdint.h>

#include "host/inspect/inspect.h"

struct sl_xnn_graph;

#define SL_INSPECT_NO_NODE UINT32_MAX

/* While a method is read. */
struct sl_inspect_build {
    struct sl_inspect *inspect;
    uint32_t method, chain, instruction;
    uint32_t *writer; /* node that wrote each value of the plan last, or SL_INSPECT_NO_NODE */
};

/* A new node of the current instruction: 0, SL_E_LIMIT or -ENOMEM. */
int sl_inspect_add(struct sl_inspect_build *b, struct sl_inspect_node **out, struct sl_diag *diag);
/* Notes that `node` reads what `from` wrote; SL_INSPECT_NO_NODE and doubles are left out. */
void sl_inspect_link(struct sl_inspect_node *node, uint32_t from);

/* When the node's operands are filled in: their words, and multiply-accumulates as
 * sl_operands_finish() counts them. */
void sl_inspect_describe(struct sl_inspect_node *node, bool turned);

/* Bytes of a tensor, 0 for types without a size. */
uint64_t sl_inspect_tensor_bytes(const struct sl_pte_tensor *tensor);

/* node_call.c: the operator of a KERNEL_CALL. */
int sl_inspect_call(struct sl_inspect_build *b, const struct sl_pte_instruction *instruction,
                    struct sl_diag *diag);
/* node_xnn.c: the nodes of a DELEGATE_CALL. */
int sl_inspect_graph(struct sl_inspect_build *b, const struct sl_pte_instruction *instruction,
                     const struct sl_xnn_graph *graph, struct sl_diag *diag);
