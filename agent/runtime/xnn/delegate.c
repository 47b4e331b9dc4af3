/* agent/runtime/xnn/delegate.c */
#include "agent/runtime/xnn/delegate.h"

#include "agent/runtime/xnn/infer.h"
#include "agent/runtime/xnn/layout.h"
#include "agent/runtime/xnn/lower.h"
#include "agent/runtime/xnn/names.h"
#include "agent/runtime/xnn/nodes.h"
#include "agent/runtime/xnn/operand.h"
#include "agent/runtime/xnn/plan.h"
#include "agent/runtime/xnn/rewrite.h"

#include <errno.h>
#include <string.h>

#include "agent/runtime/tensor.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/format/scalar_type.h"

static int no_memory(struct sl_diag *diag)
{
    return sl_diag_set(diag, SL_ET_MEMORY_ALLOCATION_FAILED, NULL,
                       "the delegate asks for more memory than there is or than the limit allows");
}

static int build_operands(struct sl_xnn_plan *plan, struct sl_diag *diag)
{
    const struct sl_xnn_graph *graph = &plan->graph;
    if (graph->node_count > SL_XNN_MAX_NODES)
        return sl_diag_set(diag, SL_ET_NOT_SUPPORTED, NULL,
                           "the delegate has %u nodes, more than the limit of %d",
                           graph->node_count, SL_XNN_MAX_NODES);
    size_t capacity = (size_t)graph->value_count * 2 + graph->node_count;
    plan->operands = sl_xnn_plan_table(plan, capacity, sizeof(*plan->operands));
    plan->active = sl_xnn_plan_table(plan, capacity + 1, sizeof(*plan->active));
    plan->ops = sl_xnn_plan_table(plan, (size_t)graph->node_count * 2 + graph->value_count,
                                  sizeof(*plan->ops));
    if (!plan->operands || !plan->active || !plan->ops)
        return no_memory(diag);
    for (uint32_t i = 0; i < graph->value_count; i++) {
        int rc = sl_xnn_build_operand(plan, &graph->values[i], diag);
        if (rc != 0)
            return rc;
    }
    return 0;
}

/* The most steps an operator may ever need; with conversions around it, or between, all there are.
 */
static uint32_t most_steps(const struct sl_xnn_op *op)
{
    if (op->form == SL_XNN_FORM_F32 || op->form == SL_XNN_FORM_F16)
        return 2;
    if (op->form == SL_XNN_FORM_BYTES && op->kind != SL_XNN_OP_CONVERT)
        return op->input_count > 2 ? op->input_count : 2;
    return SL_XNN_MAX_STEPS;
}

static int alloc_steps(struct sl_xnn_plan *plan, struct sl_diag *diag)
{
    for (uint32_t i = 0; i < plan->op_count; i++) {
        struct sl_xnn_op *op = &plan->ops[i];
        op->step_first = plan->step_count;
        op->step_room = most_steps(op);
        plan->step_count += op->step_room;
        op->name = sl_xnn_op_name(plan, op);
        op->weights.store = plan->store;
    }
    plan->steps = sl_xnn_plan_table(plan, plan->step_count, sizeof(*plan->steps));
    plan->wires = sl_xnn_plan_table(plan, plan->step_count, sizeof(*plan->wires));
    return plan->steps && plan->wires ? 0 : no_memory(diag);
}

/* Tables were made for `room`, the most that rewriting may add: a little too much stays. */
static void *shrunk(struct sl_xnn_plan *plan, void *whole, size_t room, size_t count, size_t size)
{
    enum { LITTLE_BYTES = 4096 };
    if ((room - count) * size < LITTLE_BYTES)
        return whole;
    void *smaller = sl_realloc(whole, count != 0 ? count : 1, size);
    if (!smaller)
        return whole;
    sl_budget_give(plan->budget, (room - count) * size);
    plan->table_bytes -= (room - count) * size;
    return smaller;
}

static int check_outputs(const struct sl_xnn_plan *plan, struct sl_diag *diag)
{
    for (uint32_t i = 0; i < plan->operand_count; i++)
        if (plan->operands[i].external_output && plan->operands[i].producer == SL_XNN_NONE)
            return sl_diag_set(diag, SL_ET_INVALID_PROGRAM, NULL,
                               "no node computes delegate output %u",
                               plan->operands[i].external_id);
    return 0;
}

