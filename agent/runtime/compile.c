/* agent/runtime/compile.c: makes a variant of a method: operators, delegates, packed weights. */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/runtime/executor.h"
#include "agent/runtime/label.h"
#include "agent/runtime/ops/prepare.h"
#include "agent/runtime/ops/registry.h"
#include "agent/runtime/ops/signature.h"
#include "agent/runtime/variant.h"
#include "agent/runtime/weights/weight_cache.h"
#include "agent/runtime/xnn/delegate.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "kernels/cpu/isa.h"

static int no_memory(struct sl_diag *diag)
{
    return sl_diag_set(diag, SL_ET_MEMORY_ALLOCATION_FAILED, NULL,
                       "the program asks for more memory than there is or than the limit allows");
}

static size_t count_calls(const struct sl_pte_plan *plan)
{
    size_t count = 0;
    for (uint32_t c = 0; c < plan->chain_count; c++)
        for (uint32_t i = 0; i < plan->chains[c].count; i++)
            count += plan->chains[c].instructions[i].kind == SL_PTE_KERNEL_CALL;
    return count;
}

/* An allocation each would cost more than what is written there. */
static void *table(struct sl_variant *v, size_t count, size_t bytes)
{
    return sl_budget_pool_alloc(&v->pool, count, bytes);
}

static int alloc_tables(struct sl_variant *v)
{
    const struct sl_pte_plan *plan = v->method->plan;
    v->pool.budget = &v->method->budget;
    v->chain_count = plan->chain_count;
    v->chain_first = table(v, (size_t)plan->chain_count + 1, sizeof(*v->chain_first));
    v->plans = table(v, plan->delegate_count, sizeof(struct sl_xnn_plan *));
    v->plan_user = table(v, plan->delegate_count, sizeof(struct sl_instruction *));
    v->operators = table(v, plan->operator_count, sizeof(const struct sl_op *));
    if (!v->chain_first || !v->plans || !v->plan_user || !v->operators)
        return -ENOMEM;
    for (uint32_t c = 0; c < plan->chain_count; c++) {
        v->instruction_count += plan->chains[c].count;
        v->chain_first[c + 1] = v->instruction_count;
    }
    v->instructions = table(v, v->instruction_count, sizeof(*v->instructions));
    v->calls = table(v, count_calls(plan), sizeof(*v->calls));
    return v->instructions && v->calls ? 0 : -ENOMEM;
}

/* The first call of a delegate. Where others call it too, they run what that one says. */
static struct sl_kept_place place_of(const struct sl_variant *v, uint32_t delegate)
{
    for (uint32_t c = 0; c < v->chain_count; c++) {
        const struct sl_pte_chain *chain = &v->method->plan->chains[c];
        for (uint32_t i = 0; i < chain->count; i++)
            if (chain->instructions[i].kind == SL_PTE_DELEGATE_CALL &&
                chain->instructions[i].index == delegate)
                return (struct sl_kept_place){c, i};
    }
    return (struct sl_kept_place){0};
}

static int compile_delegate(struct sl_variant *v, uint32_t index, struct sl_diag *diag)
{
    const struct sl_model *model = v->method->model;
    const struct sl_pte_delegate *delegate = &v->method->plan->delegates[index];
    if (strcmp(delegate->id, "XnnpackBackend") != 0) {
        sl_model_log(model, 'E', "method.cpp", 91, "Backend %s is not registered.", delegate->id);
        return sl_diag_set(diag, SL_ET_NOT_FOUND, NULL, "Backend %s is not registered.",
                           delegate->id);
    }
    const struct sl_xnn_allowed allowed = {v->isa, v->method->kept, place_of(v, index)};
    int rc = sl_xnn_delegate_new(model, delegate->blob, &allowed, &v->method->budget,
                                 &v->method->weights, &v->plans[index], diag);
    if (rc != 0)
        sl_model_log(model, 'E', "method.cpp", 132, "Init failed for backend %s: 0x%x",
                     delegate->id, sl_et_code(rc));
    return rc;
}

