/* agent/runtime/xnn/nodes.c */
#include "agent/runtime/xnn/nodes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "agent/runtime/runtime.h"
#include "agent/runtime/xnn/plan.h"
#include "common/base/error.h"

enum { REFUSED = -1 };

static const struct sl_xnn_operand *operand(const struct sl_xnn_plan *plan, int32_t index)
{
    return &plan->operands[index];
}

static int type_of(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op, uint32_t k)
{
    return k < op->input_count && op->inputs[k] != SL_XNN_NONE ? operand(plan, op->inputs[k])->type
                                                               : 0;
}

static int form_of_float(int type)
{
    return type == SL_XNN_FP32   ? SL_XNN_FORM_F32
           : type == SL_XNN_FP16 ? SL_XNN_FORM_F16
           : type == SL_XNN_BF16 ? SL_XNN_FORM_WIDE
                                 : REFUSED;
}

static bool is_float(int type)
{
    return type == SL_XNN_FP32 || type == SL_XNN_FP16 || type == SL_XNN_BF16;
}

/* All inputs and the output are of one type. */
static bool is_uniform(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op)
{
    int type = operand(plan, op->output)->type;
    for (uint32_t k = 0; k < op->input_count; k++)
        if (type_of(plan, op, k) != type)
            return false;
    return true;
}

static int form_of_move(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op)
{
    int type = operand(plan, op->output)->type;
    bool quantised = type == SL_XNN_QINT8 || type == SL_XNN_QUINT8;
    if (!is_uniform(plan, op) || !(is_float(type) || quantised || type == SL_XNN_INT32))
        return REFUSED;
    return !quantised || sl_xnn_keeps_scaling(plan, op) ? SL_XNN_FORM_BYTES : REFUSED;
}

static int form_of_convert(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op)
{
    int from = type_of(plan, op, 0), to = operand(plan, op->output)->type;
    if (to == SL_XNN_QDINT8)
        return is_float(from) ? SL_XNN_FORM_QD8 : REFUSED;
    bool known =
        from == to ? is_float(from) || from == SL_XNN_QINT8 : is_float(from) && is_float(to);
    return known || sl_xnn_convert_op(from, to) >= 0 ? SL_XNN_FORM_BYTES : REFUSED;
}

/* Functions of one value or two; what int8 has no kernel for is computed in f32. */
static int form_of_function(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op)
{
    int type = operand(plan, op->output)->type;
    if (!is_uniform(plan, op))
        return REFUSED;
    if (type != SL_XNN_QINT8)
        return form_of_float(type);
    switch (op->kind) {
    case SL_XNN_OP_MAX_POOL:
    case SL_XNN_OP_RESIZE:
        return sl_xnn_keeps_scaling(plan, op) ? SL_XNN_FORM_QS8 : REFUSED;
    case SL_XNN_OP_CLAMP:
    case SL_XNN_OP_UNARY:
    case SL_XNN_OP_SQUARE:
    case SL_XNN_OP_MEAN:
        return SL_XNN_FORM_QS8;
    case SL_XNN_OP_BINARY:
        return op->code == SL_BINARY_ADD || op->code == SL_BINARY_SUBTRACT ||
                       op->code == SL_BINARY_MULTIPLY
                   ? SL_XNN_FORM_QS8
                   : SL_XNN_FORM_WIDE;
    default:
        return SL_XNN_FORM_WIDE;
    }
}

static bool is_bias(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op, bool quantised)
{
    int bias = type_of(plan, op, 2);
    return bias == 0 ||
           (quantised ? bias == SL_XNN_QINT32 || bias == SL_XNN_QCINT32 : is_float(bias));
}

static int form_of_dynamic(const struct sl_xnn_op *op, int weights, int out)
{
    bool product = op->kind == SL_XNN_OP_GEMM && op->node->type == SL_XNN_FULLY_CONNECTED;
    if (!is_float(out) || op->kind == SL_XNN_OP_DEPTHWISE || op->kind == SL_XNN_OP_DYNAMIC_GEMM)
        return REFUSED;
    if (weights == SL_XNN_QCINT8)
        return SL_XNN_FORM_QD8;
    return (weights == SL_XNN_QCINT4 || weights == SL_XNN_QBINT4) && product && !op->transposed
               ? SL_XNN_FORM_QD8
               : REFUSED;
}

