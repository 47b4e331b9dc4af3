/* agent/runtime/executor.c */
#include "agent/runtime/executor.h"

#include <string.h>

#include "agent/runtime/ops/prepare.h"
#include "agent/runtime/variant.h"
#include "agent/runtime/workers.h"
#include "agent/runtime/xnn/delegate.h"
#include "common/base/error.h"
#include "common/format/scalar_type.h"
#include "kernels/cpu/denormals.h"

/* True while tensors have the shapes and addresses that the instruction was prepared for. */
static inline bool are_dependencies_met(const struct sl_instruction *instruction)
{
    for (uint32_t i = 0; i < instruction->dependency_count; i++)
        if (instruction->dependencies[i].tensor->stamp != instruction->dependencies[i].stamp)
            return false;
    return true;
}

/* True while the instruction fits the shapes, addresses and values it was prepared for. */
static inline bool is_ready(const struct sl_variant *v, const struct sl_instruction *instruction)
{
    if (!instruction->ready || instruction->epoch != v->method->epoch ||
        instruction->workspace != v->method->workspace.base ||
        (instruction->reads_numbers && instruction->numbers_epoch != v->method->numbers_epoch))
        return false;
    if (!are_dependencies_met(instruction))
        return false;
    return !instruction->plan || v->plan_user[instruction->from->index] == instruction;
}

static int prepare_delegate(struct sl_variant *v, struct sl_instruction *instruction,
                            struct sl_diag *diag)
{
    struct sl_xnn_plan *plan = instruction->plan;
    struct sl_workspace *workspace = &v->method->workspace;
    const struct sl_pte_instruction *from = instruction->from;
    v->plan_user[from->index] = NULL;
    for (uint32_t i = 0; i < from->arg_count; i++)
        instruction->args[i] = sl_method_tensor(v->method, from->args[i]);
    int rc = sl_xnn_delegate_shape(plan, instruction->args, from->arg_count, diag);
    if (rc != 0)
        return rc;
    if (sl_workspace_reserve(workspace, plan->workspace_bytes) != 0)
        return sl_diag_set(diag, SL_ET_MEMORY_ALLOCATION_FAILED, NULL,
                           "the delegate's workspace goes over the memory limit");
    sl_xnn_delegate_bind(plan, instruction->args, workspace->base);
    v->plan_user[from->index] = instruction;
    return 0;
}

/* True if a kernel call reads a number that instructions write. */
static bool reads_numbers(const struct sl_op_call *call)
{
    const struct sl_method *method = call->method;
    for (uint32_t i = 0; i < call->arg_count; i++) {
        const struct sl_method_value *value = &method->values[call->args[i]];
        if (method->computed[call->args[i]] && !call->op->computes)
            return true;
        for (uint32_t k = 0; value->kind == SL_PTE_INT_LIST && k < value->list->list.count; k++)
            if (method->computed[value->list->list.ints[k]])
                return true;
    }
    return false;
}

/* Notes the arguments that a kernel call was prepared for. */
static void note_dependencies(struct sl_instruction *instruction)
{
    const struct sl_op_call *call = instruction->call;
    const struct sl_method_value *values = call->method->values;
    const uint32_t *args = call->args;
    struct sl_prepared_for *to = instruction->dependencies;
    for (uint32_t i = 0; i < call->arg_count; i++) {
        const struct sl_method_value *value = &values[args[i]];
        if (value->kind < SL_PTE_TENSOR)
            continue;
        if (value->kind == SL_PTE_TENSOR) {
            *to++ = (struct sl_prepared_for){value->tensor, value->tensor->stamp};
            continue;
        }
        uint32_t listed = sl_op_list_count(call, i);
        for (uint32_t k = 0; k < listed; k++) {
            const struct sl_tensor *tensor = sl_op_list_tensor(call, i, k);
            if (tensor)
                *to++ = (struct sl_prepared_for){tensor, tensor->stamp};
        }
    }
    instruction->dependency_count = (uint32_t)(to - instruction->dependencies);
    instruction->reads_numbers = call->method->computes && reads_numbers(call);
}

