/* agent/runtime/method.c: building a method: values, planned memory, initial states. */
#include "agent/runtime/method.h"

#include <errno.h>
#include <string.h>

#include "agent/runtime/state.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/format/scalar_type.h"

static int no_memory(struct sl_diag *diag)
{
    return sl_diag_set(diag, SL_ET_MEMORY_ALLOCATION_FAILED, NULL,
                       "the program asks for more memory than there is or than the limit allows");
}

static int alloc_tables(struct sl_method *method)
{
    const struct sl_pte_plan *plan = method->plan;
    struct sl_budget_pool *tables = &method->tables;
    size_t tensors = method->tensor_count = plan->tensor_count;
    method->values = sl_budget_pool_alloc(tables, plan->value_count, sizeof(*method->values));
    method->tensors = sl_budget_pool_alloc(tables, tensors, sizeof(*method->tensors));
    method->loose = sl_budget_pool_alloc(tables, tensors, sizeof(void *));
    method->buffers = sl_budget_pool_alloc(tables, plan->buffer_count, sizeof(void *));
    method->input_set = sl_budget_pool_alloc(tables, plan->input_count, sizeof(bool));
    method->computed = sl_budget_pool_alloc(tables, plan->value_count, sizeof(bool));
    method->keeps = sl_budget_pool_alloc(tables, plan->value_count, 1);
    return method->values && method->computed && method->keeps && method->tensors &&
                   method->loose && method->buffers && method->input_set
               ? 0
               : -ENOMEM;
}

static int alloc_buffers(struct sl_method *method, struct sl_diag *diag)
{
    for (uint32_t i = 0; i < method->plan->buffer_count; i++) {
        method->buffers[i] = sl_budget_alloc(&method->budget, method->plan->buffer_bytes[i]);
        if (!method->buffers[i])
            return no_memory(diag);
    }
    return 0;
}

static bool aligned(const void *at, const struct sl_tensor *tensor)
{
    return (uintptr_t)at % tensor->element_bytes == 0;
}

static int bind_planned(struct sl_method *method, struct sl_tensor *tensor,
                        const struct sl_pte_tensor *from, struct sl_diag *diag)
{
    uint32_t b = from->memory_id - 1;
    if (from->memory_id == 0 || b >= method->plan->buffer_count ||
        !sl_range_ok(from->memory_offset, tensor->max_nbytes, method->plan->buffer_bytes[b]) ||
        from->memory_offset % tensor->element_bytes != 0)
        return sl_diag_set(diag, SL_ET_INVALID_PROGRAM, NULL,
                           "a tensor's planned place (memory %u, offset %llu) is not valid",
                           from->memory_id, (unsigned long long)from->memory_offset);
    sl_tensor_bind(tensor, (uint8_t *)method->buffers[b] + from->memory_offset, tensor->max_nbytes);
    tensor->planned = true;
    return 0;
}

/* Copies the initial state of a mutable tensor into its planned memory. */
static int load_state(struct sl_method *method, struct sl_tensor *tensor, uint32_t index,
                      struct sl_diag *diag)
{
    const struct sl_pte *pte = &method->model->pte;
    if (index >= pte->mutable_count ||
        !sl_range_ok(pte->mutable_offsets[index], tensor->max_nbytes, pte->mutable_data.size))
        return sl_diag_set(diag, SL_ET_INVALID_PROGRAM, NULL,
                           "the initial state of tensor buffer %u lies outside its segment", index);
    if (tensor->max_nbytes != 0)
        memcpy(tensor->data, pte->mutable_data.data + pte->mutable_offsets[index],
               tensor->max_nbytes);
    return 0;
}

static int bind_constant(struct sl_method *method, struct sl_tensor *tensor, uint32_t index,
                         struct sl_diag *diag)
{
    const uint8_t *data;
    int rc = sl_pte_constant(&method->model->pte, index, tensor->max_nbytes, &data);
    if (rc != 0 || !aligned(data, tensor))
        return sl_diag_set(diag, SL_ET_INVALID_PROGRAM, NULL,
                           "constant %u lies outside its segment or is not aligned", index);
    tensor->constant = true;
    sl_tensor_bind(tensor, (void *)(uintptr_t)data, tensor->max_nbytes); /* never written */
    return 0;
}