static int bind_delegate_call(struct sl_variant *v, struct sl_instruction *instruction)
{
    const struct sl_pte_instruction *from = instruction->from;
    instruction->plan = v->plans[from->index];
    instruction->args = table(v, from->arg_count, sizeof(*instruction->args));
    return instruction->args ? 0 : -ENOMEM;
}

static void bind_kernel_call(struct sl_variant *v, struct sl_instruction *instruction,
                             const struct sl_op *op)
{
    const struct sl_pte_instruction *from = instruction->from;
    struct sl_op_call *call = &v->calls[v->call_count++];
    instruction->call = call;
    call->op = op;
    call->method = v->method;
    call->isa = v->isa;
    const struct sl_kept_place place = {instruction->chain, instruction->index};
    if (sl_kept_out_call(v->method->kept, place))
        call->isa &= ~(uint32_t)(SL_ISA_SME | SL_ISA_SME2);
    call->arg_count = from->arg_count;
    call->args = from->args;
    call->weights.store = &v->method->weights;
    call->pool = &v->pool;
    if (op->computes && from->arg_count != 0)
        v->method->computes = v->method->computed[from->args[from->arg_count - 1]] = true;
}

/* How many tensors an instruction may depend on: a value may come to name a tensor. */
static size_t dependency_room(const struct sl_instruction *instruction)
{
    const struct sl_op_call *call = instruction->call;
    const struct sl_pte_instruction *from = instruction->from;
    if (!call && !instruction->plan)
        return 0;
    size_t tensors = from->arg_count;
    if (!call || !call->method->has_lists)
        return tensors;
    const struct sl_method_value *values = call->method->values;
    for (const uint32_t *arg = from->args; arg < from->args + from->arg_count; arg++)
        if (values[*arg].kind >= SL_PTE_TENSOR_LIST)
            tensors += values[*arg].list->list.count;
    return tensors;
}

static int alloc_dependencies(struct sl_variant *v)
{
    size_t all = 0;
    for (uint32_t i = 0; i < v->instruction_count; i++) {
        v->instructions[i].dependency_room = dependency_room(&v->instructions[i]);
        all += v->instructions[i].dependency_room;
    }
    v->dependencies = table(v, all, sizeof(*v->dependencies));
    if (!v->dependencies)
        return -ENOMEM;
    struct sl_prepared_for *at = v->dependencies;
    for (uint32_t i = 0; i < v->instruction_count; i++) {
        v->instructions[i].dependencies = at;
        at += v->instructions[i].dependency_room;
    }
    return 0;
}

/* Finds an instruction's operator; what is missing is logged and counted. */
static int bind_instruction(struct sl_variant *v, struct sl_instruction *instruction,
                            uint32_t *missing, struct sl_diag *diag)
{
    const struct sl_pte_instruction *from = instruction->from;
    if (from->kind == SL_PTE_DELEGATE_CALL)
        return bind_delegate_call(v, instruction) != 0 ? no_memory(diag) : 0;
    if (from->kind != SL_PTE_KERNEL_CALL)
        return 0;
    const char *name = v->method->plan->operators[from->index].name;
    const struct sl_op *op = v->operators[from->index];
    if (op) {
        bind_kernel_call(v, instruction, op);
        if (sl_op_check(instruction->call, diag) == 0)
            return 0;
        sl_model_log(v->method->model, 'E', "method.cpp", 779, "Missing operator: [%u] %s (%s)",
                     from->index, name, diag ? diag->what : "unsupported arguments");
    } else {
        sl_diag_set(diag, SL_ET_OPERATOR_MISSING, "", "Missing operator: [%u] %s", from->index,
                    name);
        sl_model_log(v->method->model, 'E', "method.cpp", 779, "Missing operator: [%u] %s",
                     from->index, name);
    }
    *missing += 1;
    return 0;
}

