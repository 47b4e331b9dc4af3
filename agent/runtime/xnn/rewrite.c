/* agent/runtime/xnn/rewrite.c: the graph rewrites that XNNPACK does before it makes operators. */
#include <math.h>
#include <string.h>

#include "agent/runtime/xnn/plan.h"
#include "common/base/mem.h"
#include "kernels/cpu/half.h"

static bool is_internal(const struct sl_xnn_operand *operand)
{
    return !operand->external_input && !operand->external_output && !operand->constant;
}

/* The live operator that writes `operand` for its only reader, or NULL. */
static struct sl_xnn_op *sole_producer(struct sl_xnn_plan *plan, int32_t operand)
{
    const struct sl_xnn_operand *o = &plan->operands[operand];
    if (!is_internal(o) || o->uses != 1 || o->producer == SL_XNN_NONE)
        return NULL;
    return &plan->ops[o->producer];
}

/* `op` vanishes; its producer writes its output instead. */
static void merge_into_producer(struct sl_xnn_plan *plan, struct sl_xnn_op *op,
                                struct sl_xnn_op *producer)
{
    plan->operands[op->inputs[0]].uses = 0;
    plan->operands[op->inputs[0]].producer = SL_XNN_NONE;
    plan->operands[op->output].producer = (int32_t)(producer - plan->ops);
    producer->output = op->output;
    op->dead = true;
}

/* The first element of a constant of floats. */
static bool number_of(const struct sl_xnn_operand *operand, float *out)
{
    uint16_t bits;
    if (!operand->constant)
        return false;
    memcpy(&bits, operand->constant, sizeof(bits));
    if (operand->type == SL_XNN_FP32)
        memcpy(out, operand->constant, sizeof(*out));
    else if (operand->type == SL_XNN_FP16)
        *out = sl_half_to_float(bits);
    else if (operand->type == SL_XNN_BF16)
        *out = sl_bfloat_to_float(bits);
    else
        return false;
    return true;
}

/* min or max with one constant number. */
static void binary_to_clamp(struct sl_xnn_plan *plan, struct sl_xnn_op *op)
{
    bool is_max = op->code == SL_BINARY_MAXIMUM;
    if (!is_max && op->code != SL_BINARY_MINIMUM)
        return;
    for (uint32_t k = 0; k < 2; k++) {
        struct sl_xnn_operand *number = &plan->operands[op->inputs[k]];
        const struct sl_xnn_operand *other = &plan->operands[op->inputs[1 - k]];
        float value;
        if (number->count != 1 || number->rank > other->rank || !number_of(number, &value))
            continue;
        op->kind = SL_XNN_OP_CLAMP;
        op->min = is_max ? value : -INFINITY;
        op->max = is_max ? INFINITY : value;
        op->inputs[0] = op->inputs[1 - k];
        op->input_count = 1;
        number->uses--;
        return;
    }
}

static bool takes_clamp(const struct sl_xnn_op *op)
{
    switch (op->kind) {
    case SL_XNN_OP_CONV:
    case SL_XNN_OP_DEPTHWISE:
    case SL_XNN_OP_DECONV:
    case SL_XNN_OP_GEMM:
    case SL_XNN_OP_DYNAMIC_GEMM:
    case SL_XNN_OP_MAX_POOL:
    case SL_XNN_OP_AVG_POOL:
    case SL_XNN_OP_CLAMP:
        return true;
    default:
        return false;
    }
}

static void rewrite_clamp(struct sl_xnn_plan *plan, struct sl_xnn_op *op)
{
    struct sl_xnn_op *producer = sole_producer(plan, op->inputs[0]);
    if (producer && takes_clamp(producer)) {
        producer->min = fmaxf(producer->min, op->min);
        producer->max = fminf(producer->max, op->max);
        merge_into_producer(plan, op, producer);
        return;
    }
    if (op->min == -INFINITY && op->max == INFINITY) {
        op->kind = SL_XNN_OP_COPY;
        op->form = SL_XNN_FORM_BYTES;
    }
}

