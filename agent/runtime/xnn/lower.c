/* agent/runtime/xnn/lower.c: from shaped operators to kernel steps. */
#include <string.h>

#include "agent/runtime/xnn/plan.h"
#include "common/base/error.h"

static const struct sl_xnn_operand *input(const struct sl_xnn_plan *plan,
                                          const struct sl_xnn_op *op, uint32_t k)
{
    return op->inputs[k] == SL_XNN_NONE ? NULL : &plan->operands[op->inputs[k]];
}

static struct sl_constants constants_of(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op)
{
    const struct sl_xnn_operand *bias = input(plan, op, 2);
    return (struct sl_constants){
        .weights = input(plan, op, 1)->constant,
        .bias = bias ? bias->constant : NULL,
        .budget = plan->budget,
    };
}

static int lower_gemm(struct sl_xnn_plan *plan, struct sl_xnn_op *op, struct sl_step *step)
{
    const struct sl_xnn_operand *in = input(plan, op, 0), *out = &plan->operands[op->output];
    const struct sl_constants constants = constants_of(plan, op);
    size_t k = in->dims[in->rank - 1], n = out->dims[out->rank - 1];
    return sl_step_gemm(step, plan->isa, out->count / n, n, k, op->transposed, &constants,
                        &op->weights);
}

/* Packs, then multiplies. */
static int lower_dynamic_gemm(struct sl_xnn_plan *plan, struct sl_xnn_op *op, struct sl_step *steps)
{
    const struct sl_xnn_operand *in = input(plan, op, 0), *out = &plan->operands[op->output];
    const struct sl_constants none = {.budget = plan->budget};
    size_t k = in->dims[in->rank - 1], n = out->dims[out->rank - 1];
    int rc = sl_step_gemm(&steps[1], plan->isa, out->count / n, n, k, op->transposed, &none,
                          &op->weights);
    if (rc == 0)
        sl_step_pack(&steps[0], &steps[1], op->transposed, &op->between_bytes);
    op->step_count = 2;
    return rc;
}

/* A left operand that is [k][m] is transposed first. */
static int lower_batch_gemm(struct sl_xnn_plan *plan, struct sl_xnn_op *op, struct sl_step *steps)
{
    const struct sl_xnn_operand *a = input(plan, op, 0), *b = input(plan, op, 1);
    size_t dims[SL_XNN_MAX_RANK], perm[SL_XNN_MAX_RANK];
    memcpy(dims, a->dims, sizeof(dims));
    if (op->node->flags & SL_XNN_FLAG_TRANSPOSE_A) {
        for (uint32_t i = 0; i < a->rank; i++)
            perm[i] = i;
        perm[a->rank - 2] = a->rank - 1;
        perm[a->rank - 1] = a->rank - 2;
        dims[a->rank - 2] = a->dims[a->rank - 1];
        dims[a->rank - 1] = a->dims[a->rank - 2];
        sl_step_permute(&steps[0], plan->isa, a->rank, a->dims, perm);
        op->between_bytes = a->count * sizeof(float);
        op->step_count = 2;
    }
    const struct sl_batch_shape shape = {a->rank, b->rank, dims, b->dims, op->transposed};
    return sl_step_batch_gemm(&steps[op->step_count - 1], plan->isa, &shape);
}

static struct sl_conv_shape conv_shape(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op)
{
    const struct sl_xnn_operand *in = input(plan, op, 0), *out = &plan->operands[op->output];
    const struct sl_xnn_window *w = &op->window;
    return (struct sl_conv_shape){
        .batch = in->dims[0],
        .in_h = in->dims[1],
        .in_w = in->dims[2],
        .out_h = out->dims[1],
        .out_w = out->dims[2],
        .groups = w->groups,
        .group_in_c = w->group_input_channels,
        .group_out_c = w->group_output_channels,
        .kernel_h = w->kernel_height,
        .kernel_w = w->kernel_width,
        .stride_h = w->stride_height,
        .stride_w = w->stride_width,
        .dilation_h = w->dilation_height,
        .dilation_w = w->dilation_width,
        .pad_top = w->padding_top,
        .pad_left = w->padding_left,
    };
}