/* Shapes all operators for the shapes of the external inputs as they stand. */
static int shape_ops(struct sl_xnn_plan *plan, struct sl_diag *diag)
{
    plan->shaped = false;
    for (uint32_t i = 0; i < plan->operand_count; i++) {
        plan->operands[i].memory = (int32_t)i;
        plan->operands[i].part_at = plan->operands[i].run_bytes = plan->operands[i].pitch_bytes = 0;
    }
    for (uint32_t i = 0; i < plan->op_count; i++) {
        sl_xnn_pad_same(plan, &plan->ops[i]);
        int rc = sl_xnn_infer(plan, &plan->ops[i], diag);
        if (rc == 0)
            rc = sl_xnn_lower(plan, &plan->ops[i], diag);
        if (rc != 0)
            return rc;
    }
    int rc = sl_xnn_layout(plan, diag);
    plan->shaped = rc == 0;
    return rc;
}

static int compile(struct sl_xnn_plan *plan, struct sl_diag *diag)
{
    int rc = build_operands(plan, diag);
    if (rc == 0)
        rc = sl_xnn_graph_to_ops(plan, diag);
    if (rc == 0)
        rc = check_outputs(plan, diag);
    if (rc != 0)
        return rc;
    sl_xnn_rewrite(plan);
    size_t values = plan->graph.value_count, nodes = plan->graph.node_count;
    plan->operands = shrunk(plan, plan->operands, values * 2 + nodes, plan->operand_count,
                            sizeof(*plan->operands));
    plan->ops = shrunk(plan, plan->ops, nodes * 2 + values, plan->op_count, sizeof(*plan->ops));
    rc = alloc_steps(plan, diag);
    return rc != 0 ? rc : shape_ops(plan, diag);
}

int sl_xnn_delegate_new(const struct sl_model *model, struct sl_bytes blob,
                        const struct sl_xnn_allowed *allowed, struct sl_budget *budget,
                        struct sl_weight_store *store, struct sl_xnn_plan **out,
                        struct sl_diag *diag)
{
    struct sl_xnn_graph graph = {0};
    int rc = sl_xnn_graph_parse(blob, &graph, diag);
    if (rc == 0)
        return sl_xnn_delegate_from_graph(model, &graph, allowed, budget, store, out, diag);
    rc = rc == -ENOMEM ? no_memory(diag) : SL_ET_DELEGATE_INVALID_COMPATIBILITY;
    sl_model_log(model, 'E', "XNNPACKBackend.cpp", 144, "XNNCompiler::compileModel failed: 0x%x",
                 sl_et_code(rc));
    return rc;
}

int sl_xnn_delegate_from_graph(const struct sl_model *model, struct sl_xnn_graph *graph,
                               const struct sl_xnn_allowed *allowed, struct sl_budget *budget,
                               struct sl_weight_store *store, struct sl_xnn_plan **out,
                               struct sl_diag *diag)
{
    struct sl_xnn_plan *plan = sl_calloc(1, sizeof(*plan));
    if (!plan) {
        if (graph->pool)
            sl_xnn_graph_fini(graph);
        return no_memory(diag);
    }
    plan->model = model;
    plan->graph = *graph;
    plan->budget = budget;
    plan->store = store;
    plan->isa = allowed->isa;
    plan->kept = allowed->kept;
    plan->place = allowed->place;
    int rc = compile(plan, diag);
    if (rc != 0) {
        sl_model_log(model, 'E', "XNNPACKBackend.cpp", 144,
                     "XNNCompiler::compileModel failed: 0x%x", sl_et_code(rc));
        sl_xnn_delegate_free(plan);
        return rc;
    }
    *out = plan;
    return 0;
}

void sl_xnn_delegate_free(struct sl_xnn_plan *plan)
{
    if (!plan)
        return;
    for (uint32_t i = 0; i < plan->op_count; i++) {
        sl_weights_fini(&plan->ops[i].weights);
        sl_free(plan->ops[i].table);
    }
    for (uint32_t i = 0; i < plan->operand_count; i++)
        sl_free(plan->operands[i].own_group_scales); /* counted with the tables */
    sl_free(plan->steps);
    sl_free(plan->wires);
    sl_free(plan->ops);
    sl_free(plan->active);
    sl_free(plan->operands);
    if (plan->table_bytes != 0)
        sl_budget_give(plan->budget, plan->table_bytes);
    if (plan->graph.pool)
        sl_xnn_graph_fini(&plan->graph);
    sl_free(plan);
}

