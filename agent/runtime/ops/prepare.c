/* agent/runtime/ops/prepare.c */
#include "agent/runtime/ops/prepare.h"

#include <string.h>

#include "agent/runtime/ops/op.h"
#include "agent/runtime/ops/signature.h"
#include "agent/runtime/ops/wide.h"

/* Argument i, whose value is a tensor; widened or as it is. */
static inline const struct sl_tensor *operand(const struct sl_op_call *call, uint32_t i,
                                              const struct sl_method_value *value)
{
    return i < SL_OP_MAX_ARGS && call->wide[i] ? call->wide[i] : value->tensor;
}

static inline bool overlap(const struct sl_tensor *a, const struct sl_tensor *b)
{
    return a->data < b->data + b->nbytes && b->data < a->data + a->nbytes;
}

static inline bool has_memory(const struct sl_tensor *tensor)
{
    return tensor->nbytes <= tensor->room_bytes && tensor->data;
}

/* True if a written tensor, argument `own`, overlaps argument i, or an item of it, and must not. */
static inline bool clashes(const struct sl_op_call *call, const struct sl_tensor *tensor,
                           uint32_t own, const struct sl_tensor *other, uint32_t i)
{
    if (!other || other == tensor || other->nbytes == 0 || !overlap(tensor, other))
        return false;
    return !call->op->in_place || i == own || sl_op_is_written(call->op->signature[i]) ||
           tensor->data != other->data || tensor->nbytes != other->nbytes ||
           tensor->element_bytes != other->element_bytes;
}

/* A written tensor shares no memory with another argument, or all of it where that is allowed. */
static bool stands_alone(const struct sl_op_call *call, const struct sl_tensor *tensor,
                         uint32_t own)
{
    const char *signature = call->op->signature;
    if (tensor->nbytes == 0)
        return true;
    for (uint32_t i = 0; signature[i]; i++) {
        const struct sl_method_value *value = sl_op_argument(call, i);
        if (signature[i] == 's' || value->kind < SL_PTE_TENSOR)
            continue;
        if (value->kind == SL_PTE_TENSOR) {
            if (clashes(call, tensor, own, operand(call, i, value), i))
                return false;
            continue;
        }
        for (uint32_t k = 0; sl_op_is_tensor_list(value) && k < value->list->list.count; k++)
            if (clashes(call, tensor, own, sl_op_list_tensor(call, i, k), i))
                return false;
    }
    return true;
}

static int check_tensor(const struct sl_op_call *call, const struct sl_tensor *tensor, uint32_t i,
                        struct sl_diag *diag)
{
    if (!has_memory(tensor))
        return sl_op_fail(call, diag, SL_ET_INVALID_PROGRAM,
                          "an argument has no memory for its shape");
    if (sl_op_is_written(call->op->signature[i]) && !call->op->view &&
        !stands_alone(call, tensor, i))
        return sl_op_fail(call, diag, SL_ET_INVALID_PROGRAM,
                          "an output shares memory with another argument");
    return 0;
}

/* Every tensor has memory for its shape now, and outputs share none with others. */
static int check_memory(const struct sl_op_call *call, struct sl_diag *diag)
{
    const char *signature = call->op->signature;
    int rc = 0;
    for (uint32_t i = 0; signature[i] && rc == 0; i++) {
        const struct sl_method_value *value = sl_op_argument(call, i);
        if (signature[i] == 's' || value->kind < SL_PTE_TENSOR)
            continue;
        if (value->kind == SL_PTE_TENSOR) {
            rc = check_tensor(call, operand(call, i, value), i, diag);
            continue;
        }
        for (uint32_t k = 0; sl_op_is_tensor_list(value) && k < value->list->list.count && rc == 0;
             k++) {
            const struct sl_tensor *tensor = sl_op_list_tensor(call, i, k);
            if (tensor)
                rc = check_tensor(call, tensor, i, diag);
        }
    }
    return rc;
}

static void *resolve(const struct sl_op_call *call, const struct sl_ref *ref)
{
    switch (ref->kind) {
    case SL_REF_TENSOR:
        return ref->tensor->data;
    case SL_REF_SCRATCH:
        return call->method->workspace.base + ref->offset;
    case SL_REF_NUMBER:
        return (void *)(uintptr_t)&call->numbers[ref->offset];
    case SL_REF_POINTER:
        return (void *)(uintptr_t)ref->pointer;
    default:
        return NULL;
    }
}

static int over_limit(const struct sl_op_call *call, struct sl_diag *diag)
{
    return sl_op_fail(call, diag, SL_ET_MEMORY_ALLOCATION_FAILED,
                      "its workspace goes over the memory limit");
}

static void bind_steps(struct sl_op_call *call)
{
    for (uint32_t i = 0; i < call->step_count; i++) {
        if (call->steps[i].kind == SL_STEP_OWN)
            continue; /* finds its operands by itself */
        const struct sl_step_operands operands = {
            .a = resolve(call, &call->refs[i][0]),
            .b = resolve(call, &call->refs[i][1]),
            .out = resolve(call, &call->refs[i][2]),
            .workspace = call->method->workspace.base + call->scratch[i],
        };
        sl_step_bind(&call->steps[i], &operands);
    }
}

/* Moves the steps that were prepared to where they stay: there is room for the most so far. */
static int keep_steps(struct sl_op_call *call, struct sl_diag *diag)
{
    struct sl_step *to = call->many;
    if (call->step_count <= SL_OP_FEW_STEPS) {
        to = call->few;
    } else if (call->step_count > call->many_room) {
        to = sl_budget_pool_alloc(call->pool, call->step_count, sizeof(*to));
        if (!to)
            return sl_op_fail(call, diag, SL_ET_MEMORY_ALLOCATION_FAILED,
                              "its steps go over the memory limit");
        call->many = to;
        call->many_room = call->step_count;
    }
    memcpy(to, call->steps, call->step_count * sizeof(*to));
    call->steps = to;
    return 0;
}

int sl_op_prepare(struct sl_op_call *call, struct sl_diag *diag)
{
    struct sl_step steps[SL_OP_MAX_STEPS];
    const uint8_t *base;
    int rc = sl_op_check(call, diag);
    call->steps = steps;
    do { /* once more when the workspace has moved, which holds what half precision becomes */
        if (rc != 0)
            break;
        call->step_count = call->number_count = call->main_step = 0;
        call->workspace_bytes = 0;
        base = call->method->workspace.base;
        rc = sl_wide_open(call, diag);
        if (rc == 0)
            rc = call->op->prepare(call, diag);
        if (rc == 0)
            rc = sl_wide_close(call, diag);
        if (rc == 0)
            rc = check_memory(call, diag);
        if (rc == 0 && sl_workspace_reserve(&call->method->workspace, call->workspace_bytes) != 0)
            rc = over_limit(call, diag);
    } while (rc != 0 || (sl_wide_any(call) && base != call->method->workspace.base));
    if (rc == 0)
        rc = keep_steps(call, diag);
    if (rc == 0) {
        bind_steps(call);
    } else {
        call->steps = call->few;
        call->step_count = 0;
    }
    return rc;
}

void sl_op_call_fini(struct sl_op_call *call)
{
    call->step_count = 0;
    sl_weights_fini(&call->weights);
    sl_wide_fini(call);
    sl_budget_free(&call->method->budget, call->state, call->state_bytes);
    call->state = NULL;
    call->state_bytes = 0;
}
