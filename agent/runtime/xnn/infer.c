/* agent/runtime/xnn/infer.c */
#include "agent/runtime/xnn/infer.h"

#include <string.h>

#include "agent/runtime/xnn/plan.h"
#include "common/base/error.h"

static int bad(const struct sl_xnn_op *op, struct sl_diag *diag, const char *what)
{
    return sl_xnn_op_error(op, diag, SL_ET_INVALID_PROGRAM, what);
}

static int set(const struct sl_xnn_op *op, struct sl_xnn_operand *out, uint32_t rank,
               const size_t *dims, struct sl_diag *diag)
{
    return sl_xnn_set_dims(out, rank, dims) ? 0 : bad(op, diag, "its output is too large");
}

static int infer_window(const struct sl_xnn_op *op, const struct sl_xnn_operand *in,
                        struct sl_xnn_operand *out, size_t channels, struct sl_diag *diag)
{
    const struct sl_xnn_window *w = &op->window;
    if (in->rank != 4)
        return bad(op, diag, "its input is not of rank 4");
    size_t dilation_h = w->dilation_height, dilation_w = w->dilation_width;
    if (op->kind == SL_XNN_OP_AVG_POOL)
        dilation_h = dilation_w = 1; /* the fields are unused there */
    size_t dims[4] = {in->dims[0], 0, 0, channels};
    dims[1] = sl_window_out(in->dims[1], w->padding_top, w->padding_bottom, w->kernel_height,
                            w->stride_height, dilation_h);
    dims[2] = sl_window_out(in->dims[2], w->padding_left, w->padding_right, w->kernel_width,
                            w->stride_width, dilation_w);
    if (dims[1] == 0 || dims[2] == 0)
        return bad(op, diag, "its window is not valid");
    return set(op, out, 4, dims, diag);
}

/* The padding before and after that makes ceil(in / stride) outputs. */
static void pad_axis(size_t in, uint32_t kernel, uint32_t stride, uint32_t dilation,
                     uint32_t *before, uint32_t *after)
{
    if (stride == 0 || kernel == 0 || in == 0)
        return; /* refused later */
    uint64_t out = (in + stride - 1) / stride;
    uint64_t needed = (out - 1) * stride + (uint64_t)(kernel - 1) * dilation + 1;
    uint64_t total = needed > in ? needed - in : 0;
    *before = total / 2 > UINT32_MAX ? UINT32_MAX : (uint32_t)(total / 2);
    *after = total - total / 2 > UINT32_MAX ? UINT32_MAX : (uint32_t)(total - total / 2);
}

void sl_xnn_pad_same(struct sl_xnn_plan *plan, struct sl_xnn_op *op)
{
    const struct sl_xnn_operand *in = &plan->operands[op->inputs[0]];
    struct sl_xnn_window *w = &op->window;
    bool average = op->kind == SL_XNN_OP_AVG_POOL;
    if (!(op->node->flags & SL_XNN_FLAG_SAME_PADDING) || in->rank != 4 ||
        (op->kind != SL_XNN_OP_CONV && op->kind != SL_XNN_OP_DEPTHWISE &&
         op->kind != SL_XNN_OP_MAX_POOL && !average))
        return;
    pad_axis(in->dims[1], w->kernel_height, w->stride_height, average ? 1 : w->dilation_height,
             &w->padding_top, &w->padding_bottom);
    pad_axis(in->dims[2], w->kernel_width, w->stride_width, average ? 1 : w->dilation_width,
             &w->padding_left, &w->padding_right);
}

static bool weights_ok(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op, uint64_t oc,
                       uint64_t per_channel)
{
    const struct sl_xnn_operand *weights = &plan->operands[op->inputs[1]];
    bool constant = op->kind != SL_XNN_OP_DYNAMIC_GEMM;
    uint64_t count;
    if ((constant && !weights->constant) || oc == 0 || per_channel == 0 ||
        __builtin_mul_overflow(oc, per_channel, &count) || weights->count != count)
        return false;
    if (op->inputs[2] == SL_XNN_NONE)
        return true;
    const struct sl_xnn_operand *bias = &plan->operands[op->inputs[2]];
    return (!constant || bias->constant) && bias->count == oc;
}

/* stride * (in - 1) + adjustment + extent of the kernel - padding; 0 when that is none. */
static size_t deconv_out(size_t in, size_t kernel, size_t stride, size_t dilation,
                         size_t adjustment, uint64_t padding)
{
    if (in == 0 || !sl_window_ok(in, in, kernel, stride, dilation, 0) || padding > UINT32_MAX)
        return 0;
    uint64_t full = (uint64_t)(in - 1) * stride + adjustment + (kernel - 1) * dilation + 1;
    return full > padding ? (size_t)(full - padding) : 0;
}

