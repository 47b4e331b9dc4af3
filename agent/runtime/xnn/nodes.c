/* agent/runtime/xnn/nodes.c: from serialized nodes to operators, as XNNPACK defines them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "agent/runtime/xnn/plan.h"
#include "common/base/error.h"

/* How a serialized node maps to an operator; what is not listed is refused at load. */
static const struct {
    bool listed;
    int kind, code;
} kinds[SL_XNN_NODE_TYPE_END] = {
    [SL_XNN_ADD] = {true, SL_XNN_OP_BINARY, SL_BINARY_ADD},
    [SL_XNN_SUBTRACT] = {true, SL_XNN_OP_BINARY, SL_BINARY_SUBTRACT},
    [SL_XNN_MULTIPLY] = {true, SL_XNN_OP_BINARY, SL_BINARY_MULTIPLY},
    [SL_XNN_DIV] = {true, SL_XNN_OP_BINARY, SL_BINARY_DIVIDE},
    [SL_XNN_MAXIMUM] = {true, SL_XNN_OP_BINARY, SL_BINARY_MAXIMUM},
    [SL_XNN_MINIMUM] = {true, SL_XNN_OP_BINARY, SL_BINARY_MINIMUM},
    [SL_XNN_PRELU] = {true, SL_XNN_OP_BINARY, SL_BINARY_PRELU},
    [SL_XNN_FLOOR] = {true, SL_XNN_OP_UNARY, SL_UNARY_FLOOR},
    [SL_XNN_CEILING] = {true, SL_XNN_OP_UNARY, SL_UNARY_CEILING},
    [SL_XNN_SQUARE_ROOT] = {true, SL_XNN_OP_UNARY, SL_UNARY_SQRT},
    [SL_XNN_RECIPROCAL_SQUARE_ROOT] = {true, SL_XNN_OP_UNARY, SL_UNARY_RSQRT},
    [SL_XNN_ABS] = {true, SL_XNN_OP_UNARY, SL_UNARY_ABS},
    [SL_XNN_NEGATE] = {true, SL_XNN_OP_UNARY, SL_UNARY_NEGATE},
    [SL_XNN_EXP] = {true, SL_XNN_OP_UNARY, SL_UNARY_EXP},
    [SL_XNN_LOG] = {true, SL_XNN_OP_UNARY, SL_UNARY_LOG},
    [SL_XNN_SIN] = {true, SL_XNN_OP_UNARY, SL_UNARY_SIN},
    [SL_XNN_COS] = {true, SL_XNN_OP_UNARY, SL_UNARY_COS},
    [SL_XNN_SIGMOID] = {true, SL_XNN_OP_UNARY, SL_UNARY_SIGMOID},
    [SL_XNN_TANH] = {true, SL_XNN_OP_UNARY, SL_UNARY_TANH},
    [SL_XNN_HARDSWISH] = {true, SL_XNN_OP_UNARY, SL_UNARY_HARDSWISH},
    [SL_XNN_GELU] = {true, SL_XNN_OP_UNARY, SL_UNARY_GELU},
    [SL_XNN_ELU] = {true, SL_XNN_OP_UNARY, SL_UNARY_ELU},
    [SL_XNN_LEAKY_RELU] = {true, SL_XNN_OP_UNARY, SL_UNARY_LEAKY_RELU},
    [SL_XNN_SQUARE] = {true, SL_XNN_OP_SQUARE, SL_BINARY_MULTIPLY},
    [SL_XNN_FULLY_CONNECTED] = {true, SL_XNN_OP_GEMM, 0},
    [SL_XNN_BATCH_MATRIX_MULTIPLY] = {true, SL_XNN_OP_BATCH_GEMM, 0},
    [SL_XNN_CONV2D] = {true, SL_XNN_OP_CONV, 0},
    [SL_XNN_DEPTHWISE_CONV2D] = {true, SL_XNN_OP_DEPTHWISE, 0},
    [SL_XNN_CONV_TRANSPOSE_2D] = {true, SL_XNN_OP_DECONV, 0},
    [SL_XNN_STATIC_RESIZE_BILINEAR_2D] = {true, SL_XNN_OP_RESIZE, 0},
    [SL_XNN_MAX_POOLING_2D] = {true, SL_XNN_OP_MAX_POOL, 0},
    [SL_XNN_AVG_POOLING_2D] = {true, SL_XNN_OP_AVG_POOL, 0},
    [SL_XNN_GLOBAL_AVG_POOLING_2D] = {true, SL_XNN_OP_MEAN, 0},
    [SL_XNN_ARG_MAX_POOLING_2D] = {true, SL_XNN_OP_ARGMAX, 0},
    [SL_XNN_SOFTMAX] = {true, SL_XNN_OP_SOFTMAX, 0},
    [SL_XNN_CLAMP] = {true, SL_XNN_OP_CLAMP, 0},
    [SL_XNN_STATIC_TRANSPOSE] = {true, SL_XNN_OP_TRANSPOSE, 0},
    [SL_XNN_STATIC_RESHAPE] = {true, SL_XNN_OP_RESHAPE, 0},
    [SL_XNN_COPY] = {true, SL_XNN_OP_COPY, 0},
    [SL_XNN_CONVERT] = {true, SL_XNN_OP_CONVERT, 0},
    [SL_XNN_STATIC_CONSTANT_PAD] = {true, SL_XNN_OP_PAD, 0},
    [SL_XNN_STATIC_SLICE] = {true, SL_XNN_OP_SLICE, 0},
    [SL_XNN_CONCATENATE2] = {true, SL_XNN_OP_CONCAT, 0},
    [SL_XNN_CONCATENATE3] = {true, SL_XNN_OP_CONCAT, 0},
    [SL_XNN_CONCATENATE4] = {true, SL_XNN_OP_CONCAT, 0},
    [SL_XNN_CONCATENATE5] = {true, SL_XNN_OP_CONCAT, 0},
};