static int bind_instructions(struct sl_variant *v, struct sl_diag *diag)
{
    uint32_t missing = 0;
    for (uint32_t c = 0; c < v->chain_count; c++) {
        const struct sl_pte_chain *chain = &v->method->plan->chains[c];
        for (uint32_t i = 0; i < chain->count; i++) {
            struct sl_instruction *instruction = &v->instructions[v->chain_first[c] + i];
            instruction->from = &chain->instructions[i];
            if (instruction->from->kind == SL_PTE_MOVE_CALL)
                v->method->computes = v->method->computed[instruction->from->to] = true;
            instruction->chain = c;
            instruction->index = i;
            int rc = bind_instruction(v, instruction, &missing, diag);
            if (rc != 0)
                return rc;
        }
    }
    if (missing == 0)
        return 0;
    sl_model_log(v->method->model, 'E', "method.cpp", 1014,
                 "There are %u instructions don't have corresponding operator registered. See logs "
                 "for details",
                 missing);
    return SL_ET_OPERATOR_MISSING;
}

/* Prepares every instruction for the shapes as they stand: kernels are chosen, weights packed, the
 * workspace grows to what they need. What depends on values not yet computed may fail here and is
 * prepared again when it runs. */
static int prepare_all(struct sl_variant *v, struct sl_diag *diag)
{
    for (uint32_t i = 0; i < v->instruction_count; i++) {
        struct sl_instruction *instruction = &v->instructions[i];
        if (!instruction->call && !instruction->plan)
            continue;
        int rc = sl_instruction_prepare(v, instruction, diag);
        if (rc == SL_ET_MEMORY_ALLOCATION_FAILED || rc == SL_ET_NOT_SUPPORTED ||
            rc == SL_ET_NOT_IMPLEMENTED)
            return rc;
    }
    return 0;
}

/* Gives every dynamic tensor its bounds; the inputs' sizes now go to `sizes`. Returns whether any
 * input was smaller. */
static bool widen(struct sl_method *method, int32_t (*sizes)[SL_TENSOR_MAX_RANK])
{
    bool smaller = false;
    for (uint32_t i = 0; i < method->plan->input_count; i++) {
        const struct sl_tensor *tensor = sl_method_tensor(method, method->plan->inputs[i]);
        if (!tensor || tensor->rank == 0)
            continue;
        memcpy(sizes[i], tensor->sizes, tensor->rank * sizeof(*tensor->sizes));
        smaller = smaller ||
                  memcmp(tensor->sizes, tensor->bounds, tensor->rank * sizeof(*tensor->sizes)) != 0;
    }
    for (size_t i = 0; i < method->tensor_count; i++)
        if (method->tensors[i].dynamic)
            sl_tensor_resize(&method->tensors[i], method->tensors[i].rank,
                             method->tensors[i].bounds, NULL); /* its bounds always fit */
    return smaller;
}

static void narrow(struct sl_method *method, int32_t (*sizes)[SL_TENSOR_MAX_RANK])
{
    for (uint32_t i = 0; i < method->plan->input_count; i++) {
        struct sl_tensor *tensor = sl_method_tensor(method, method->plan->inputs[i]);
        if (tensor)
            sl_tensor_resize(tensor, tensor->rank, sizes[i], NULL); /* they were its sizes */
    }
}

/* Values that instructions compute start as the program has them: a loop's counter was counted
 * above. */
static void restore_numbers(struct sl_method *method)
{
    for (uint32_t i = 0; method->computes && i < method->plan->value_count; i++) {
        const struct sl_pte_value *from = &method->plan->values[i];
        struct sl_method_value *to = &method->values[i];
        if (!method->computed[i] || from->kind != to->kind)
            continue;
        if (from->kind == SL_PTE_INT)
            to->int_value = from->int_value;
        else if (from->kind == SL_PTE_BOOL)
            to->bool_value = from->bool_value;
        else if (from->kind == SL_PTE_DOUBLE)
            to->double_value = from->double_value;
    }
}

/* Kernels and packs are chosen for the bounds, so that smaller shapes never pack anew; then
 * everything is prepared for the shapes that the inputs have now. */
