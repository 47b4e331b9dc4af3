/* agent/runtime/xnn/dead.c: operators that rewriting, or the graph itself, left without use. */
#include "agent/runtime/xnn/plan.h"
#include "common/base/mem.h"

static bool is_needed(const struct sl_xnn_plan *plan, int32_t operand)
{
    return plan->operands[operand].external_output || plan->operands[operand].uses != 0;
}

/* Operators whose output nobody needs go, last first. */
void sl_xnn_find_dead(struct sl_xnn_plan *plan)
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
void sl_xnn_drop_dead(struct sl_xnn_plan *plan)
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
