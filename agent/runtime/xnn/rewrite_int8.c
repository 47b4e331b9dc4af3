/* agent/runtime/xnn/rewrite_int8.c: products of a batch whose right operand stays int8. */
#include "agent/runtime/xnn/plan.h"
#include "common/base/mem.h"

/* Where the right operand of a product of floats is made of int8 around zero for it alone, XNNPACK
 * takes the int8 as it is and scales columns. Here it is made float all the same, which differs by
 * rounding, but under XNNPACK's names and in its order. The conversion, or NULL. */
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
void sl_xnn_keep_int8(struct sl_xnn_plan *plan)
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