/* Cuts the bound steps into parts for the method's workers and makes room for them. */
static int cut_steps(struct sl_method *method, struct sl_step *steps, uint32_t count,
                     struct sl_diag *diag)
{
    struct sl_crew *crew = &method->crew;
    size_t slot = crew->slot_bytes;
    for (uint32_t i = 0; i < count && crew->workers; i++) {
        size_t bytes = (sl_step_cut(&steps[i], crew->workers) + 63) & ~(size_t)63;
        slot = bytes > slot ? bytes : slot;
    }
    uint64_t slots = sl_workers_count(crew->workers, false) - 1;
    if (slot == crew->slot_bytes)
        return 0;
    if (slot > crew->space.budget->limit || sl_workspace_reserve(&crew->space, slot * slots) != 0)
        return sl_diag_set(diag, SL_ET_MEMORY_ALLOCATION_FAILED, NULL,
                           "the workspaces of %u threads go over the memory limit",
                           (unsigned)slots + 1);
    crew->slot_bytes = slot;
    return 0;
}

static int cut_delegate(struct sl_method *method, struct sl_xnn_plan *plan, struct sl_diag *diag)
{
    int rc = 0;
    for (uint32_t i = 0; i < plan->op_count && rc == 0; i++)
        rc =
            cut_steps(method, &plan->steps[plan->ops[i].step_first], plan->ops[i].step_count, diag);
    return rc;
}

int sl_instruction_prepare(struct sl_variant *v, struct sl_instruction *instruction,
                           struct sl_diag *diag)
{
    int rc;
    instruction->ready = false;
    if (instruction->plan) {
        rc = prepare_delegate(v, instruction, diag);
    } else {
        if (instruction->epoch != v->method->epoch)
            sl_op_call_fini(instruction->call); /* its constants may be others now */
        rc = sl_op_prepare(instruction->call, diag);
    }
    if (rc == 0 && instruction->plan)
        rc = cut_delegate(v->method, instruction->plan, diag);
    else if (rc == 0)
        rc = cut_steps(v->method, instruction->call->steps, instruction->call->step_count, diag);
    if (rc != 0)
        return rc;
    instruction->dependency_count = 0;
    instruction->reads_numbers = false;
    if (instruction->call)
        note_dependencies(instruction);
    for (uint32_t i = 0; instruction->plan && i < instruction->from->arg_count; i++) {
        const struct sl_tensor *tensor = instruction->args[i];
        if (tensor)
            instruction->dependencies[instruction->dependency_count++] =
                (struct sl_prepared_for){tensor, tensor->stamp};
    }
    instruction->numbers_epoch = v->method->numbers_epoch;
    instruction->epoch = v->method->epoch;
    instruction->workspace = v->method->workspace.base;
    instruction->ready = true;
    return 0;
}

static inline int make_ready(struct sl_variant *v, struct sl_instruction *instruction,
                             struct sl_diag *diag)
{
    return is_ready(v, instruction) ? 0 : sl_instruction_prepare(v, instruction, diag);
}

int sl_instruction_ready(struct sl_variant *v, struct sl_instruction *instruction,
                         struct sl_diag *diag)
{
    return make_ready(v, instruction, diag);
}

/* A step met data that the operator does not take. */
static int fail_call(const struct sl_variant *v, const struct sl_instruction *instruction,
                     struct sl_diag *diag)
{
    struct sl_op_call *call = instruction->call;
    const char *why = call->failure;
    call->failure = NULL;
    sl_model_log(v->method->model, 'E', "method.cpp", 1420,
                 "KernelCall failed at instruction %u:%u in operator %s: 0x%x", instruction->chain,
                 instruction->index, call->op->name, sl_et_code(SL_ET_INVALID_ARGUMENT));
    return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, why);
}

