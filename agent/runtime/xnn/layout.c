/* agent/runtime/xnn/layout.c */
#include "agent/runtime/xnn/layout.h"

#include <string.h>

#include "agent/runtime/xnn/plan.h"
#include "common/base/error.h"

enum { ALIGNMENT = 64 };

static size_t rounded(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

static bool in_workspace(const struct sl_xnn_operand *operand)
{
    return operand->external_id == SL_XNN_NO_ID && !operand->constant;
}

static void note_output(struct sl_xnn_plan *plan, int32_t output, int32_t op)
{
    struct sl_xnn_operand *out = &plan->operands[plan->operands[output].memory];
    if (out->first == SL_XNN_NONE)
        out->first = op;
    out->last = op;
}

/* When each piece of memory is first written and last read, as operator numbers. */
static void find_lifetimes(struct sl_xnn_plan *plan)
{
    for (uint32_t i = 0; i < plan->operand_count; i++)
        plan->operands[i].first = plan->operands[i].last = SL_XNN_NONE;
    for (uint32_t i = 0; i < plan->op_count; i++) {
        const struct sl_xnn_op *op = &plan->ops[i];
        note_output(plan, op->output, (int32_t)i);
        if (op->output2 != SL_XNN_NONE)
            note_output(plan, op->output2, (int32_t)i);
        for (uint32_t k = 0; k < op->input_count; k++)
            if (op->inputs[k] != SL_XNN_NONE)
                plan->operands[plan->operands[op->inputs[k]].memory].last = (int32_t)i;
    }
}

static size_t end_of(const struct sl_xnn_operand *operand)
{
    return operand->offset + rounded(sl_xnn_operand_bytes(operand));
}

/* The lowest gap of `bytes` between the `count` active operands; *out_at is where in their order.
 */
static size_t find_gap(const struct sl_xnn_plan *plan, uint32_t count, size_t bytes,
                       uint32_t *out_at)
{
    size_t offset = 0;
    uint32_t at = 0;
    for (; at < count; at++) {
        const struct sl_xnn_operand *operand = &plan->operands[plan->active[at]];
        if (operand->offset - offset >= bytes)
            break;
        offset = end_of(operand);
    }
    *out_at = at;
    return offset;
}

static uint32_t expire(struct sl_xnn_plan *plan, uint32_t count, int32_t now)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (plan->operands[plan->active[i]].last >= now)
            plan->active[kept++] = plan->active[i];
    return kept;
}

static int note_end(struct sl_xnn_plan *plan, size_t offset, size_t bytes)
{
    if (bytes > plan->budget->limit || offset > plan->budget->limit)
        return SL_ET_MEMORY_ALLOCATION_FAILED;
    if (offset + bytes > plan->workspace_bytes)
        plan->workspace_bytes = offset + bytes;
    return plan->workspace_bytes > plan->budget->limit ? SL_ET_MEMORY_ALLOCATION_FAILED : 0;
}

/* Finds a place for the memory that operator `op` is the first to write its output to. */
static int place_output(struct sl_xnn_plan *plan, int32_t output, uint32_t op, uint32_t *count)
{
    int32_t memory = plan->operands[output].memory;
    struct sl_xnn_operand *out = &plan->operands[memory];
    uint32_t at;
    if (out->first != (int32_t)op || !in_workspace(out))
        return 0;
    size_t bytes = rounded(sl_xnn_operand_bytes(out));
    out->offset = find_gap(plan, *count, bytes, &at);
    memmove(plan->active + at + 1, plan->active + at, (*count - at) * sizeof(*plan->active));
    plan->active[at] = memory;
    *count += 1;
    return note_end(plan, out->offset, bytes);
}

int sl_xnn_layout(struct sl_xnn_plan *plan, struct sl_diag *diag)
{
    uint32_t count = 0, at;
    plan->workspace_bytes = 0;
    find_lifetimes(plan);
    for (uint32_t i = 0; i < plan->op_count; i++) {
        struct sl_xnn_op *op = &plan->ops[i];
        count = expire(plan, count, (int32_t)i);
        int rc = place_output(plan, op->output, i, &count);
        if (rc == 0 && op->output2 != SL_XNN_NONE)
            rc = place_output(plan, op->output2, i, &count);
        if (rc == 0 && op->scratch_bytes != 0) {
            op->scratch_offset = find_gap(plan, count, rounded(op->scratch_bytes), &at);
            rc = note_end(plan, op->scratch_offset, rounded(op->scratch_bytes));
        }
        if (rc != 0)
            return sl_xnn_op_error(op, diag, rc, "the workspace goes over the memory limit");
    }
    return 0;
}