static void rewrite_copy(struct sl_xnn_plan *plan, struct sl_xnn_op *op)
{
    struct sl_xnn_operand *in = &plan->operands[op->inputs[0]];
    struct sl_xnn_operand *out = &plan->operands[op->output];
    struct sl_xnn_op *producer = sole_producer(plan, op->inputs[0]);
    if (is_internal(out)) {
        out->memory = op->inputs[0]; /* readers will find the input here */
        in->uses += out->uses - 1;
        out->uses = 0;
        op->dead = true;
    } else if (producer) {
        merge_into_producer(plan, op, producer);
    }
}

/* `op` reads what its input's producer, whom nobody else needs, reads as input k. */
static void skip_producer(struct sl_xnn_plan *plan, struct sl_xnn_op *op, uint32_t k,
                          struct sl_xnn_op *producer)
{
    plan->operands[op->inputs[k]].uses = 0;
    producer->dead = true;
    op->inputs[k] = producer->inputs[0];
}

/* A transpose of the last two dimensions of the right operand of a product becomes a flag of it. */
static void absorb_transpose(struct sl_xnn_plan *plan, struct sl_xnn_op *op)
{
    struct sl_xnn_op *producer = sole_producer(plan, op->inputs[1]);
    if (!producer || producer->kind != SL_XNN_OP_TRANSPOSE)
        return;
    const struct sl_xnn_node *n = producer->node;
    if (n->param_count < 2 || n->params[n->param_count - 1] != n->param_count - 2 ||
        n->params[n->param_count - 2] != n->param_count - 1)
        return;
    for (uint32_t i = 0; i + 2 < n->param_count; i++)
        if (n->params[i] != i)
            return;
    skip_producer(plan, op, 1, producer);
    op->transposed = !op->transposed;
}

/* The mean of a square is one operator. */
static void absorb_square(struct sl_xnn_plan *plan, struct sl_xnn_op *op)
{
    struct sl_xnn_op *producer = sole_producer(plan, op->inputs[0]);
    if (!producer || producer->kind != SL_XNN_OP_SQUARE || op->form == SL_XNN_FORM_QS8)
        return;
    plan->operands[producer->inputs[0]].uses -= producer->input_count - 1; /* read once now */
    skip_producer(plan, op, 0, producer);
    op->kind = SL_XNN_OP_MEAN_SQUARED;
}

/* Rows are quantised inside the product, whoever else reads the conversion. */
static void absorb_quantisation(struct sl_xnn_plan *plan, struct sl_xnn_op *op)
{
    struct sl_xnn_operand *in = &plan->operands[op->inputs[0]];
    if (op->form != SL_XNN_FORM_QD8 || in->producer == SL_XNN_NONE)
        return;
    const struct sl_xnn_op *producer = &plan->ops[in->producer];
    int32_t from = producer->inputs[0];
    if (producer->kind != SL_XNN_OP_CONVERT || plan->operands[from].type == SL_XNN_BF16)
        return;
    in->uses--;
    plan->operands[from].uses++;
    op->inputs[0] = from;
}

/* Takes over the input of a reshape that nobody else reads; a constant gets its shape at once. */
static void rewrite_reshape(struct sl_xnn_plan *plan, struct sl_xnn_op *op)
{
    struct sl_xnn_operand *in = &plan->operands[op->inputs[0]];
    struct sl_xnn_operand *out = &plan->operands[op->output];
    if (in->constant && is_internal(out) && in->count == out->count) {
        out->constant = in->constant;
        out->producer = SL_XNN_NONE;
        in->uses--;
        op->dead = true;
        return;
    }
    struct sl_xnn_op *producer = sole_producer(plan, op->inputs[0]);
    if (producer && producer->kind == SL_XNN_OP_RESHAPE)
        skip_producer(plan, op, 0, producer);
}

/* XNNPACK does not look at half precision here. */
static bool pads_with_zeros_in_space(const struct sl_xnn_plan *plan, const struct sl_xnn_op *pad)
{
    const struct sl_xnn_node *n = pad->node;
    int type = plan->operands[pad->output].type;
    return (type == SL_XNN_FP32 || type == SL_XNN_QINT8) && n->param_count == 4 &&
           n->alpha == 0.0f && n->params[0] == 0 && n->params[3] == 0 && n->params2[0] == 0 &&
           n->params2[3] == 0;
}

