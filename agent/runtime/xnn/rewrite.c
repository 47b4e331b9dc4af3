/* agent/runtime/xnn/rewrite.c */
#include "agent/runtime/xnn/rewrite.h"

#include <math.h>
#include <string.h>

#include "agent/runtime/xnn/plan.h"
#include "agent/runtime/xnn/table.h"
#include "common/base/mem.h"
#include "kernels/cpu/half.h"

static bool is_needed(const struct sl_xnn_plan *plan, int32_t operand)
{
    return plan->operands[operand].external_output || plan->operands[operand].uses != 0;
}

/* Operators whose output nobody needs go, last first. */
static void find_dead(struct sl_xnn_plan *plan)
{
    for (uint32_t i = plan->op_count; i > 0; i--) {
        struct sl_xnn_op *op = &plan->ops[i - 1];
        if (op->dead || is_needed(plan, op->output) ||
            (op->output2 != SL_XNN_NONE && is_needed(plan, op->output2)))
            continue;
        op->dead = true;
        for (uint32_t k = 0; k < op->input_count; k++)
            if (op->inputs[k] != SL_XNN_NONE && !sl_xnn_is_repeated(op, k))
                plan->operands[op->inputs[k]].uses--;
    }
}

/* The living close ranks. */
static void drop_dead(struct sl_xnn_plan *plan)
{
    uint32_t kept = 0;
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

/* If the right operand of a product of floats is made of int8 around zero for it alone, XNNPACK
 * takes the int8 as it is and scales columns. We make it float all the same, which differs by
 * rounding, but keep XNNPACK's names and order. Returns the conversion, or NULL. */
static struct sl_xnn_op *conversion_of(struct sl_xnn_plan *plan, const struct sl_xnn_op *op)
{
    if (op->kind != SL_XNN_OP_BATCH_GEMM || op->form != SL_XNN_FORM_F32)
        return NULL;
    const struct sl_xnn_operand *b = &plan->operands[op->inputs[1]];
    if (b->uses != 1 || b->external_output || b->producer == SL_XNN_NONE ||
        plan->operands[op->inputs[0]].rank < 2)
        return NULL;
    struct sl_xnn_op *convert = &plan->ops[b->producer];
    const struct sl_xnn_operand *from = &plan->operands[convert->inputs[0]];
    bool fits = convert->kind == SL_XNN_OP_CONVERT && from->type == SL_XNN_QINT8 &&
                from->quant.zero_point == 0 && from->rank >= 2;
    return fits ? convert : NULL;
}

static bool is_ready(const struct sl_xnn_op *op, const bool *written)
{
    for (uint32_t k = 0; k < op->input_count; k++)
        if (op->inputs[k] != SL_XNN_NONE && !written[op->inputs[k]])
            return false;
    return true;
}

/* Puts the operators into `sorted` as XNNPACK does after new nodes went to the end: again and again
 * from the first, every one whose inputs are there. `order` is theirs before. False when one of
 * them never gets its inputs. */
static bool sort(const struct sl_xnn_plan *plan, uint32_t *order, bool *written,
                 struct sl_xnn_op *sorted)
{
    uint32_t placed = 0, left = plan->op_count;
    while (left != 0) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < left; i++) {
            const struct sl_xnn_op *op = &plan->ops[order[i]];
            if (!is_ready(op, written)) {
                order[kept++] = order[i];
                continue;
            }
            written[op->output] = true;
            if (op->output2 != SL_XNN_NONE)
                written[op->output2] = true;
            sorted[placed++] = *op;
        }
        if (kept == left)
            return false;
        left = kept;
    }
    return true;
}

/* The conversions of such products go to the end, each once, in the order of the products. */
static void move_conversions(struct sl_xnn_plan *plan, uint32_t *order, bool *written,
                             struct sl_xnn_op *sorted)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->op_count; i++)
        if (plan->ops[i].kind != SL_XNN_OP_CONVERT || !plan->ops[i].by_channel)
            order[count++] = i;
    for (uint32_t i = 0; i < plan->op_count; i++)
        if (plan->ops[i].kind == SL_XNN_OP_BATCH_GEMM && plan->ops[i].by_channel)
            order[count++] = (uint32_t)plan->operands[plan->ops[i].inputs[1]].producer;
    for (uint32_t i = 0; i < plan->operand_count; i++)
        written[i] = plan->operands[i].producer == SL_XNN_NONE;
    bool whole = sort(plan, order, written, sorted);
    for (uint32_t i = 0; i < plan->op_count && whole; i++) {
        plan->ops[i] = sorted[i];
        plan->operands[sorted[i].output].producer = (int32_t)i;
        if (sorted[i].output2 != SL_XNN_NONE)
            plan->operands[sorted[i].output2].producer = (int32_t)i;
    }
}