static bool same_layout(const struct sl_ptd_entry *entry, const struct sl_pte_tensor *tensor)
{
    return entry->is_tensor && entry->scalar_type == tensor->scalar_type &&
           entry->rank == tensor->rank &&
           (entry->rank == 0 ||
            (memcmp(entry->sizes, tensor->sizes, entry->rank * sizeof(*entry->sizes)) == 0 &&
             memcmp(entry->dim_order, tensor->dim_order, entry->rank) == 0));
}

/* A constant, or the initial state of planned memory. */
static int bind_external(struct sl_method *method, struct sl_tensor *tensor,
                         const struct sl_pte_tensor *from, struct sl_diag *diag)
{
    const struct sl_data *data = method->model->data;
    const struct sl_ptd_entry *entry =
        data && from->name ? sl_ptd_find(&data->ptd, from->name) : NULL;
    if (!entry)
        return sl_diag_set(diag, data ? SL_ET_NOT_FOUND : SL_ET_INVALID_EXTERNAL_DATA, from->name,
                           "the program keeps this tensor in an external data file (.ptd), %s",
                           data ? "and the one given does not have it"
                                : "and none is given: say --data_path");
    if (!same_layout(entry, from) || !aligned(entry->data.data, tensor))
        return sl_diag_set(diag, SL_ET_INVALID_EXTERNAL_DATA, from->name,
                           "type, shape or alignment in the external data file differ from the "
                           "program's");
    if (from->planned) {
        int rc = bind_planned(method, tensor, from, diag);
        if (rc == 0 && entry->data.size != 0)
            memcpy(tensor->data, entry->data.data, entry->data.size);
        return rc;
    }
    tensor->constant = true;
    sl_tensor_bind(tensor, (void *)(uintptr_t)entry->data.data, entry->data.size);
    return 0;
}

static int bind_tensor(struct sl_method *method, struct sl_tensor *tensor,
                       const struct sl_pte_tensor *from, struct sl_diag *diag)
{
    if (from->external)
        return bind_external(method, tensor, from, diag);
    if (!from->planned)
        return from->data_buffer_idx == 0
                   ? 0
                   : bind_constant(method, tensor, from->data_buffer_idx, diag);
    int rc = bind_planned(method, tensor, from, diag);
    if (rc == 0 && from->data_buffer_idx != 0)
        rc = load_state(method, tensor, from->data_buffer_idx, diag);
    return rc;
}

static void take_other(struct sl_method *method, const struct sl_pte_value *from,
                       struct sl_method_value *value)
{
    if (from->kind == SL_PTE_STRING)
        value->string_value = from->string_value;
    else
        value->list = from;
    method->has_lists = method->has_lists || from->kind >= SL_PTE_TENSOR_LIST;
}

static int build_values(struct sl_method *method, struct sl_diag *diag)
{
    const struct sl_pte_plan *plan = method->plan;
    size_t next = 0;
    for (uint32_t i = 0; i < plan->value_count; i++) {
        const struct sl_pte_value *from = &plan->values[i];
        struct sl_method_value *value = &method->values[i];
        value->kind = from->kind;
        if (from->kind == SL_PTE_TENSOR) {
            struct sl_tensor *tensor = &method->tensors[next++];
            value->tensor = tensor;
            method->has_halves = method->has_halves ||
                                 from->tensor->scalar_type == SL_SCALAR_HALF ||
                                 from->tensor->scalar_type == SL_SCALAR_DOUBLE ||
                                 from->tensor->scalar_type == SL_SCALAR_BFLOAT16;
            int rc = sl_tensor_init(tensor, from->tensor, diag);
            if (rc == 0)
                rc = bind_tensor(method, tensor, from->tensor, diag);
            if (rc != 0)
                return rc;
        } else if (from->kind > SL_PTE_TENSOR || from->kind == SL_PTE_STRING) {
            take_other(method, from, value);
        } else { /* numbers and Bool: the union's bytes */
            value->int_value = from->int_value;
        }
    }
    return 0;
}

/* The bytes that a tensor of planned memory begins with; none if it begins with zeros. All of it
 * was checked when it was bound. */
static const uint8_t *initial_state(const struct sl_method *method,
                                    const struct sl_pte_tensor *from, size_t *out_bytes)
{
    const struct sl_pte *pte = &method->model->pte;
    if (from->external) {
        const struct sl_ptd_entry *entry = sl_ptd_find(&method->model->data->ptd, from->name);
        *out_bytes = entry->data.size < *out_bytes ? entry->data.size : *out_bytes;
        return entry->data.data;
    }
    return from->data_buffer_idx == 0
               ? NULL
               : pte->mutable_data.data + pte->mutable_offsets[from->data_buffer_idx];
}

