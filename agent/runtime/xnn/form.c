/* agent/runtime/xnn/form.c: what operators compute in, by the types of their operands. */
#include <stdio.h>

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

bool sl_xnn_keeps_scaling(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op)
{
    const struct sl_xnn_scaling *out = &operand(plan, op->output)->quant;
    for (uint32_t k = 0; k < op->input_count; k++) {
        const struct sl_xnn_scaling *in = &operand(plan, op->inputs[k])->quant;
        if (in->scale != out->scale || in->zero_point != out->zero_point)
            return false;
    }
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

int sl_xnn_settle_form(const struct sl_xnn_plan *plan, struct sl_xnn_op *op, struct sl_diag *diag)
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