static int infer_deconv(const struct sl_xnn_op *op, const struct sl_xnn_operand *in,
                        struct sl_xnn_operand *out, size_t channels, struct sl_diag *diag)
{
    const struct sl_xnn_window *w = &op->window;
    size_t dims[4] = {in->dims[0], 0, 0, channels};
    dims[1] = deconv_out(in->dims[1], w->kernel_height, w->stride_height, w->dilation_height,
                         w->adjustment_height, (uint64_t)w->padding_top + w->padding_bottom);
    dims[2] = deconv_out(in->dims[2], w->kernel_width, w->stride_width, w->dilation_width,
                         w->adjustment_width, (uint64_t)w->padding_left + w->padding_right);
    if (dims[1] == 0 || dims[2] == 0)
        return bad(op, diag, "its window is not valid");
    return set(op, out, 4, dims, diag);
}

static int infer_resize(const struct sl_xnn_op *op, const struct sl_xnn_operand *in,
                        struct sl_xnn_operand *out, struct sl_diag *diag)
{
    if (in->rank != 4 || op->node->params[0] == 0 || op->node->params[1] == 0)
        return bad(op, diag, "its input is not of rank 4 or its size is zero");
    if (op->node->flags & SL_XNN_FLAG_SAME_PADDING) /* the same bit: TensorFlow's legacy mode */
        return sl_xnn_op_error(op, diag, SL_ET_NOT_SUPPORTED, "legacy mode is not supported");
    size_t dims[4] = {in->dims[0], op->node->params[0], op->node->params[1], in->dims[3]};
    return set(op, out, 4, dims, diag);
}

static int infer_conv(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op,
                      const struct sl_xnn_operand *in, struct sl_xnn_operand *out,
                      struct sl_diag *diag)
{
    const struct sl_xnn_window *w = &op->window;
    uint64_t oc = (uint64_t)w->groups * w->group_output_channels;
    uint64_t ic = (uint64_t)w->groups * w->group_input_channels, taps, per_channel;
    if (__builtin_mul_overflow((uint64_t)w->kernel_height, (uint64_t)w->kernel_width, &taps) ||
        __builtin_mul_overflow(taps, (uint64_t)w->group_input_channels, &per_channel) ||
        !weights_ok(plan, op, oc, per_channel))
        return bad(op, diag, "its weights or bias are not constant or not of its shape");
    if (op->kind == SL_XNN_OP_DEPTHWISE && w->group_input_channels != 1)
        return bad(op, diag, "it has more than one input channel a group");
    if (in->rank != 4 || in->dims[3] != ic)
        return bad(op, diag, "its input does not have the channels it wants");
    if (op->kind == SL_XNN_OP_DECONV)
        return infer_deconv(op, in, out, (size_t)oc, diag);
    return infer_window(op, in, out, (size_t)oc, diag);
}

/* Output and input channels of the weights of a product. */
static bool gemm_channels(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op, size_t *oc,
                          size_t *ic)
{
    const struct sl_xnn_operand *weights = &plan->operands[op->inputs[1]];
    if (op->node->type == SL_XNN_CONV2D) {
        *oc = op->window.group_output_channels;
        *ic = op->window.group_input_channels;
        return true;
    }
    if (weights->rank != 2)
        return false;
    *oc = weights->dims[op->transposed ? 1 : 0];
    *ic = weights->dims[op->transposed ? 0 : 1];
    return true;
}

static int infer_gemm(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op,
                      const struct sl_xnn_operand *in, struct sl_xnn_operand *out,
                      struct sl_diag *diag)
{
    size_t oc, ic, dims[SL_XNN_MAX_RANK];
    if (!gemm_channels(plan, op, &oc, &ic) || !weights_ok(plan, op, oc, ic))
        return bad(op, diag, "its weights or bias are not constant or not of its shape");
    if (in->rank == 0 || in->dims[in->rank - 1] != ic)
        return bad(op, diag, "its input does not have the channels it wants");
    memcpy(dims, in->dims, sizeof(dims));
    dims[in->rank - 1] = oc;
    return set(op, out, in->rank, dims, diag);
}

/* The output's dimension `i` from the end; false when the two do not broadcast. */
static bool broadcast(const struct sl_xnn_operand *a, const struct sl_xnn_operand *b, uint32_t i,
                      size_t *out)
{
    size_t m = i <= a->rank ? a->dims[a->rank - i] : 1;
    size_t n = i <= b->rank ? b->dims[b->rank - i] : 1;
    *out = m == 1 ? n : m;
    return m == n || m == 1 || n == 1;
}