int sl_xnn_op_error(const struct sl_xnn_op *op, struct sl_diag *diag, int code, const char *what)
{
    char where[96];
    snprintf(where, sizeof(where), "delegate node %s (%u)", op->origin, op->node->index);
    return sl_diag_set(diag, code, where, "%s", what);
}

static int operand_of(const struct sl_xnn_plan *plan, uint32_t id)
{
    if (id == SL_XNN_NO_ID)
        return SL_XNN_NONE;
    const struct sl_xnn_value *value = sl_xnn_find_value(&plan->graph, id);
    return value ? (int)(value - plan->graph.values) : SL_XNN_NONE;
}

static int32_t stand_in(const struct sl_xnn_plan *plan, int32_t operand)
{
    bool other = operand != SL_XNN_NONE && plan->operands[operand].stand_in != 0;
    return other ? plan->operands[operand].stand_in : operand;
}

/* Dense 1x1 convolutions without padding are defined as products of matrices. */
static bool is_pointwise(const struct sl_xnn_window *w)
{
    return w->kernel_height == 1 && w->kernel_width == 1 && w->groups == 1 &&
           w->stride_height == 1 && w->stride_width == 1 && w->padding_top == 0 &&
           w->padding_right == 0 && w->padding_bottom == 0 && w->padding_left == 0 &&
           (uint64_t)w->group_input_channels + w->group_output_channels > 2;
}

static int32_t add_operand(struct sl_xnn_plan *plan, const struct sl_xnn_operand *like)
{
    struct sl_xnn_operand *operand = &plan->operands[plan->operand_count];
    *operand = (struct sl_xnn_operand){
        .rank = like->rank,
        .type = like->type,
        .quant = like->quant,
        .external_id = SL_XNN_NO_ID,
        .producer = SL_XNN_NONE,
    };
    memcpy(operand->dims, like->dims, sizeof(operand->dims));
    operand->count = like->count;
    return (int32_t)plan->operand_count++;
}

/* A second operator that takes what `op` would give, which is of `type` there. */
static void add_after(struct sl_xnn_plan *plan, struct sl_xnn_op *op, int kind, int type)
{
    int32_t between = add_operand(plan, &plan->operands[op->output]);
    plan->operands[between].type = type;
    plan->ops[plan->op_count++] = (struct sl_xnn_op){
        .kind = kind,
        .node = op->node,
        .origin = op->origin,
        .input_count = 1,
        .inputs = {between},
        .output = op->output,
        .output2 = SL_XNN_NONE,
        .min = op->min,
        .max = op->max,
    };
    op->output = between;
}