static int lower_conv(struct sl_xnn_plan *plan, struct sl_xnn_op *op, struct sl_step *step)
{
    const struct sl_constants constants = constants_of(plan, op);
    const struct sl_conv_shape shape = conv_shape(plan, op);
    if (op->kind == SL_XNN_OP_CONV)
        return sl_step_conv(step, plan->isa, &shape, &constants, &op->weights);
    if (op->kind == SL_XNN_OP_DECONV)
        return sl_step_deconv(step, plan->isa, &shape, &constants, &op->weights);
    const struct sl_depthwise_shape depthwise = sl_step_depthwise_shape(&shape);
    return sl_step_depthwise(step, plan->isa, &depthwise, &constants, &op->weights);
}

static int lower_pool(struct sl_xnn_plan *plan, struct sl_xnn_op *op, struct sl_step *step)
{
    const struct sl_xnn_operand *in = input(plan, op, 0), *out = &plan->operands[op->output];
    const struct sl_xnn_window *w = &op->window;
    bool average = op->kind == SL_XNN_OP_AVG_POOL;
    const struct sl_pool_args shape = {
        .op = average ? SL_POOL_AVERAGE : SL_POOL_MAX,
        .batch = in->dims[0],
        .in_h = in->dims[1],
        .in_w = in->dims[2],
        .out_h = out->dims[1],
        .out_w = out->dims[2],
        .channels = in->dims[3],
        .kernel_h = w->kernel_height,
        .kernel_w = w->kernel_width,
        .stride_h = w->stride_height,
        .stride_w = w->stride_width,
        .dilation_h = average ? 1 : w->dilation_height,
        .dilation_w = average ? 1 : w->dilation_width,
        .pad_top = w->padding_top,
        .pad_left = w->padding_left,
    };
    return sl_step_pool(step, plan->isa, &shape);
}

static void lower_resize(struct sl_xnn_plan *plan, struct sl_xnn_op *op, struct sl_step *step)
{
    const struct sl_xnn_operand *in = input(plan, op, 0), *out = &plan->operands[op->output];
    const struct sl_resize_args shape = {
        .batch = in->dims[0],
        .channels = in->dims[3],
        .in_h = in->dims[1],
        .in_w = in->dims[2],
        .out_h = out->dims[1],
        .out_w = out->dims[2],
        .align_corners = op->node->flags & SL_XNN_FLAG_ALIGN_CORNERS,
    };
    sl_step_resize(step, plan->isa, &shape);
}

static void lower_transpose(struct sl_xnn_plan *plan, struct sl_xnn_op *op, struct sl_step *step)
{
    const struct sl_xnn_operand *in = input(plan, op, 0);
    size_t perm[SL_XNN_MAX_RANK];
    for (uint32_t i = 0; i < in->rank; i++)
        perm[i] = op->node->params[i];
    sl_step_permute(step, plan->isa, in->rank, in->dims, perm);
}

/* The value's bytes first, then the box inside it. */
static void lower_pad(struct sl_xnn_plan *plan, struct sl_xnn_op *op, struct sl_step *steps)
{
    const struct sl_xnn_operand *in = input(plan, op, 0), *out = &plan->operands[op->output];
    size_t origin[SL_XNN_MAX_RANK] = {0}, at[SL_XNN_MAX_RANK];
    for (uint32_t i = 0; i < in->rank; i++)
        at[i] = op->node->params[i];
    sl_step_fill(&steps[0], out->count, op->node->alpha);
    sl_step_copy_box(&steps[1], in->rank, in->dims, in->dims, origin, out->dims, at);
    op->step_count = 2;
}