static int infer_batch_gemm(const struct sl_xnn_op *op, const struct sl_xnn_operand *a,
                            const struct sl_xnn_operand *b, struct sl_xnn_operand *out,
                            struct sl_diag *diag)
{
    size_t dims[SL_XNN_MAX_RANK];
    uint32_t rank = a->rank > b->rank ? a->rank : b->rank;
    bool a_transposed = op->node->flags & SL_XNN_FLAG_TRANSPOSE_A;
    if (a->rank < 2 || b->rank < 2)
        return bad(op, diag, "its inputs have fewer than two dimensions");
    if (a->dims[a->rank - (a_transposed ? 2 : 1)] != b->dims[b->rank - (op->transposed ? 1 : 2)])
        return bad(op, diag, "its inputs do not have one inner size");
    for (uint32_t i = 3; i <= rank; i++)
        if (!broadcast(a, b, i, &dims[rank - i]))
            return bad(op, diag, "its inputs do not broadcast");
    dims[rank - 2] = a->dims[a->rank - (a_transposed ? 1 : 2)];
    dims[rank - 1] = b->dims[b->rank - (op->transposed ? 2 : 1)];
    return set(op, out, rank, dims, diag);
}

static int infer_binary(const struct sl_xnn_op *op, const struct sl_xnn_operand *a,
                        const struct sl_xnn_operand *b, struct sl_xnn_operand *out,
                        struct sl_diag *diag)
{
    size_t dims[SL_XNN_MAX_RANK];
    uint32_t rank = a->rank > b->rank ? a->rank : b->rank;
    for (uint32_t i = 1; i <= rank; i++)
        if (!broadcast(a, b, i, &dims[rank - i]))
            return bad(op, diag, "its inputs do not broadcast");
    return set(op, out, rank, dims, diag);
}

static int infer_mean(const struct sl_xnn_op *op, const struct sl_xnn_operand *in,
                      struct sl_xnn_operand *out, struct sl_diag *diag)
{
    size_t dims[SL_XNN_MAX_RANK];
    uint32_t rank = in->rank;
    if (rank < 3)
        return bad(op, diag, "its input has fewer than three dimensions");
    memcpy(dims, in->dims, sizeof(dims));
    if (op->node->flags & SL_XNN_FLAG_KEEP_DIMS) {
        dims[rank - 3] = dims[rank - 2] = 1;
    } else {
        dims[rank - 3] = dims[rank - 1];
        rank -= 2;
    }
    return set(op, out, rank, dims, diag);
}

static int infer_transpose(const struct sl_xnn_op *op, const struct sl_xnn_operand *in,
                           struct sl_xnn_operand *out, struct sl_diag *diag)
{
    size_t dims[SL_XNN_MAX_RANK];
    if (op->node->param_count != in->rank)
        return bad(op, diag, "its permutation is not of its input's rank");
    for (uint32_t i = 0; i < in->rank; i++)
        dims[i] = in->dims[op->node->params[i]];
    return set(op, out, in->rank, dims, diag);
}

static int infer_reshape(const struct sl_xnn_op *op, const struct sl_xnn_operand *in,
                         struct sl_xnn_operand *out, struct sl_diag *diag)
{
    size_t dims[SL_XNN_MAX_RANK], known = 1;
    uint32_t rank = op->node->param_count, inferred = rank;
    for (uint32_t i = 0; i < rank; i++) {
        dims[i] = op->node->params[i];
        if (dims[i] == 0 && inferred == rank)
            inferred = i;
        else if (__builtin_mul_overflow(known, dims[i], &known))
            return bad(op, diag, "its shape is too large");
    }
    if (inferred < rank && known != 0)
        dims[inferred] = in->count / known;
    int rc = set(op, out, rank, dims, diag);
    if (rc == 0 && out->count != in->count)
        return bad(op, diag, "its shape does not hold as many elements as its input");
    return rc;
}

static int infer_box(const struct sl_xnn_op *op, const struct sl_xnn_operand *in,
                     struct sl_xnn_operand *out, struct sl_diag *diag)
{
    const struct sl_xnn_node *n = op->node;
    size_t dims[SL_XNN_MAX_RANK];
    if (n->param_count != in->rank)
        return bad(op, diag, "its parameters are not of its input's rank");
    for (uint32_t i = 0; i < in->rank; i++) {
        if (op->kind == SL_XNN_OP_PAD) {
            dims[i] = in->dims[i] + n->params[i] + n->params2[i];
            continue;
        }
        bool whole = n->params[i] == 0 && n->params2[i] == 0;
        dims[i] = whole ? in->dims[i] : n->params2[i];
        if ((uint64_t)n->params[i] + dims[i] > in->dims[i])
            return bad(op, diag, "it reaches past its input");
    }
    return set(op, out, in->rank, dims, diag);
}