/* Outputs of 32 bits may be int64 outside: see sl_xnn_delegate_widen(). */
static bool type_fits(int scalar_type, const struct sl_xnn_operand *operand)
{
    if (scalar_type == SL_SCALAR_LONG)
        return operand->external_output && !operand->external_input &&
               (operand->type == SL_XNN_FP32 || operand->type == SL_XNN_INT32);
    switch (operand->type) {
    case SL_XNN_FP32:
        return scalar_type == SL_SCALAR_FLOAT;
    case SL_XNN_FP16:
        return scalar_type == SL_SCALAR_HALF;
    case SL_XNN_BF16:
        return scalar_type == SL_SCALAR_BFLOAT16;
    case SL_XNN_QINT8:
        return scalar_type == SL_SCALAR_CHAR || scalar_type == SL_SCALAR_QINT8;
    case SL_XNN_QUINT8:
        return scalar_type == SL_SCALAR_BYTE || scalar_type == SL_SCALAR_QUINT8;
    case SL_XNN_INT32:
        return scalar_type == SL_SCALAR_INT;
    default:
        return false;
    }
}

static int check_argument(const struct sl_tensor *tensor, const struct sl_xnn_operand *operand,
                          struct sl_diag *diag)
{
    uint32_t id = operand->external_id;
    if (!type_fits(tensor->scalar_type, operand))
        return sl_diag_set(diag, SL_ET_NOT_SUPPORTED, NULL,
                           "delegate argument %u is of type %s where the graph has %s", id,
                           sl_scalar_name(tensor->scalar_type),
                           sl_xnn_datatype_name(operand->type));
    if (operand->external_output && tensor->constant)
        return sl_diag_set(diag, SL_ET_INVALID_PROGRAM, NULL, "delegate output %u is a constant",
                           id);
    return 0;
}

/* Takes the shape of a delegate input; a scalar has one dimension in the graph. */
static int take_shape(struct sl_xnn_plan *plan, struct sl_xnn_operand *operand,
                      const struct sl_tensor *tensor, struct sl_diag *diag)
{
    size_t dims[SL_TENSOR_MAX_RANK] = {1};
    uint32_t rank = tensor->rank == 0 ? 1 : tensor->rank;
    sl_tensor_memory_dims(tensor, dims);
    if (tensor->rank == 0 && operand->rank == 0)
        rank = 0;
    if (rank != operand->rank || memcmp(dims, operand->dims, rank * sizeof(*dims)) != 0)
        plan->shaped = false;
    if (rank != operand->rank || !sl_xnn_set_dims(operand, rank, dims))
        return sl_diag_set(diag, SL_ET_INVALID_ARGUMENT, NULL,
                           "delegate input %u has rank %u where the graph has %u",
                           operand->external_id, tensor->rank, operand->rank);
    return 0;
}

static int resize_output(const struct sl_xnn_operand *operand, struct sl_tensor *tensor,
                         struct sl_diag *diag)
{
    int32_t sizes[SL_TENSOR_MAX_RANK];
    if (tensor->rank == 0 && operand->count == 1)
        return 0;
    if (operand->rank != tensor->rank)
        return sl_diag_set(diag, SL_ET_INVALID_ARGUMENT, NULL,
                           "delegate output %u has rank %u where the graph has %u",
                           operand->external_id, tensor->rank, operand->rank);
    for (uint32_t i = 0; i < tensor->rank; i++)
        sizes[tensor->dim_order[i]] = (int32_t)operand->dims[i];
    return sl_tensor_resize(tensor, tensor->rank, sizes, diag);
}

/* An output's memory may not be that of another argument: operators write while others read. */
static int check_overlap(struct sl_tensor *const *args, uint32_t arg_count,
                         const struct sl_xnn_operand *operand, struct sl_diag *diag)
{
    const struct sl_tensor *out = args[operand->external_id];
    if (!out->data || out->nbytes > out->room_bytes)
        return sl_diag_set(diag, SL_ET_INVALID_PROGRAM, NULL,
                           "delegate argument %u has no memory for its shape",
                           operand->external_id);
    for (uint32_t i = 0; operand->external_output && i < arg_count; i++)
        if (i != operand->external_id && args[i] && args[i]->data && args[i]->nbytes != 0 &&
            out->nbytes != 0 && out->data < args[i]->data + args[i]->nbytes &&
            args[i]->data < out->data + out->nbytes)
            return sl_diag_set(diag, SL_ET_INVALID_PROGRAM, NULL,
                               "delegate arguments %u and %u share memory", operand->external_id,
                               i);
    return 0;
}

