/* agent/runtime/xnn/plan.c: building, shaping and binding a delegate. */
#include "agent/runtime/xnn/plan.h"

#include <errno.h>
#include <string.h>

#include "agent/runtime/tensor.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/format/scalar_type.h"

static int no_memory(struct sl_diag *diag)
{
    return sl_diag_set(diag, SL_ET_MEMORY_ALLOCATION_FAILED, NULL, "out of memory");
}

static int resolve_constant(struct sl_xnn_plan *plan, const struct sl_xnn_value *value,
                            struct sl_xnn_operand *operand, struct sl_diag *diag)
{
    struct sl_bytes bytes = value->data.bytes;
    size_t element = sizeof(float);
    if (value->data.source == SL_XNN_DATA_NAMED &&
        sl_pte_find_named(&plan->model->pte, value->data.key, &bytes) != 0) {
        sl_model_log(plan->model, 'E', "XNNCompiler.cpp", 262,
                     "Failed to get constant data for key %s from named_data_map. Error code: %d",
                     value->data.key, SL_ET_NOT_FOUND);
        return sl_diag_set(diag, SL_ET_NOT_FOUND, NULL, "constant data %.80s is not in the program",
                           value->data.key);
    }
    if (value->datatype != SL_XNN_FP32)
        return 0; /* without data: refused by its type when an operator reads it */
    if (!bytes.data || bytes.size / element < operand->count ||
        (uintptr_t)bytes.data % element != 0)
        return sl_diag_set(diag, SL_ET_INVALID_PROGRAM, NULL,
                           "the data of constant value %u is too short or not aligned", value->id);
    operand->constant = (const float *)(const void *)bytes.data;
    return 0;
}

static int build_operand(struct sl_xnn_plan *plan, const struct sl_xnn_value *value,
                         struct sl_diag *diag)
{
    struct sl_xnn_operand *operand = &plan->operands[plan->operand_count++];
    size_t dims[SL_XNN_MAX_RANK];
    *operand = (struct sl_xnn_operand){
        .external_id =
            value->external_input || value->external_output ? value->external_id : SL_XNN_NO_ID,
        .external_input = value->external_input,
        .external_output = value->external_output,
        .producer = SL_XNN_NONE,
    };
    for (uint32_t i = 0; i < value->rank; i++)
        dims[i] = value->dims[i];
    if (!sl_xnn_set_dims(operand, value->rank, dims))
        return sl_diag_set(diag, SL_ET_INVALID_PROGRAM, NULL, "value %u is too large", value->id);
    bool external = operand->external_input || operand->external_output;
    bool constant = value->data.source != SL_XNN_DATA_NONE;
    if ((operand->external_input && operand->external_output) || (external && constant) ||
        (external && operand->external_id >= SL_XNN_MAX_EXTERNS))
        return sl_diag_set(diag, SL_ET_INVALID_PROGRAM, NULL,
                           "value %u is of two kinds at once or has no argument", value->id);
    return constant ? resolve_constant(plan, value, operand, diag) : 0;
}

static int build_operands(struct sl_xnn_plan *plan, struct sl_diag *diag)
{
    const struct sl_xnn_graph *graph = &plan->graph;
    if (graph->node_count > SL_XNN_MAX_NODES)
        return sl_diag_set(diag, SL_ET_NOT_SUPPORTED, NULL,
                           "the delegate has %u nodes, more than the limit of %d",
                           graph->node_count, SL_XNN_MAX_NODES);
    size_t capacity = (size_t)graph->value_count + graph->node_count;
    plan->operands = sl_calloc(capacity, sizeof(*plan->operands));
    plan->active = sl_calloc(capacity + 1, sizeof(*plan->active));
    plan->ops = sl_calloc((size_t)graph->node_count * 2, sizeof(*plan->ops));
    if (!plan->operands || !plan->active || !plan->ops)
        return no_memory(diag);
    for (uint32_t i = 0; i < graph->value_count; i++) {
        int rc = build_operand(plan, &graph->values[i], diag);
        if (rc != 0)
            return rc;
    }
    return 0;
}

