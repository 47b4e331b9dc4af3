/* agent/runtime/xnn/delegate.h: one XNNPACK delegate of one variant, as a plan of kernel steps.
 *
 * Built once from the serialized graph (nodes.c, rewrite.c), shaped when input shapes change
 * (infer.c, lower.c, layout.c), bound when addresses do, then run operator by operator. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "agent/runtime/kept_out.h"
#include "common/base/bytes.h"

struct sl_budget;
struct sl_diag;
struct sl_model;
struct sl_tensor;
struct sl_weight_store;
struct sl_xnn_graph;
struct sl_xnn_plan;

/* The instructions that kernels may use; `kept` (borrowed, NULL: none) names nodes of the delegate
 * called at `place` that stay out of streaming mode. */
struct sl_xnn_allowed {
    uint32_t isa;
    const struct sl_kept_out *kept;
    struct sl_kept_place place;
};

/* Parses the blob, resolves constants, rewrites the graph and shapes it for the serialized bounds.
 * `store` (NULL: none) is whom operators share packed weights with. Logs as ExecuTorch would;
 * returns 0 or a code of enum sl_et_error. */
int sl_xnn_delegate_new(const struct sl_model *model, struct sl_bytes blob,
                        const struct sl_xnn_allowed *allowed, struct sl_budget *budget,
                        struct sl_weight_store *store, struct sl_xnn_plan **out,
                        struct sl_diag *diag);
/* The same from a parsed graph, which moves in even on failure. */
int sl_xnn_delegate_from_graph(const struct sl_model *model, struct sl_xnn_graph *graph,
                               const struct sl_xnn_allowed *allowed, struct sl_budget *budget,
                               struct sl_weight_store *store, struct sl_xnn_plan **out,
                               struct sl_diag *diag);
void sl_xnn_delegate_free(struct sl_xnn_plan *plan);
/* Takes the shapes of `args` (the call's inputs), shapes every operator, plans the workspace and
 * resizes the output tensors. */
int sl_xnn_delegate_shape(struct sl_xnn_plan *plan, struct sl_tensor *const *args,
                          uint32_t arg_count, struct sl_diag *diag);
/* Puts addresses into every step; the workspace has plan->workspace_bytes. */
void sl_xnn_delegate_bind(struct sl_xnn_plan *plan, struct sl_tensor *const *args,
                          uint8_t *workspace);

/* After the last operator: what XNNPACK leaves as int32 becomes int64 where the output tensor is,
 * in place, as ExecuTorch's delegate does. */
void sl_xnn_delegate_widen(const struct sl_xnn_plan *plan);

size_t sl_xnn_delegate_packed_bytes(const struct sl_xnn_plan *plan);