/* Windows side by side that cover the image: what the exporter writes. */
static int infer_argmax(struct sl_xnn_plan *plan, const struct sl_xnn_op *op,
                        const struct sl_xnn_operand *in, struct sl_diag *diag)
{
    const struct sl_xnn_window *w = &op->window;
    if (in->rank != 4 || w->kernel_height == 0 || w->kernel_width == 0 || w->padding_top != 0 ||
        w->padding_right != 0 || w->padding_bottom != 0 || w->padding_left != 0)
        return bad(op, diag, "its input is not of rank 4, or its window is empty or padded");
    if (in->dims[1] % w->kernel_height != 0 || in->dims[2] % w->kernel_width != 0)
        return bad(op, diag, "its windows do not cover its input");
    const size_t dims[4] = {in->dims[0], in->dims[1] / w->kernel_height,
                            in->dims[2] / w->kernel_width, in->dims[3]};
    int rc = set(op, &plan->operands[op->output], 4, dims, diag);
    return rc != 0 ? rc : set(op, &plan->operands[op->output2], 4, dims, diag);
}

static int infer_concat(struct sl_xnn_plan *plan, const struct sl_xnn_op *op,
                        struct sl_xnn_operand *out, struct sl_diag *diag)
{
    const struct sl_xnn_operand *first = &plan->operands[op->inputs[0]];
    uint32_t axis = op->node->axis;
    size_t dims[SL_XNN_MAX_RANK];
    if (axis >= first->rank)
        return bad(op, diag, "its axis is not one of its input's");
    memcpy(dims, first->dims, sizeof(dims));
    for (uint32_t k = 1; k < op->input_count; k++) {
        const struct sl_xnn_operand *in = &plan->operands[op->inputs[k]];
        if (in->rank != first->rank)
            return bad(op, diag, "its inputs differ in rank");
        for (uint32_t i = 0; i < in->rank; i++)
            if (i != axis && in->dims[i] != first->dims[i])
                return bad(op, diag, "its inputs differ in shape");
        dims[axis] += in->dims[axis];
    }
    return set(op, out, first->rank, dims, diag);
}

int sl_xnn_infer(struct sl_xnn_plan *plan, const struct sl_xnn_op *op, struct sl_diag *diag)
{
    const struct sl_xnn_operand *in = &plan->operands[op->inputs[0]];
    struct sl_xnn_operand *out = &plan->operands[op->output];
    switch (op->kind) {
    case SL_XNN_OP_CONV:
    case SL_XNN_OP_DEPTHWISE:
    case SL_XNN_OP_DECONV:
        return infer_conv(plan, op, in, out, diag);
    case SL_XNN_OP_RESIZE:
        return infer_resize(op, in, out, diag);
    case SL_XNN_OP_GEMM:
    case SL_XNN_OP_DYNAMIC_GEMM:
        return infer_gemm(plan, op, in, out, diag);
    case SL_XNN_OP_BATCH_GEMM:
        return infer_batch_gemm(op, in, &plan->operands[op->inputs[1]], out, diag);
    case SL_XNN_OP_BINARY:
        return infer_binary(op, in, &plan->operands[op->inputs[1]], out, diag);
    case SL_XNN_OP_MAX_POOL:
    case SL_XNN_OP_AVG_POOL:
        return infer_window(op, in, out, in->rank == 4 ? in->dims[3] : 0, diag);
    case SL_XNN_OP_MEAN:
    case SL_XNN_OP_MEAN_SQUARED:
        return infer_mean(op, in, out, diag);
    case SL_XNN_OP_TRANSPOSE:
        return infer_transpose(op, in, out, diag);
    case SL_XNN_OP_RESHAPE:
        return infer_reshape(op, in, out, diag);
    case SL_XNN_OP_PAD:
    case SL_XNN_OP_SLICE:
        return infer_box(op, in, out, diag);
    case SL_XNN_OP_ARGMAX:
        return infer_argmax(plan, op, in, diag);
    case SL_XNN_OP_CONCAT:
        return infer_concat(plan, op, out, diag);
    default:
        return set(op, out, in->rank, in->dims, diag);
    }
}