static void lower_slice(struct sl_xnn_plan *plan, struct sl_xnn_op *op, struct sl_step *step)
{
    const struct sl_xnn_operand *in = input(plan, op, 0), *out = &plan->operands[op->output];
    size_t origin[SL_XNN_MAX_RANK] = {0}, at[SL_XNN_MAX_RANK];
    for (uint32_t i = 0; i < in->rank; i++)
        at[i] = op->node->params[i];
    sl_step_copy_box(step, in->rank, out->dims, in->dims, at, out->dims, origin);
}

static void lower_concat(struct sl_xnn_plan *plan, struct sl_xnn_op *op, struct sl_step *steps)
{
    const struct sl_xnn_operand *out = &plan->operands[op->output];
    size_t origin[SL_XNN_MAX_RANK] = {0}, at[SL_XNN_MAX_RANK] = {0};
    for (uint32_t k = 0; k < op->input_count; k++) {
        const struct sl_xnn_operand *in = input(plan, op, k);
        sl_step_copy_box(&steps[k], in->rank, in->dims, in->dims, origin, out->dims, at);
        at[op->node->axis] += in->dims[op->node->axis];
    }
    op->step_count = op->input_count;
}

/* The squares first, then their mean. */
static int lower_mean_squared(struct sl_xnn_plan *plan, struct sl_xnn_op *op, struct sl_step *steps)
{
    const struct sl_xnn_operand *in = input(plan, op, 0);
    size_t last = in->dims[in->rank - 1], pixels = in->dims[in->rank - 3] * in->dims[in->rank - 2];
    op->between_bytes = in->count * sizeof(float);
    op->step_count = 2;
    sl_step_reduce(&steps[1], plan->isa, SL_REDUCE_MEAN, in->count / pixels / last, pixels, last);
    return sl_step_binary(&steps[0], plan->isa, SL_BINARY_MULTIPLY, in->rank, in->dims, in->rank,
                          in->dims, in->rank, in->dims);
}

static void lower_reduce(struct sl_xnn_plan *plan, struct sl_xnn_op *op, struct sl_step *step)
{
    const struct sl_xnn_operand *in = input(plan, op, 0);
    size_t last = in->rank != 0 ? in->dims[in->rank - 1] : 1;
    if (op->kind == SL_XNN_OP_SOFTMAX) {
        sl_step_reduce(step, plan->isa, SL_REDUCE_SOFTMAX, in->count / last, last, 1);
        return;
    }
    size_t pixels = in->dims[in->rank - 3] * in->dims[in->rank - 2];
    sl_step_reduce(step, plan->isa, SL_REDUCE_MEAN, in->count / pixels / last, pixels, last);
}

static int lower_binary(struct sl_xnn_plan *plan, struct sl_xnn_op *op, struct sl_step *step)
{
    const struct sl_xnn_operand *a = input(plan, op, 0), *out = &plan->operands[op->output];
    const struct sl_xnn_operand *b = op->kind == SL_XNN_OP_SQUARE ? a : input(plan, op, 1);
    return sl_step_binary(step, plan->isa, op->code, a->rank, a->dims, b->rank, b->dims, out->rank,
                          out->dims);
}