void sl_method_reset(struct sl_method *method)
{
    const struct sl_pte_plan *plan = method->plan;
    size_t next = 0;
    for (uint32_t i = 0; i < plan->value_count; i++) {
        const struct sl_pte_tensor *from = plan->values[i].tensor;
        if (plan->values[i].kind != SL_PTE_TENSOR)
            continue;
        size_t bytes = method->tensors[next++].max_nbytes;
        if ((method->keeps[i] & SL_STATE_KEEPS) == 0 || bytes == 0)
            continue;
        uint8_t *place = (uint8_t *)method->buffers[from->memory_id - 1] + from->memory_offset;
        const uint8_t *state = initial_state(method, from, &bytes);
        if (state)
            memcpy(place, state, bytes);
        else
            memset(place, 0, bytes);
    }
}

/* Inputs and outputs that the program leaves to the caller's buffers get memory of ours. */
static int bind_loose(struct sl_method *method, const uint32_t *indices, uint32_t count,
                      struct sl_diag *diag)
{
    for (uint32_t i = 0; i < count; i++) {
        struct sl_tensor *tensor = sl_method_tensor(method, indices[i]);
        if (!tensor || tensor->data)
            continue;
        void *block = sl_budget_alloc(&method->budget, tensor->max_nbytes);
        if (!block)
            return no_memory(diag);
        method->loose[tensor - method->tensors] = block;
        tensor->planned = true;
        sl_tensor_bind(tensor, block, tensor->max_nbytes);
    }
    return 0;
}

int sl_method_new(struct sl_model *model, const char *name, struct sl_method **out,
                  struct sl_diag *diag)
{
    const struct sl_pte_plan *plan = sl_pte_find_plan(&model->pte, name);
    if (!plan) {
        sl_model_log(model, 'E', "program.cpp", 67, "No method named '%s' in program",
                     name ? name : "");
        return sl_diag_set(diag, SL_ET_INVALID_ARGUMENT, NULL, "No method named '%s' in program",
                           name ? name : "");
    }
    struct sl_method *method = sl_calloc(1, sizeof(*method));
    if (!method)
        return no_memory(diag);
    method->model = model;
    method->plan = plan;
    method->budget.limit = model->limits.bytes;
    method->tables.budget = &method->budget;
    method->workspace.budget = &method->budget;
    method->weights.budget = &method->budget;
    method->crew.space.budget = &method->budget;
    int rc = alloc_tables(method) != 0 ? no_memory(diag) : alloc_buffers(method, diag);
    if (rc == 0)
        rc = build_values(method, diag);
    if (rc == 0)
        rc = bind_loose(method, plan->inputs, plan->input_count, diag);
    if (rc == 0)
        rc = bind_loose(method, plan->outputs, plan->output_count, diag);
    if (rc != 0) {
        sl_method_free(method);
        return rc;
    }
    sl_state_find(plan, method->keeps);
    *out = method;
    return 0;
}

void sl_method_set_workers(struct sl_method *method, struct sl_workers *workers)
{
    method->crew.workers = workers;
}

int sl_method_keep_out(struct sl_method *method, const char *operators)
{
    struct sl_kept_out *kept = NULL;
    int rc = sl_kept_out_new(operators, &kept);
    if (rc < 0)
        return rc;
    sl_kept_out_free(method->kept);
    method->kept = kept;
    return 0;
}

void sl_method_free(struct sl_method *method)
{
    if (!method)
        return;
    sl_kept_out_free(method->kept);
    sl_weight_store_fini(&method->weights);
    sl_workspace_fini(&method->crew.space);
    sl_workspace_fini(&method->workspace);
    for (size_t i = 0; method->loose && method->tensors && i < method->tensor_count; i++)
        sl_budget_free(&method->budget, method->loose[i], method->tensors[i].max_nbytes);
    for (uint32_t i = 0; method->buffers && i < method->plan->buffer_count; i++)
        sl_budget_free(&method->budget, method->buffers[i], method->plan->buffer_bytes[i]);
    sl_budget_pool_fini(&method->tables);
    sl_free(method);
}
