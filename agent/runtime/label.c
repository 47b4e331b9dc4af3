/* agent/runtime/label.c */
#include "agent/runtime/label.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/runtime/ops/registry.h"
#include "agent/runtime/variant.h"
#include "common/base/mem.h"

enum { TEXT_BYTES = 256 };

/* Appends to `text`, cutting at its end. */
static void append(char *text, const char *more)
{
    size_t len = strlen(text), room = TEXT_BYTES - 1 - len, bytes = strlen(more);
    bytes = bytes < room ? bytes : room;
    memcpy(text + len, more, bytes);
    text[len + bytes] = '\0';
}

/* There are hundreds of them in a model, and printf takes its time. */
static void append_size(char *text, bool first, size_t size)
{
    char number[32], *at = number + sizeof(number);
    *--at = '\0';
    do
        *--at = (char)('0' + size % 10);
    while ((size /= 10) != 0);
    if (!first)
        *--at = 'x';
    append(text, at);
}

static void append_operand(char *text, const struct sl_xnn_operand *operand)
{
    for (uint32_t i = 0; i < operand->rank; i++)
        append_size(text, i == 0, operand->dims[i]);
    if (operand->rank == 0)
        append(text, "1");
}

static void append_tensor(char *text, const struct sl_tensor *tensor)
{
    for (uint32_t i = 0; i < tensor->rank; i++)
        append_size(text, i == 0, (size_t)tensor->sizes[i]);
    if (tensor->rank == 0)
        append(text, "1");
}

/* "1x56x56x64 * 128x3x3x64 -> 1x56x56x128"; a bias is left out, a pool's window stands like
 * weights.
 */
static uint32_t op_shape(const struct sl_variant *v, const struct sl_xnn_plan *plan,
                         const struct sl_xnn_op *op)
{
    char text[TEXT_BYTES] = "";
    bool weighted = op->kind == SL_XNN_OP_CONV || op->kind == SL_XNN_OP_DEPTHWISE ||
                    op->kind == SL_XNN_OP_DECONV || op->kind == SL_XNN_OP_GEMM;
    for (uint32_t k = 0; k < op->input_count && !(weighted && k == 2); k++) {
        if (op->inputs[k] == SL_XNN_NONE)
            continue;
        append(text, k == 0 ? "" : " * ");
        append_operand(text, &plan->operands[op->inputs[k]]);
    }
    if (op->kind == SL_XNN_OP_MAX_POOL || op->kind == SL_XNN_OP_AVG_POOL) {
        append(text, " * ");
        append_size(text, true, op->window.kernel_height);
        append_size(text, false, op->window.kernel_width);
    }
    append(text, " -> ");
    append_operand(text, &plan->operands[op->output]);
    return sl_recorder_name(v->recorder, text);
}

static uint32_t call_shape(const struct sl_variant *v, const struct sl_op_call *call)
{
    char text[TEXT_BYTES] = "";
    const char *signature = call->op->signature;
    const struct sl_tensor *out = NULL;
    for (uint32_t i = 0; signature[i]; i++) {
        const struct sl_tensor *tensor = sl_op_tensor(call, i);
        bool output = strchr("oOlM", signature[i]) != NULL;
        if (!tensor || signature[i] == 's')
            continue;
        if (output) {
            out = out ? out : tensor;
            continue;
        }
        append(text, text[0] ? " * " : "");
        append_tensor(text, tensor);
    }
    append(text, " -> ");
    if (out)
        append_tensor(text, out);
    return sl_recorder_name(v->recorder, text);
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
        snprintf(text, sizeof(text), "%s #%u", op->name, count_name(plan, op));
        *label = label_at(instruction, sl_recorder_name(v->recorder, text), SL_TRACE_DELEGATE);
        label->kernel = sl_recorder_name(v->recorder, plan->steps[op->step_first].kernel);
        label->origin = sl_recorder_name(v->recorder, op->origin);
        label->node = op->node->index;
        label->shape = op_shape(v, plan, op);
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
    label->shape = call_shape(v, call);
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