/* Without memory for it nothing changes. */
static void keep_int8(struct sl_xnn_plan *plan)
{
    bool any = false;
    for (uint32_t i = 0; i < plan->op_count; i++)
        any = any || conversion_of(plan, &plan->ops[i]);
    if (!any)
        return;
    uint32_t *order = sl_calloc(plan->op_count, sizeof(*order));
    bool *written = sl_calloc(plan->operand_count, sizeof(*written));
    struct sl_xnn_op *sorted = sl_calloc(plan->op_count, sizeof(*sorted));
    if (order && written && sorted) {
        for (uint32_t i = 0; i < plan->op_count; i++) {
            struct sl_xnn_op *convert = conversion_of(plan, &plan->ops[i]);
            if (convert)
                convert->by_channel = plan->ops[i].by_channel = true;
        }
        move_conversions(plan, order, written, sorted);
    }
    sl_free(order);
    sl_free(written);
    sl_free(sorted);
}

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

/* Readers of the output of `op`, which vanishes, find its input there. */
static void bypass(struct sl_xnn_plan *plan, struct sl_xnn_op *op)
{
    struct sl_xnn_operand *out = &plan->operands[op->output];
    out->memory = op->inputs[0];
    plan->operands[op->inputs[0]].uses += out->uses - 1;
    out->uses = 0;
    op->dead = true;
}

/* Whatever is between the two bounds of the later clamp stays there, also where they do not meet
 * those of the earlier. */
static float bounded(float value, const struct sl_xnn_op *clamp)
{
    return fminf(fmaxf(value, clamp->min), clamp->max);
}

static void rewrite_clamp(struct sl_xnn_plan *plan, struct sl_xnn_op *op)
{
    struct sl_xnn_op *producer = sole_producer(plan, op->inputs[0]);
    if (producer && takes_clamp(producer)) {
        producer->min = bounded(producer->min, op);
        producer->max = bounded(producer->max, op);
        merge_into_producer(plan, op, producer);
    } else if (op->min == -INFINITY && op->max == INFINITY) {
        if (is_internal(&plan->operands[op->output])) {
            bypass(plan, op);
        } else if (producer) {
            merge_into_producer(plan, op, producer);
        } else {
            op->kind = SL_XNN_OP_COPY;
            op->form = SL_XNN_FORM_BYTES;
        }
    }
}

/* The operator after `op` that is the only one to read its output, when none between reads its
 * input: it may as well read that. */
static bool reads_next(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op)
{
    for (const struct sl_xnn_op *next = op + 1; next < plan->ops + plan->op_count; next++) {
        for (uint32_t k = 0; k < next->input_count && !next->dead; k++)
            if (next->inputs[k] == op->output)
                return true;
        for (uint32_t k = 0; k < next->input_count && !next->dead; k++)
            if (next->inputs[k] == op->inputs[0])
                return false;
    }
    return false;
}

/* A copy goes where its producer can write, or its only reader can read, the other value. */
static void rewrite_copy(struct sl_xnn_plan *plan, struct sl_xnn_op *op)
{
    const struct sl_xnn_operand *out = &plan->operands[op->output];
    struct sl_xnn_op *producer = sole_producer(plan, op->inputs[0]);
    if (producer)
        merge_into_producer(plan, op, producer);
    else if (is_internal(out) && out->uses == 1 && reads_next(plan, op))
        bypass(plan, op);
}

/* `op` reads what its input's producer, whom nobody else needs, reads as input k. */
static void skip_producer(struct sl_xnn_plan *plan, struct sl_xnn_op *op, uint32_t k,
                          struct sl_xnn_op *producer)
{
    plan->operands[op->inputs[k]].uses = 0;
    producer->dead = true;
    op->inputs[k] = producer->inputs[0];
}

/* The same, but its input has other readers. */
static void read_past(struct sl_xnn_plan *plan, struct sl_xnn_op *op,
                      const struct sl_xnn_op *producer)
{
    plan->operands[op->inputs[0]].uses--;
    plan->operands[producer->inputs[0]].uses++;
    op->inputs[0] = producer->inputs[0];
}

/* A transpose of the last two dimensions of the right operand of a product becomes a flag of it. */
static bool turns_matrices(const struct sl_xnn_op *op)
{
    const struct sl_xnn_node *n = op->node;
    if (op->kind != SL_XNN_OP_TRANSPOSE || n->param_count < 2 ||
        n->params[n->param_count - 1] != n->param_count - 2 ||
        n->params[n->param_count - 2] != n->param_count - 1)
        return false;
    for (uint32_t i = 0; i + 2 < n->param_count; i++)
        if (n->params[i] != i)
            return false;
    return true;
}

static void absorb_transpose(struct sl_xnn_plan *plan, struct sl_xnn_op *op)
{
    struct sl_xnn_op *producer = sole_producer(plan, op->inputs[1]);
    for (; producer && turns_matrices(producer); producer = sole_producer(plan, op->inputs[1])) {
        if (op->inputs[0] == op->inputs[1]) { /* the left operand stays turned */
            op->inputs[1] = producer->inputs[0];
            plan->operands[op->inputs[1]].uses++;
        } else {
            skip_producer(plan, op, 1, producer);
        }
        op->transposed = !op->transposed;
    }
}