/* Each operator gets the most steps it may ever need. */
static int alloc_steps(struct sl_xnn_plan *plan, struct sl_diag *diag)
{
    for (uint32_t i = 0; i < plan->op_count; i++) {
        struct sl_xnn_op *op = &plan->ops[i];
        op->step_first = plan->step_count;
        plan->step_count += op->kind == SL_XNN_OP_CONCAT ? op->input_count : 2;
        op->name = sl_xnn_op_name(plan, op);
    }
    plan->steps = sl_calloc(plan->step_count, sizeof(*plan->steps));
    return plan->steps ? 0 : no_memory(diag);
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
    for (uint32_t i = 0; i < plan->operand_count; i++)
        plan->operands[i].memory = (int32_t)i;
    for (uint32_t i = 0; i < plan->op_count; i++) {
        int rc = sl_xnn_infer(plan, &plan->ops[i], diag);
        if (rc == 0)
            rc = sl_xnn_lower(plan, &plan->ops[i], diag);
        if (rc != 0)
            return rc;
    }
    return sl_xnn_layout(plan, diag);
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
    rc = alloc_steps(plan, diag);
    return rc != 0 ? rc : shape_ops(plan, diag);
}

int sl_xnn_plan_new(const struct sl_model *model, struct sl_bytes blob, uint32_t isa,
                    struct sl_budget *budget, struct sl_xnn_plan **out, struct sl_diag *diag)
{
    struct sl_xnn_graph graph = {0};
    int rc = sl_xnn_graph_parse(blob, &graph, diag);
    if (rc == 0)
        return sl_xnn_plan_from_graph(model, &graph, isa, budget, out, diag);
    rc = rc == -ENOMEM ? no_memory(diag) : SL_ET_DELEGATE_INVALID_COMPATIBILITY;
    sl_model_log(model, 'E', "XNNPACKBackend.cpp", 144, "XNNCompiler::compileModel failed: 0x%x",
                 (unsigned)rc);
    return rc;
}

int sl_xnn_plan_from_graph(const struct sl_model *model, struct sl_xnn_graph *graph, uint32_t isa,
                           struct sl_budget *budget, struct sl_xnn_plan **out, struct sl_diag *diag)
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
    plan->isa = isa;
    int rc = compile(plan, diag);
    if (rc != 0) {
        sl_model_log(model, 'E', "XNNPACKBackend.cpp", 144,
                     "XNNCompiler::compileModel failed: 0x%x", (unsigned)rc);
        sl_xnn_plan_free(plan);
        return rc;
    }
    *out = plan;
    return 0;
}

void sl_xnn_plan_free(struct sl_xnn_plan *plan)
{
    if (!plan)
        return;
    for (uint32_t i = 0; i < plan->op_count; i++)
        sl_weights_fini(&plan->ops[i].weights);
    sl_free(plan->steps);
    sl_free(plan->ops);
    sl_free(plan->active);
    sl_free(plan->operands);
    if (plan->graph.pool)
        sl_xnn_graph_fini(&plan->graph);
    sl_free(plan);
}

static int check_argument(const struct sl_tensor *tensor, const struct sl_xnn_operand *operand,
                          struct sl_diag *diag)
{
    uint32_t id = operand->external_id;
    if (tensor->scalar_type != SL_SCALAR_FLOAT)
        return sl_diag_set(diag, SL_ET_NOT_SUPPORTED, NULL,
                           "delegate argument %u is of type %s, not Float", id,
                           sl_scalar_name(tensor->scalar_type));
    if (operand->external_output && tensor->constant)
        return sl_diag_set(diag, SL_ET_INVALID_PROGRAM, NULL, "delegate output %u is a constant",
                           id);
    return 0;
}

/* Takes the shape of a delegate input; a scalar has one dimension in the graph. */
static int take_shape(struct sl_xnn_operand *operand, const struct sl_tensor *tensor,
                      struct sl_diag *diag)
{
    size_t dims[SL_PTE_MAX_RANK] = {1};
    uint32_t rank = tensor->rank == 0 ? 1 : tensor->rank;
    sl_tensor_memory_dims(tensor, dims);
    if (tensor->rank == 0 && operand->rank == 0)
        rank = 0;
    if (rank != operand->rank || !sl_xnn_set_dims(operand, rank, dims))
        return sl_diag_set(diag, SL_ET_INVALID_ARGUMENT, NULL,
                           "delegate input %u has rank %u where the graph has %u",
                           operand->external_id, tensor->rank, operand->rank);
    return 0;
}