static void fold_padding(struct sl_xnn_plan *plan, struct sl_xnn_op *op)
{
    struct sl_xnn_op *pad = sole_producer(plan, op->inputs[0]);
    if (!pad || pad->kind != SL_XNN_OP_PAD || !pads_with_zeros_in_space(plan, pad) ||
        (op->node->flags & SL_XNN_FLAG_SAME_PADDING))
        return;
    const struct sl_xnn_node *n = pad->node;
    struct sl_xnn_window *w = &op->window;
    struct sl_xnn_window sum = *w;
    if (__builtin_add_overflow(w->padding_top, n->params[1], &sum.padding_top) ||
        __builtin_add_overflow(w->padding_left, n->params[2], &sum.padding_left) ||
        __builtin_add_overflow(w->padding_bottom, n->params2[1], &sum.padding_bottom) ||
        __builtin_add_overflow(w->padding_right, n->params2[2], &sum.padding_right))
        return;
    *w = sum;
    skip_producer(plan, op, 0, pad);
}

static void rewrite_op(struct sl_xnn_plan *plan, struct sl_xnn_op *op)
{
    if (op->dead)
        return;
    for (uint32_t k = 0; k < op->input_count; k++)
        if (op->inputs[k] != SL_XNN_NONE)
            op->inputs[k] = plan->operands[op->inputs[k]].memory; /* one hop: copies go in order */
    if (op->kind == SL_XNN_OP_BINARY) {
        if (op->code == SL_BINARY_MULTIPLY && op->inputs[0] == op->inputs[1])
            op->kind = SL_XNN_OP_SQUARE;
        else
            binary_to_clamp(plan, op);
    }
    switch (op->kind) {
    case SL_XNN_OP_CLAMP:
        rewrite_clamp(plan, op);
        break;
    case SL_XNN_OP_RESHAPE:
        rewrite_reshape(plan, op);
        break;
    case SL_XNN_OP_CONV:
    case SL_XNN_OP_DEPTHWISE:
        fold_padding(plan, op);
        break;
    case SL_XNN_OP_GEMM:
        absorb_quantisation(plan, op);
        break;
    case SL_XNN_OP_DYNAMIC_GEMM:
    case SL_XNN_OP_BATCH_GEMM:
        absorb_transpose(plan, op);
        break;
    case SL_XNN_OP_MEAN:
        absorb_square(plan, op);
        break;
    default:
        break;
    }
    if (op->kind == SL_XNN_OP_COPY)
        rewrite_copy(plan, op);
}

static bool is_needed(const struct sl_xnn_plan *plan, int32_t operand)
{
    return plan->operands[operand].external_output || plan->operands[operand].uses != 0;
}

/* Operators whose output nobody needs go, last first; the others close ranks. */
static void drop_dead(struct sl_xnn_plan *plan)
{
    uint32_t kept = 0;
    for (uint32_t i = plan->op_count; i > 0; i--) {
        struct sl_xnn_op *op = &plan->ops[i - 1];
        if (op->dead || is_needed(plan, op->output) ||
            (op->output2 != SL_XNN_NONE && is_needed(plan, op->output2)))
            continue;
        op->dead = true;
        for (uint32_t k = 0; k < op->input_count; k++)
            if (op->inputs[k] != SL_XNN_NONE)
                plan->operands[op->inputs[k]].uses--;
    }
    for (uint32_t i = 0; i < plan->op_count; i++) {
        if (plan->ops[i].dead) {
            sl_free(plan->ops[i].table);
            continue;
        }
        if (kept != i) {
            plan->ops[kept] = plan->ops[i];
            plan->ops[i].table = NULL;
        }
        plan->operands[plan->ops[kept].output].producer = (int32_t)kept;
        if (plan->ops[kept].output2 != SL_XNN_NONE)
            plan->operands[plan->ops[kept].output2].producer = (int32_t)kept;
        kept++;
    }
    plan->op_count = kept;
}

void sl_xnn_rewrite(struct sl_xnn_plan *plan)
{
    /* Until layout.c sets it, `memory` names the operand that a vanished copy's output stands for.
     */
    for (uint32_t i = 0; i < plan->operand_count; i++)
        plan->operands[i].memory = (int32_t)i;
    sl_xnn_fuse_tables(plan);
    for (uint32_t i = 0; i < plan->op_count; i++)
        rewrite_op(plan, &plan->ops[i]);
    drop_dead(plan);
}