/* The mean of a square is one operator, whoever else reads the square. */
static void absorb_square(struct sl_xnn_plan *plan, struct sl_xnn_op *op)
{
    struct sl_xnn_operand *in = &plan->operands[op->inputs[0]];
    if (in->producer == SL_XNN_NONE || op->form == SL_XNN_FORM_QS8)
        return;
    struct sl_xnn_op *producer = &plan->ops[in->producer];
    if (producer->kind != SL_XNN_OP_SQUARE)
        return;
    if (sole_producer(plan, op->inputs[0]) == producer)
        skip_producer(plan, op, 0, producer);
    else
        read_past(plan, op, producer);
    op->kind = SL_XNN_OP_MEAN_SQUARED;
}

/* Rows are quantised inside the product, whoever else reads the conversion. */
static void absorb_quantisation(struct sl_xnn_plan *plan, struct sl_xnn_op *op)
{
    const struct sl_xnn_operand *in = &plan->operands[op->inputs[0]];
    if (op->form != SL_XNN_FORM_QD8 || in->producer == SL_XNN_NONE)
        return;
    const struct sl_xnn_op *producer = &plan->ops[in->producer];
    if (producer->kind != SL_XNN_OP_CONVERT ||
        plan->operands[producer->inputs[0]].type == SL_XNN_BF16)
        return;
    read_past(plan, op, producer);
}

static bool is_whole(const struct sl_xnn_node *reshape)
{
    for (uint32_t i = 0; i < reshape->param_count; i++)
        if (reshape->params[i] == 0)
            return false;
    return true;
}

static bool has_shape(const struct sl_xnn_operand *operand, const struct sl_xnn_node *reshape)
{
    bool same = operand->rank == reshape->param_count;
    for (uint32_t i = 0; i < operand->rank && same; i++)
        same = operand->dims[i] == reshape->params[i];
    return same;
}

/* Takes over the input of a reshape that nobody else reads. A constant gets its shape at once, and
 * what has it already, whatever comes, needs none. With a size left open it stays as it is. */
static void rewrite_reshape(struct sl_xnn_plan *plan, struct sl_xnn_op *op)
{
    struct sl_xnn_op *producer = sole_producer(plan, op->inputs[0]);
    if (!is_whole(op->node))
        return;
    if (producer && producer->kind == SL_XNN_OP_RESHAPE)
        skip_producer(plan, op, 0, producer);
    struct sl_xnn_operand *in = &plan->operands[op->inputs[0]];
    struct sl_xnn_operand *out = &plan->operands[op->output];
    out->fixed_shape = true;
    if (!in->fixed_shape || in->external_output || in->uses != 1 || !is_internal(out))
        return;
    if (in->constant && in->count == out->count) {
        out->constant = in->constant;
        out->producer = SL_XNN_NONE;
        in->uses--;
        op->dead = true;
    } else if (!in->constant && has_shape(in, op->node)) {
        bypass(plan, op);
    }
}

/* XNNPACK follows shapes that no input changes through functions of one value or two. */
static void follow_shape(struct sl_xnn_plan *plan, const struct sl_xnn_op *op)
{
    const struct sl_xnn_operand *a = &plan->operands[op->inputs[0]];
    struct sl_xnn_operand *out = &plan->operands[op->output];
    if (op->kind == SL_XNN_OP_BINARY)
        out->fixed_shape = a->fixed_shape && plan->operands[op->inputs[1]].fixed_shape;
    else if (op->kind == SL_XNN_OP_UNARY || op->kind == SL_XNN_OP_SQUARE ||
             op->kind == SL_XNN_OP_CLAMP || op->kind == SL_XNN_OP_TABLE ||
             (op->kind == SL_XNN_OP_CONVERT && out->type != SL_XNN_QDINT8))
        out->fixed_shape = a->fixed_shape;
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
    follow_shape(plan, op);
    switch (op->kind) {
    case SL_XNN_OP_CLAMP:
        rewrite_clamp(plan, op);
        break;
    case SL_XNN_OP_COPY:
        rewrite_copy(plan, op);
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
}

void sl_xnn_rewrite(struct sl_xnn_plan *plan)
{
    /* Until layout.c sets it, `memory` names the operand that a vanished copy's output stands for.
     */
    for (uint32_t i = 0; i < plan->operand_count; i++)
        plan->operands[i].memory = (int32_t)i;
    for (uint32_t i = 0; i < plan->operand_count; i++)
        plan->operands[i].fixed_shape = plan->operands[i].constant;
    find_dead(plan);
    sl_xnn_fuse_tables(plan);
    for (uint32_t i = 0; i < plan->op_count; i++)
        rewrite_op(plan, &plan->ops[i]);
    find_dead(plan);
    drop_dead(plan);
    keep_int8(plan);
}