static inline __attribute__((always_inline)) int run_kernel_call(struct sl_variant *v,
                                                                 struct sl_instruction *instruction,
                                                                 struct sl_recorder *recorder,
                                                                 struct sl_diag *diag)
{
    struct sl_trace_span span = {0};
    struct sl_op_call *call = instruction->call;
    if (!call->op->prim)
        sl_recorder_begin(recorder, &span, &instruction->inner);
    int rc = make_ready(v, instruction, diag);
    if (rc != 0) {
        sl_model_log(v->method->model, 'E', "method.cpp", 1420,
                     "KernelCall failed at instruction %u:%u in operator %s: 0x%x",
                     instruction->chain, instruction->index, call->op->name, sl_et_code(rc));
        return rc;
    }
    for (uint32_t i = 0; i < call->step_count; i++)
        sl_step_go(&call->steps[i], &v->method->crew);
    if (call->failure)
        return fail_call(v, instruction, diag);
    if (!call->op->prim)
        sl_recorder_end(recorder, &span, &instruction->inner);
    return 0;
}

static inline __attribute__((always_inline)) int
run_delegate_call(struct sl_variant *v, struct sl_instruction *instruction,
                  struct sl_recorder *recorder, struct sl_diag *diag)
{
    const struct sl_xnn_plan *plan = instruction->plan;
    int rc = make_ready(v, instruction, diag);
    if (rc != 0) {
        sl_model_log(v->method->model, 'E', "method.cpp", 1470,
                     "CALL_DELEGATE execute failed at instruction %u: 0x%x", instruction->index,
                     sl_et_code(rc));
        return rc;
    }
    const struct sl_trace_label *label = instruction->op_labels;
    uint64_t denormals = sl_denormals_flush();
    for (const struct sl_xnn_op *op = plan->ops; op < plan->ops + plan->op_count; op++, label++) {
        struct sl_trace_span span = {0};
        sl_recorder_begin(recorder, &span, label);
        sl_xnn_op_run(plan, op, &v->method->crew);
        sl_recorder_end(recorder, &span, label);
    }
    sl_denormals_restore(denormals);
    sl_xnn_delegate_widen(plan);
    return 0;
}

/* The truth of a Bool, or of all elements of a Bool tensor. */
static inline __attribute__((always_inline)) int
read_condition(const struct sl_method *method, uint32_t index, bool *out, struct sl_diag *diag)
{
    const struct sl_method_value *value = &method->values[index];
    const struct sl_tensor *tensor = sl_method_tensor(method, index);
    if (value->kind == SL_PTE_BOOL) {
        *out = value->bool_value;
        return 0;
    }
    if (!tensor || tensor->scalar_type != SL_SCALAR_BOOL || !tensor->data ||
        tensor->nbytes > tensor->room_bytes)
        return sl_diag_set(diag, SL_ET_INVALID_TYPE, NULL,
                           "the condition of a jump is neither a Bool nor a Bool tensor");
    *out = tensor->nbytes == 0 || memchr(tensor->data, 0, tensor->nbytes) == NULL;
    return 0;
}

/* Values move by reference: a tensor stays where it is and gets a second name. */
static inline __attribute__((always_inline)) void run_move(struct sl_method *method,
                                                           const struct sl_pte_instruction *from)
{
    struct sl_method_value *to = &method->values[from->to];
    const struct sl_method_value *what = &method->values[from->from];
    if (memcmp(to, what, sizeof(*to)) == 0)
        return;
    if (to->kind == SL_PTE_TENSOR || what->kind == SL_PTE_TENSOR)
        method->epoch++;
    else
        method->numbers_epoch++;
    *to = *what;
}

/* Memory that a view borrowed is given back; planned memory stays. */
static void run_free(struct sl_method *method, const struct sl_pte_instruction *from)
{
    struct sl_tensor *tensor = sl_method_tensor(method, from->index);
    if (tensor && !tensor->planned && !tensor->constant)
        sl_tensor_bind(tensor, NULL, 0);
}