/* A fused clamp of add, subtract, multiply and divide is an operator of its own. */
static void split_clamp(struct sl_xnn_plan *plan, struct sl_xnn_op *op)
{
    int type = op->node->type;
    if (type == SL_XNN_MAXIMUM || type == SL_XNN_MINIMUM || type == SL_XNN_PRELU ||
        (op->min == -INFINITY && op->max == INFINITY)) {
        op->min = -INFINITY;
        op->max = INFINITY;
        return;
    }
    add_after(plan, op, SL_XNN_OP_CLAMP, plan->operands[op->output].type);
    op->min = -INFINITY;
    op->max = INFINITY;
}

static bool is_constant(const struct sl_xnn_plan *plan, int32_t operand)
{
    return operand == SL_XNN_NONE || plan->operands[operand].constant;
}

/* What the kind of a node leaves open. */
static void settle_kind(const struct sl_xnn_plan *plan, struct sl_xnn_op *op)
{
    if (op->kind == SL_XNN_OP_CONV && is_pointwise(&op->window)) {
        op->kind = SL_XNN_OP_GEMM;
    } else if (op->kind == SL_XNN_OP_GEMM) {
        op->transposed = op->node->flags & SL_XNN_FLAG_TRANSPOSE_WEIGHTS;
        if (!is_constant(plan, op->inputs[1]) || !is_constant(plan, op->inputs[2]))
            op->kind = SL_XNN_OP_DYNAMIC_GEMM;
    } else if (op->kind == SL_XNN_OP_BATCH_GEMM) {
        op->transposed = op->node->flags & SL_XNN_FLAG_TRANSPOSE_WEIGHTS;
    } else if (op->kind == SL_XNN_OP_UNARY || op->kind == SL_XNN_OP_CONVERT) {
        op->min = -INFINITY;
        op->max = INFINITY;
    }
}

static bool has_bias(const struct sl_xnn_op *op)
{
    return op->kind == SL_XNN_OP_CONV || op->kind == SL_XNN_OP_DEPTHWISE ||
           op->kind == SL_XNN_OP_DECONV || op->kind == SL_XNN_OP_GEMM;
}

/* The operands that the node names; a bias may be missing, nothing else. */
static int take_operands(struct sl_xnn_plan *plan, struct sl_xnn_op *op, struct sl_diag *diag)
{
    const struct sl_xnn_node *node = op->node;
    for (uint32_t i = 0; i < node->input_count && op->input_count < 5; i++)
        op->inputs[op->input_count++] = stand_in(plan, operand_of(plan, node->inputs[i]));
    while (op->kind == SL_XNN_OP_CONCAT && op->input_count > 2 &&
           op->inputs[op->input_count - 1] == SL_XNN_NONE)
        op->input_count--;
    op->output = operand_of(plan, node->outputs[0]);
    if (op->kind == SL_XNN_OP_ARGMAX)
        op->output2 = operand_of(plan, node->outputs[1]);
    for (uint32_t i = 0; i < op->input_count; i++)
        if (op->inputs[i] == SL_XNN_NONE && !(has_bias(op) && i == 2))
            return sl_xnn_op_error(op, diag, SL_ET_INVALID_PROGRAM, "an input is missing");
    if (op->output == SL_XNN_NONE || op->output == op->output2 ||
        (op->kind == SL_XNN_OP_ARGMAX && op->output2 == SL_XNN_NONE) || op->input_count == 0 ||
        (has_bias(op) && op->input_count < 3))
        return sl_xnn_op_error(op, diag, SL_ET_INVALID_PROGRAM, "an operand is missing");
    return 0;
}