static int prepare_for_bounds(struct sl_variant *v, struct sl_diag *diag)
{
    struct sl_method *method = v->method;
    int32_t(*sizes)[SL_TENSOR_MAX_RANK] = sl_calloc(method->plan->input_count, sizeof(*sizes));
    if (!sizes)
        return no_memory(diag);
    bool smaller = widen(method, sizes);
    method->compiling = true;
    int rc = prepare_all(v, diag);
    narrow(method, sizes);
    if (rc == 0 && smaller)
        rc = prepare_all(v, diag);
    method->compiling = false;
    sl_free(sizes);
    if (rc == 0)
        restore_numbers(method);
    return rc;
}

static int find_operators(struct sl_variant *v)
{
    const struct sl_pte_plan *plan = v->method->plan;
    uint32_t *next = table(v, plan->operator_count, sizeof(*next));
    if (next)
        sl_ops_find(plan->operators, plan->operator_count, next, v->operators);
    return next ? 0 : -ENOMEM;
}

static int compile(struct sl_variant *v, struct sl_diag *diag)
{
    int rc = 0;
    if (alloc_tables(v) != 0 || find_operators(v) != 0)
        return no_memory(diag);
    for (uint32_t i = 0; i < v->method->plan->delegate_count && rc == 0; i++)
        rc = compile_delegate(v, i, diag);
    if (rc == 0)
        rc = bind_instructions(v, diag);
    if (rc == 0 && alloc_dependencies(v) != 0)
        return no_memory(diag);
    return rc != 0 ? rc : prepare_for_bounds(v, diag);
}

int sl_variant_new(struct sl_method *method, uint32_t isa, uint16_t index,
                   struct sl_recorder *recorder, struct sl_variant **out, struct sl_diag *diag)
{
    struct sl_trace_span load, init;
    struct sl_trace_label init_label = {.node = SL_TRACE_NO_NODE, .chain = -1};
    struct sl_trace_label load_label = init_label;
    init_label.name = sl_recorder_name(recorder, "Method::init");
    load_label.name = sl_recorder_name(recorder, "Program::load_method");
    struct sl_variant *v = sl_calloc(1, sizeof(*v));
    if (!v)
        return no_memory(diag);
    v->method = method;
    v->isa = isa;
    v->index = index;
    v->recorder = recorder;
    sl_recorder_begin(recorder, &load, &load_label);
    sl_recorder_begin(recorder, &init, &init_label);
    struct sl_weight_cache cache;
    sl_weight_cache_open(&cache, method, isa);
    int rc = compile(v, diag);
    if (rc == 0)
        sl_recorder_end(recorder, &init, &init_label);
    if (rc == 0)
        sl_recorder_end(recorder, &load, &load_label);
    sl_weight_cache_close(&cache, method, rc == 0);
    if (rc == 0 && sl_variant_label(v) != 0)
        rc = no_memory(diag);
    if (rc != 0) {
        sl_variant_free(v);
        return rc;
    }
    *out = v;
    return 0;
}

void sl_variant_free(struct sl_variant *v)
{
    if (!v)
        return;
    for (uint32_t i = 0; v->instructions && i < v->instruction_count; i++) {
        struct sl_instruction *instruction = &v->instructions[i];
        if (instruction->call)
            sl_op_call_fini(instruction->call);
        sl_free(instruction->op_labels);
    }
    for (uint32_t i = 0; v->plans && i < v->method->plan->delegate_count; i++)
        sl_xnn_delegate_free(v->plans[i]);
    sl_budget_pool_fini(&v->pool);
    sl_free(v);
}

size_t sl_variant_packed_bytes(const struct sl_variant *v)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < v->method->plan->delegate_count; i++)
        bytes += sl_xnn_delegate_packed_bytes(v->plans[i]);
    for (uint32_t i = 0; i < v->instruction_count; i++)
        if (v->instructions[i].call)
            bytes += v->instructions[i].call->weights.bytes;
    return bytes;
}

size_t sl_variant_events(const struct sl_variant *v)
{
    return v->events;
}