int sl_xnn_delegate_shape(struct sl_xnn_plan *plan, struct sl_tensor *const *args,
                          uint32_t arg_count, struct sl_diag *diag)
{
    int rc = 0;
    for (uint32_t i = 0; i < plan->operand_count && rc == 0; i++) {
        struct sl_xnn_operand *operand = &plan->operands[i];
        if (operand->external_id == SL_XNN_NO_ID)
            continue;
        if (operand->external_id >= arg_count || !args[operand->external_id])
            return sl_diag_set(diag, SL_ET_INVALID_ARGUMENT, NULL,
                               "delegate argument %u is missing or not a tensor",
                               operand->external_id);
        rc = check_argument(args[operand->external_id], operand, diag);
        bool wide = args[operand->external_id]->scalar_type == SL_SCALAR_LONG;
        plan->shaped = plan->shaped && wide == operand->wide;
        operand->wide = wide;
        if (rc == 0 && operand->external_input)
            rc = take_shape(plan, operand, args[operand->external_id], diag);
    }
    if (rc == 0 && !plan->shaped)
        rc = shape_ops(plan, diag);
    for (uint32_t i = 0; i < plan->operand_count && rc == 0; i++)
        if (plan->operands[i].external_output)
            rc = resize_output(&plan->operands[i], args[plan->operands[i].external_id], diag);
    for (uint32_t i = 0; i < plan->operand_count && rc == 0; i++)
        if (plan->operands[i].external_id != SL_XNN_NO_ID)
            rc = check_overlap(args, arg_count, &plan->operands[i], diag);
    return rc;
}

/* The address that a wire of the operator leads to. */
static void *wire_end(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op, int wire,
                      uint8_t *scratch)
{
    if (wire >= SL_XNN_WIRE_TEMP) {
        for (int t = 0; t < wire - SL_XNN_WIRE_TEMP; t++)
            scratch += op->temp_bytes[t];
        return scratch;
    }
    int32_t operand = wire == SL_XNN_WIRE_OUT    ? op->output
                      : wire == SL_XNN_WIRE_OUT2 ? op->output2
                      : wire == SL_XNN_WIRE_NONE ? SL_XNN_NONE
                                                 : op->inputs[wire - SL_XNN_WIRE_IN];
    return operand == SL_XNN_NONE ? NULL : plan->operands[operand].data;
}

static void bind_op(struct sl_xnn_plan *plan, const struct sl_xnn_op *op, uint8_t *workspace)
{
    uint8_t *scratch = workspace + op->scratch_offset, *own = scratch;
    for (int t = 0; t < SL_XNN_MAX_TEMPS; t++)
        own += op->temp_bytes[t];
    for (uint32_t k = op->step_first; k < op->step_first + op->step_count; k++) {
        const struct sl_xnn_wires *wires = &plan->wires[k];
        sl_step_bind(&plan->steps[k], &(struct sl_step_operands){
                                          .a = wire_end(plan, op, wires->a, scratch),
                                          .b = wire_end(plan, op, wires->b, scratch),
                                          .out = wire_end(plan, op, wires->out, scratch),
                                          .workspace = own,
                                      });
    }
}

void sl_xnn_delegate_bind(struct sl_xnn_plan *plan, struct sl_tensor *const *args,
                          uint8_t *workspace)
{
    for (uint32_t i = 0; i < plan->operand_count; i++) {
        struct sl_xnn_operand *operand = &plan->operands[i];
        if (operand->constant)
            operand->data = (void *)(uintptr_t)operand->constant; /* never written */
        else if (operand->external_id != SL_XNN_NO_ID)
            operand->data = args[operand->external_id]->data;
        else
            operand->data = workspace + operand->offset;
    }
    for (uint32_t i = 0; i < plan->operand_count; i++)
        if (plan->operands[i].memory != (int32_t)i)
            plan->operands[i].data = (uint8_t *)plan->operands[plan->operands[i].memory].data +
                                     plan->operands[i].part_at;
    for (uint32_t i = 0; i < plan->op_count; i++)
        bind_op(plan, &plan->ops[i], workspace);
}

/* Backwards, because both forms begin at the same address. */
static void widen(uint8_t *data, size_t count)
{
    while (count-- > 0) {
        int32_t narrow;
        memcpy(&narrow, data + count * sizeof(narrow), sizeof(narrow));
        int64_t wide = narrow;
        memcpy(data + count * sizeof(wide), &wide, sizeof(wide));
    }
}

void sl_xnn_delegate_widen(const struct sl_xnn_plan *plan)
{
    for (uint32_t i = 0; i < plan->operand_count; i++)
        if (plan->operands[i].wide)
            widen(plan->operands[i].data, plan->operands[i].count);
}

size_t sl_xnn_delegate_packed_bytes(const struct sl_xnn_plan *plan)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < plan->op_count; i++)
        bytes += plan->ops[i].weights.bytes;
    return bytes;
}
