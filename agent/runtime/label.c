/* agent/runtime/label.c */
#include "agent/runtime/label.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/runtime/ops/registry.h"
#include "agent/runtime/variant.h"
#include "common/base/mem.h"
#include "common/format/operands.h"

enum { TEXT_BYTES = 256 };

static void add_operand(struct sl_dims *dims, const struct sl_xnn_operand *operand)
{
    for (uint32_t i = 0; i < operand->rank || i == 0; i++)
        sl_dims_add(dims, operand->rank == 0 ? 1 : operand->dims[i]);
}

static void add_tensor(struct sl_dims *dims, const struct sl_tensor *tensor)
{
    for (uint32_t i = 0; i < tensor->rank || i == 0; i++)
        sl_dims_add(dims, tensor->rank == 0 ? 1 : (uint64_t)tensor->sizes[i]);
}

/* A bias is left out, a pool's window stands like weights. */
static uint32_t op_operands(const struct sl_variant *v, const struct sl_xnn_plan *plan,
                            const struct sl_xnn_op *op)
{
    struct sl_operands operands = {.macs = 0};
    struct sl_dims beyond = {0};
    bool weighted = op->kind == SL_XNN_OP_CONV || op->kind == SL_XNN_OP_DEPTHWISE ||
                    op->kind == SL_XNN_OP_DECONV || op->kind == SL_XNN_OP_GEMM;
    for (uint32_t k = 0; k < op->input_count && !(weighted && k == 2); k++)
        if (op->inputs[k] != SL_XNN_NONE)
            add_operand(sl_operands_add(&operands, &beyond), &plan->operands[op->inputs[k]]);
    if (op->kind == SL_XNN_OP_MAX_POOL || op->kind == SL_XNN_OP_AVG_POOL) {
        struct sl_dims *window = sl_operands_add(&operands, &beyond);
        sl_dims_add(window, op->window.kernel_height);
        sl_dims_add(window, op->window.kernel_width);
    }
    add_operand(&operands.out, &plan->operands[op->output]);
    sl_operands_finish(&operands, op->origin, op->node->flags & SL_XNN_FLAG_TRANSPOSE_A);
    return sl_recorder_operands(v->recorder, &operands);
}

static uint32_t call_operands(const struct sl_variant *v, const struct sl_op_call *call)
{
    struct sl_operands operands = {.macs = 0};
    struct sl_dims beyond = {0};
    const char *signature = call->op->signature;
    for (uint32_t i = 0; signature[i]; i++) {
        const struct sl_tensor *tensor = sl_op_tensor(call, i);
        bool output = strchr("oOlM", signature[i]) != NULL;
        if (!tensor || signature[i] == 's' || (output && operands.out.rank > 0))
            continue;
        add_tensor(output ? &operands.out : sl_operands_add(&operands, &beyond), tensor);
    }
    sl_operands_finish(&operands, call->op->name,
                       strcmp(call->op->name, "aten::convolution.out") == 0 && sl_op_bool(call, 6));
    return sl_recorder_operands(v->recorder, &operands);
}

static struct sl_trace_label label_at(const struct sl_instruction *instruction, uint32_t name,
                                      uint32_t event)
{
    return (struct sl_trace_label){
        .name = name,
        .node = SL_TRACE_NO_NODE,
        .chain = (int32_t)instruction->chain,
        .instruction = (int32_t)instruction->index,
        .event = event,
    };
}

/* How many operators of this name the plan has up to `op`, itself included. */
static unsigned count_name(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op)
{
    unsigned count = 1;
    for (const struct sl_xnn_op *other = plan->ops; other < op; other++)
        count += other->name == op->name ||
                 (other->name[0] == op->name[0] && strcmp(other->name, op->name) == 0);
    return count;
}

void sl_label_op_name(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op, char *out,
                      size_t size)
{
    snprintf(out, size, "%s #%u", op->name, count_name(plan, op));
}

static int label_delegate(const struct sl_variant *v, struct sl_instruction *instruction)
{
    const struct sl_xnn_plan *plan = instruction->plan;
    char text[TEXT_BYTES];
    instruction->op_labels = sl_calloc(plan->op_count, sizeof(*instruction->op_labels));
    if (!instruction->op_labels)
        return -ENOMEM;
    for (uint32_t i = 0; i < plan->op_count && v->recorder; i++) {
        const struct sl_xnn_op *op = &plan->ops[i];
        struct sl_trace_label *label = &instruction->op_labels[i];
        sl_label_op_name(plan, op, text, sizeof(text));
        *label = label_at(instruction, sl_recorder_name(v->recorder, text), SL_TRACE_DELEGATE);
        label->kernel = sl_recorder_name(v->recorder, plan->steps[op->step_first].kernel);
        label->origin = sl_recorder_name(v->recorder, op->origin);
        label->node = op->node->index;
        label->operands = op_operands(v, plan, op);
    }
    return 0;
}

static void label_call(const struct sl_variant *v, struct sl_instruction *instruction)
{
    const struct sl_op_call *call = instruction->call;
    char text[TEXT_BYTES];
    sl_op_event_name(call->op, text, sizeof(text));
    struct sl_trace_label *label = &instruction->inner;
    *label = label_at(instruction, sl_recorder_name(v->recorder, text), SL_TRACE_OPERATOR);
    label->origin = sl_recorder_name(v->recorder, call->op->name);
    label->operands = call_operands(v, call);
    if (call->step_count != 0)
        label->kernel = sl_recorder_name(v->recorder, call->steps[call->main_step].kernel);
    if (call->op->prim)
        instruction->shell.origin = label->origin;
}

static int label_instruction(struct sl_variant *v, struct sl_instruction *instruction)
{
    static const char *const shells[] = {
        [SL_PTE_KERNEL_CALL] = "OPERATOR_CALL", [SL_PTE_DELEGATE_CALL] = "DELEGATE_CALL",
        [SL_PTE_MOVE_CALL] = "MOVE_CALL",       [SL_PTE_JUMP_FALSE_CALL] = "JF_CALL",
        [SL_PTE_FREE_CALL] = "FREE_CALL",
    };
    uint32_t name = sl_recorder_name(v->recorder, shells[instruction->from->kind]);
    instruction->shell = label_at(instruction, name, SL_TRACE_OPERATOR);
    v->events++;
    if (instruction->call) {
        v->events += instruction->call->op->prim ? 0 : 1;
        if (v->recorder)
            label_call(v, instruction);
    }
    if (!instruction->plan)
        return 0;
    v->events += instruction->plan->op_count;
    return label_delegate(v, instruction);
}

int sl_variant_label(struct sl_variant *v)
{
    v->events = 1;
    v->execute_label = (struct sl_trace_label){
        .name = sl_recorder_name(v->recorder, "Method::execute"),
        .node = SL_TRACE_NO_NODE,
        .chain = -1,
        .event = SL_TRACE_FRAMEWORK,
    };
    for (uint32_t i = 0; i < v->instruction_count; i++) {
        int rc = label_instruction(v, &v->instructions[i]);
        if (rc != 0)
            return rc;
    }
    return 0;
}