static int resize_output(const struct sl_xnn_operand *operand, struct sl_tensor *tensor,
                         struct sl_diag *diag)
{
    int32_t sizes[SL_PTE_MAX_RANK];
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
        if (i != operand->external_id && args[i] && args[i]->nbytes != 0 && out->nbytes != 0 &&
            out->data < args[i]->data + args[i]->nbytes && args[i]->data < out->data + out->nbytes)
            return sl_diag_set(diag, SL_ET_INVALID_PROGRAM, NULL,
                               "delegate arguments %u and %u share memory", operand->external_id,
                               i);
    return 0;
}

int sl_xnn_plan_shape(struct sl_xnn_plan *plan, struct sl_tensor *const *args, uint32_t arg_count,
                      struct sl_diag *diag)
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
        if (rc == 0 && operand->external_input)
            rc = take_shape(operand, args[operand->external_id], diag);
    }
    if (rc == 0)
        rc = shape_ops(plan, diag);
    for (uint32_t i = 0; i < plan->operand_count && rc == 0; i++)
        if (plan->operands[i].external_output)
            rc = resize_output(&plan->operands[i], args[plan->operands[i].external_id], diag);
    for (uint32_t i = 0; i < plan->operand_count && rc == 0; i++)
        if (plan->operands[i].external_id != SL_XNN_NO_ID)
            rc = check_overlap(args, arg_count, &plan->operands[i], diag);
    return rc;
}

static void *data_of(const struct sl_xnn_plan *plan, int32_t operand)
{
    return operand == SL_XNN_NONE ? NULL : plan->operands[operand].data;
}

/* Two steps where the first leaves something for the second: packed weights, or an operand. */
static void bind_two(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op,
                     struct sl_step_operands o, uint8_t *between)
{
    bool packs = op->kind == SL_XNN_OP_DYNAMIC_GEMM;
    struct sl_step_operands first = {.a = packs ? o.b : o.a, .out = between};
    if (packs)
        first.b = data_of(plan, op->inputs[2]);
    else if (op->kind == SL_XNN_OP_MEAN_SQUARED)
        first.b = o.a;
    *(packs ? &o.b : &o.a) = between;
    sl_step_bind(&plan->steps[op->step_first], &first);
    sl_step_bind(&plan->steps[op->step_first + 1], &o);
}

static void bind_op(struct sl_xnn_plan *plan, const struct sl_xnn_op *op, uint8_t *workspace)
{
    uint8_t *between = workspace + op->scratch_offset;
    struct sl_step_operands o = {
        .a = data_of(plan, op->inputs[0]),
        .out = data_of(plan, op->output),
        .workspace = between + op->between_bytes,
    };
    if (op->kind == SL_XNN_OP_BINARY || op->kind == SL_XNN_OP_BATCH_GEMM ||
        op->kind == SL_XNN_OP_DYNAMIC_GEMM)
        o.b = data_of(plan, op->inputs[1]);
    else if (op->kind == SL_XNN_OP_SQUARE)
        o.b = o.a;
    if (op->between_bytes != 0) {
        bind_two(plan, op, o, between);
        return;
    }
    for (uint32_t k = 0; k < op->step_count; k++) {
        if (op->kind == SL_XNN_OP_CONCAT)
            o.a = data_of(plan, op->inputs[k]);
        sl_step_bind(&plan->steps[op->step_first + k], &o);
    }
}

void sl_xnn_plan_bind(struct sl_xnn_plan *plan, struct sl_tensor *const *args, uint8_t *workspace)
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
        plan->operands[i].data = plan->operands[plan->operands[i].memory].data;
    for (uint32_t i = 0; i < plan->op_count; i++)
        bind_op(plan, &plan->ops[i], workspace);
}

size_t sl_xnn_plan_packed_bytes(const struct sl_xnn_plan *plan)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < plan->op_count; i++)
        bytes += plan->ops[i].weights.bytes;
    return bytes;
}