static int lower_any(struct sl_xnn_plan *plan, struct sl_xnn_op *op, struct sl_step *step)
{
    const struct sl_xnn_operand *out = &plan->operands[op->output];
    switch (op->kind) {
    case SL_XNN_OP_CONV:
    case SL_XNN_OP_DEPTHWISE:
    case SL_XNN_OP_DECONV:
        return lower_conv(plan, op, step);
    case SL_XNN_OP_GEMM:
        return lower_gemm(plan, op, step);
    case SL_XNN_OP_DYNAMIC_GEMM:
        return lower_dynamic_gemm(plan, op, step);
    case SL_XNN_OP_BATCH_GEMM:
        return lower_batch_gemm(plan, op, step);
    case SL_XNN_OP_MEAN_SQUARED:
        return lower_mean_squared(plan, op, step);
    case SL_XNN_OP_UNARY:
        sl_step_unary(step, plan->isa, op->code, out->count, op->node->alpha, 0);
        return 0;
    case SL_XNN_OP_BINARY:
    case SL_XNN_OP_SQUARE:
        return lower_binary(plan, op, step);
    case SL_XNN_OP_MAX_POOL:
    case SL_XNN_OP_AVG_POOL:
        return lower_pool(plan, op, step);
    case SL_XNN_OP_MEAN:
    case SL_XNN_OP_SOFTMAX:
        lower_reduce(plan, op, step);
        return 0;
    case SL_XNN_OP_CLAMP:
        sl_step_clamp(step, plan->isa, out->count, op->min, op->max);
        return 0;
    case SL_XNN_OP_TRANSPOSE:
        lower_transpose(plan, op, step);
        return 0;
    case SL_XNN_OP_RESIZE:
        lower_resize(plan, op, step);
        return 0;
    case SL_XNN_OP_PAD:
        lower_pad(plan, op, step);
        return 0;
    case SL_XNN_OP_SLICE:
        lower_slice(plan, op, step);
        return 0;
    case SL_XNN_OP_CONCAT:
        lower_concat(plan, op, step);
        return 0;
    default:
        sl_step_copy_dense(step, out->count * sizeof(float));
        return 0;
    }
}

/* True for moves that leave every element where it is: reshapes, and transposes that only shift
 * dimensions of size 1. */
static bool keeps_order(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op)
{
    const struct sl_xnn_operand *in = input(plan, op, 0);
    size_t last = 0;
    if (op->kind == SL_XNN_OP_RESHAPE)
        return true;
    if (op->kind != SL_XNN_OP_TRANSPOSE)
        return false;
    for (uint32_t i = 0; i < in->rank; i++) {
        size_t from = op->node->params[i];
        if (in->dims[from] == 1)
            continue;
        if (from < last)
            return false;
        last = from;
    }
    return true;
}

int sl_xnn_lower(struct sl_xnn_plan *plan, struct sl_xnn_op *op, struct sl_diag *diag)
{
    struct sl_xnn_operand *out = &plan->operands[op->output];
    struct sl_step *step = &plan->steps[op->step_first];
    op->step_count = 1;
    op->scratch_bytes = op->between_bytes = 0;
    out->memory = op->output;
    if (out->count == 0) {
        sl_step_none(step);
        return 0;
    }
    if (keeps_order(plan, op)) {
        if (out->external_output) {
            sl_step_copy_dense(step, out->count * sizeof(float));
        } else {
            sl_step_none(step);
            out->memory = plan->operands[op->inputs[0]].memory;
        }
        return 0;
    }
    for (uint32_t k = 0; k < op->input_count; k++)
        if (input(plan, op, k) && input(plan, op, k)->count == 0 && op->kind != SL_XNN_OP_CONCAT &&
            op->kind != SL_XNN_OP_PAD)
            return sl_xnn_op_error(op, diag, SL_ET_INVALID_PROGRAM, "its input is empty");
    int rc = lower_any(plan, op, step);
    if (rc != 0)
        return sl_xnn_op_error(op, diag, rc,
                               rc == SL_ET_MEMORY_ALLOCATION_FAILED
                                   ? "its packed weights go over the memory limit"
                                   : "its shape is not one that can be computed");
    sl_step_set_clamp(&step[op->step_count - 1], op->min, op->max);
    op->between_bytes = (op->between_bytes + 63) & ~(size_t)63;
    if (__builtin_add_overflow(op->between_bytes, step[op->step_count - 1].workspace_bytes,
                               &op->scratch_bytes))
        return sl_xnn_op_error(op, diag, SL_ET_MEMORY_ALLOCATION_FAILED,
                               "its scratch memory is too large");
    return 0;
}