static int add_op(struct sl_xnn_plan *plan, const struct sl_xnn_node *node, struct sl_diag *diag)
{
    bool known = node->type >= 0 && node->type < SL_XNN_NODE_TYPE_END && kinds[node->type].listed;
    struct sl_xnn_op *op = &plan->ops[plan->op_count];
    *op = (struct sl_xnn_op){
        .node = node,
        .origin = sl_xnn_node_name(node->type),
        .min = node->output_min,
        .max = node->output_max,
        .window = node->window,
        .output2 = SL_XNN_NONE,
    };
    if (!known) {
        sl_model_log(plan->model, 'E', "XNNCompiler.cpp", 2000,
                     "Node type %s is not supported by this runtime", op->origin);
        return sl_xnn_op_error(op, diag, SL_ET_NOT_IMPLEMENTED,
                               "this node type is not supported by this agent");
    }
    plan->op_count++;
    op->kind = kinds[node->type].kind;
    op->code = kinds[node->type].code;
    int rc = take_operands(plan, op, diag);
    if (rc != 0)
        return rc;
    settle_kind(plan, op);
    if (op->kind == SL_XNN_OP_BINARY)
        split_clamp(plan, op);
    if (op->kind == SL_XNN_OP_GEMM && plan->operands[op->inputs[0]].type == SL_XNN_BF16 &&
        plan->operands[op->output].type == SL_XNN_BF16)
        add_after(plan, op, SL_XNN_OP_CONVERT, SL_XNN_FP32);
    return 0;
}

/* An old file's way to say that an input is quantised by row before it is used: readers of the
 * value find the quantised one. */
static void add_quantised_inputs(struct sl_xnn_plan *plan)
{
    for (uint32_t i = 0; i < plan->graph.value_count && plan->graph.node_count != 0; i++) {
        const struct sl_xnn_value *value = &plan->graph.values[i];
        if (value->dq_datatype == 0 || value->datatype != SL_XNN_FP32 || value->rank == 0)
            continue;
        int32_t quantised = add_operand(plan, &plan->operands[i]);
        plan->operands[quantised].type = SL_XNN_QDINT8;
        plan->operands[quantised].quant = (struct sl_xnn_scaling){.nonbatch_dims = 1};
        plan->operands[i].stand_in = quantised;
        plan->ops[plan->op_count++] = (struct sl_xnn_op){
            .kind = SL_XNN_OP_CONVERT,
            .node = &plan->graph.nodes[0],
            .origin = "Convert",
            .input_count = 1,
            .inputs = {(int32_t)i},
            .output = quantised,
            .output2 = SL_XNN_NONE,
            .min = -INFINITY,
            .max = INFINITY,
        };
    }
}

static bool note_producer(struct sl_xnn_plan *plan, int32_t operand, uint32_t op)
{
    struct sl_xnn_operand *out = &plan->operands[operand];
    if (out->producer != SL_XNN_NONE || out->constant || out->external_input)
        return false;
    out->producer = (int32_t)op;
    return true;
}

/* Every operand is written at most once, before it is read, and never a constant or an input. */
static int check_order(struct sl_xnn_plan *plan, struct sl_diag *diag)
{
    for (uint32_t i = 0; i < plan->op_count; i++) {
        struct sl_xnn_op *op = &plan->ops[i];
        for (uint32_t k = 0; k < op->input_count; k++) {
            if (op->inputs[k] == SL_XNN_NONE)
                continue;
            struct sl_xnn_operand *in = &plan->operands[op->inputs[k]];
            if (in->producer == SL_XNN_NONE && !in->constant && !in->external_input)
                return sl_xnn_op_error(op, diag, SL_ET_INVALID_PROGRAM,
                                       "an input is read before it is written");
            in->uses += !sl_xnn_is_repeated(op, k);
        }
        if (!note_producer(plan, op->output, i) ||
            (op->output2 != SL_XNN_NONE && !note_producer(plan, op->output2, i)))
            return sl_xnn_op_error(op, diag, SL_ET_INVALID_PROGRAM,
                                   "its output is a constant, an input or written twice");
    }
    return 0;
}

int sl_xnn_graph_to_ops(struct sl_xnn_plan *plan, struct sl_diag *diag)
{
    int rc = 0;
    add_quantised_inputs(plan);
    for (uint32_t i = 0; i < plan->graph.node_count && rc == 0; i++)
        rc = add_op(plan, &plan->graph.nodes[i], diag);
    for (uint32_t i = 0; i < plan->op_count && rc == 0; i++)
        rc = sl_xnn_settle_form(plan, &plan->ops[i], diag);
    return rc != 0 ? rc : check_order(plan, diag);
}