/* Products and convolutions. */
static int form_of_weighted(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op)
{
    int in = type_of(plan, op, 0), weights = type_of(plan, op, 1);
    int out = operand(plan, op->output)->type;
    if (!is_bias(plan, op, in == SL_XNN_QINT8))
        return REFUSED;
    if (in == SL_XNN_QINT8)
        return out == SL_XNN_QINT8 && op->kind != SL_XNN_OP_DYNAMIC_GEMM &&
                       (weights == SL_XNN_QINT8 || weights == SL_XNN_QCINT8)
                   ? SL_XNN_FORM_QS8
                   : REFUSED;
    if (in == SL_XNN_QDINT8)
        return form_of_dynamic(op, weights, out);
    if (!is_float(in) || !is_float(weights))
        return REFUSED;
    if (op->kind == SL_XNN_OP_DYNAMIC_GEMM)
        return in == out && weights == in && in != SL_XNN_BF16 ? form_of_float(in) : REFUSED;
    if (in == SL_XNN_BF16 && out == SL_XNN_FP32)
        return op->kind == SL_XNN_OP_GEMM ? SL_XNN_FORM_WIDE : REFUSED;
    return in == out ? form_of_float(in) : REFUSED;
}

/* ExecuTorch's exporter calls the places fp32 and moves them as such; what XNNPACK writes there is
 * int32. */
static int form_of_argmax(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op)
{
    int places = operand(plan, op->output2)->type;
    bool known = operand(plan, op->output)->type == SL_XNN_FP32 &&
                 (places == SL_XNN_FP32 || places == SL_XNN_INT32);
    return is_uniform(plan, op) && known ? SL_XNN_FORM_F32 : REFUSED;
}

static int form_of(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op)
{
    switch (op->kind) {
    case SL_XNN_OP_TRANSPOSE:
    case SL_XNN_OP_RESHAPE:
    case SL_XNN_OP_COPY:
    case SL_XNN_OP_PAD:
    case SL_XNN_OP_SLICE:
    case SL_XNN_OP_CONCAT:
        return form_of_move(plan, op);
    case SL_XNN_OP_CONVERT:
        return form_of_convert(plan, op);
    case SL_XNN_OP_CONV:
    case SL_XNN_OP_DEPTHWISE:
    case SL_XNN_OP_DECONV:
    case SL_XNN_OP_GEMM:
    case SL_XNN_OP_DYNAMIC_GEMM:
        return form_of_weighted(plan, op);
    case SL_XNN_OP_BATCH_GEMM:
        return is_uniform(plan, op) ? form_of_float(operand(plan, op->output)->type) : REFUSED;
    case SL_XNN_OP_ARGMAX:
        return form_of_argmax(plan, op);
    default:
        return form_of_function(plan, op);
    }
}

static int settle_form(const struct sl_xnn_plan *plan, struct sl_xnn_op *op, struct sl_diag *diag)
{
    char what[128] = "it does not compute ";
    int length = 20;
    op->form = form_of(plan, op);
    if (op->form >= 0)
        return 0;
    for (uint32_t k = 0; k < op->input_count; k++)
        if (type_of(plan, op, k) != 0)
            length += snprintf(what + length, sizeof(what) - (size_t)length, "%s%s",
                               k == 0 ? "" : ", ", sl_xnn_datatype_name(type_of(plan, op, k)));
    snprintf(what + length, sizeof(what) - (size_t)length, " to %s with these scales",
             sl_xnn_datatype_name(operand(plan, op->output)->type));
    return sl_xnn_op_error(op, diag, SL_ET_NOT_SUPPORTED, what);
}

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

/* Settles the details that a node's kind leaves open. */
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
        rc = settle_form(plan, &plan->ops[i], diag);
    return rc != 0 ? rc : check_order(plan, diag);
}