/* Part of the loop over a chain, with the functions above: calls of theirs would be counted with
 * every instruction. */
static inline __attribute__((always_inline)) int
run_instruction(struct sl_variant *v, struct sl_instruction *instruction,
                struct sl_recorder *recorder, uint32_t *next, struct sl_diag *diag)
{
    bool condition = true;
    switch (instruction->from->kind) {
    case SL_PTE_KERNEL_CALL:
        return run_kernel_call(v, instruction, recorder, diag);
    case SL_PTE_DELEGATE_CALL:
        return run_delegate_call(v, instruction, recorder, diag);
    case SL_PTE_MOVE_CALL:
        run_move(v->method, instruction->from);
        return 0;
    case SL_PTE_FREE_CALL:
        run_free(v->method, instruction->from);
        return 0;
    default:
        break;
    }
    int rc = read_condition(v->method, instruction->from->from, &condition, diag);
    if (rc == 0 && !condition)
        *next = instruction->from->to;
    return rc;
}

int sl_instruction_run(struct sl_variant *v, struct sl_instruction *instruction,
                       struct sl_recorder *recorder, uint32_t *next, struct sl_diag *diag)
{
    return run_instruction(v, instruction, recorder, next, diag);
}

static int run_chain(struct sl_variant *v, uint32_t chain, struct sl_recorder *recorder,
                     uint64_t *budget, struct sl_diag *diag)
{
    struct sl_instruction *first = &v->instructions[v->chain_first[chain]];
    uint32_t count = v->chain_first[chain + 1] - v->chain_first[chain];
    for (uint32_t i = 0, next; i < count; i = next) {
        struct sl_trace_span span = {0};
        next = i + 1;
        if ((*budget)-- == 0)
            return sl_diag_set(diag, SL_ET_INVALID_PROGRAM, NULL,
                               "the method ran more than %llu instructions",
                               (unsigned long long)v->method->model->limits.instructions);
        sl_recorder_begin(recorder, &span, &first[i].shell);
        int rc = run_instruction(v, &first[i], recorder, &next, diag);
        if (rc != 0)
            return rc;
        sl_recorder_end(recorder, &span, &first[i].shell);
    }
    return 0;
}

int sl_method_take_inputs(struct sl_method *method, struct sl_diag *diag)
{
    for (uint32_t i = 0; i < method->plan->input_count; i++) {
        if (method->values[method->plan->inputs[i]].kind > SL_PTE_NULL && !method->input_set[i])
            return sl_diag_set(diag, SL_ET_INVALID_STATE, NULL, "input %u has not been set", i);
        method->input_set[i] = false;
    }
    return 0;
}

int sl_variant_execute(struct sl_variant *v, int traced, struct sl_diag *diag)
{
    struct sl_recorder *recorder = traced != SL_VARIANT_UNTRACED ? v->recorder : NULL;
    struct sl_recorder *inner = traced != SL_VARIANT_WHOLE ? recorder : NULL;
    uint64_t budget = v->method->model->limits.instructions;
    struct sl_trace_span span = {0};
    int rc = sl_method_take_inputs(v->method, diag);
    if (rc != 0)
        return rc;
    v->began_epoch = v->method->epoch;
    v->began_workspace = v->method->workspace.base;
    sl_recorder_begin(recorder, &span, &v->execute_label);
    for (uint32_t chain = 0; chain < v->chain_count && rc == 0; chain++)
        rc = run_chain(v, chain, inner, &budget, diag);
    if (rc == 0)
        sl_recorder_end(recorder, &span, &v->execute_label);
    return rc;
}

bool sl_variant_settled(const struct sl_variant *v)
{
    bool settled =
        v->began_epoch == v->method->epoch && v->began_workspace == v->method->workspace.base;
    for (uint32_t i = 0; i < v->instruction_count && settled; i++)
        settled = are_dependencies_met(&v->instructions[i]);
    return settled;
}
