/* agent/runtime/ops/op.c */
#include "agent/runtime/ops/op.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "agent/runtime/ops/cast.h"
#include "common/format/scalar_type.h"

struct sl_tensor *sl_op_tensor(const struct sl_op_call *call, uint32_t i)
{
    return i < SL_OP_MAX_ARGS && call->wide[i] ? call->wide[i]
                                               : sl_method_tensor(call->method, call->args[i]);
}

bool sl_op_is_float(const struct sl_op_call *call, uint32_t i)
{
    const struct sl_method_value *value = sl_op_argument(call, i);
    return value->kind == SL_PTE_DOUBLE ||
           (value->kind == SL_PTE_TENSOR && sl_cast_is_float(value->tensor->scalar_type));
}

bool sl_op_is_double(const struct sl_op_call *call, uint32_t i)
{
    const struct sl_method_value *value = sl_op_argument(call, i);
    return value->kind == SL_PTE_TENSOR && value->tensor->scalar_type == SL_SCALAR_DOUBLE;
}

int sl_op_type(const struct sl_op_call *call, uint32_t i)
{
    return sl_method_tensor(call->method, call->args[i])->scalar_type;
}

bool sl_op_is_bool(const struct sl_op_call *call, uint32_t i)
{
    return sl_op_argument(call, i)->kind == SL_PTE_BOOL;
}

const char *sl_op_string(const struct sl_op_call *call, uint32_t i)
{
    const struct sl_method_value *value = sl_op_argument(call, i);
    return value->kind == SL_PTE_STRING ? value->string_value : NULL;
}

double sl_op_number(const struct sl_op_call *call, uint32_t i, double otherwise)
{
    const struct sl_method_value *value = sl_op_argument(call, i);
    switch (value->kind) {
    case SL_PTE_INT:
        return (double)value->int_value;
    case SL_PTE_BOOL:
        return value->bool_value ? 1.0 : 0.0;
    case SL_PTE_DOUBLE:
        return value->double_value;
    default:
        return otherwise;
    }
}

int64_t sl_op_int(const struct sl_op_call *call, uint32_t i, int64_t otherwise)
{
    const struct sl_method_value *value = sl_op_argument(call, i);
    return value->kind == SL_PTE_INT ? value->int_value : otherwise;
}

bool sl_op_bool(const struct sl_op_call *call, uint32_t i)
{
    return sl_op_argument(call, i)->kind == SL_PTE_BOOL && sl_op_argument(call, i)->bool_value;
}

int sl_op_ints(const struct sl_op_call *call, uint32_t i, int64_t *out, uint32_t max)
{
    const struct sl_method_value *value = sl_op_argument(call, i);
    if (sl_op_is_null(value))
        return 0;
    if (value->kind != SL_PTE_INT_LIST)
        return -1;
    const struct sl_pte_value *list = value->list;
    if (list->list.count > max)
        return -1;
    for (uint32_t k = 0; k < list->list.count; k++) {
        const struct sl_method_value *item = &call->method->values[list->list.ints[k]];
        if (item->kind != SL_PTE_INT)
            return -1;
        out[k] = item->int_value;
    }
    return (int)list->list.count;
}

bool sl_op_list_is_empty(const struct sl_op_call *call, uint32_t i)
{
    return !sl_op_is_null(sl_op_argument(call, i)) &&
           sl_op_argument(call, i)->list->list.count == 0;
}

bool sl_op_dim(int64_t dim, uint32_t rank, uint32_t *out)
{
    int64_t wrapped = dim < 0 ? dim + (int64_t)rank : dim;
    if (wrapped < 0 || wrapped >= (int64_t)rank)
        return false;
    *out = (uint32_t)wrapped;
    return true;
}

int sl_op_fail(const struct sl_op_call *call, struct sl_diag *diag, int code, const char *what)
{
    char where[160];
    snprintf(where, sizeof(where), "operator %s", call->op->name);
    return sl_diag_set(diag, code, where, "%s", what);
}

void *sl_op_state(struct sl_op_call *call, size_t bytes)
{
    struct sl_budget *budget = &call->method->budget;
    if (bytes > call->state_bytes || !call->state) {
        sl_budget_free(budget, call->state, call->state_bytes);
        call->state_bytes = 0;
        call->state = sl_budget_alloc(budget, bytes);
        call->state_bytes = call->state ? bytes : 0;
    } else {
        memset(call->state, 0, bytes);
    }
    return call->state;
}

int sl_op_element(const struct sl_tensor *tensor)
{
    return !tensor || tensor->scalar_type == SL_SCALAR_FLOAT ? SL_F32
           : tensor->scalar_type == SL_SCALAR_HALF           ? SL_F16
                                                             : SL_BF16;
}

struct sl_constants sl_op_constants(const struct sl_op_call *call, const struct sl_tensor *weights,
                                    const struct sl_tensor *bias)
{
    return (struct sl_constants){.weights = weights ? weights->data : NULL,
                                 .bias = bias ? bias->data : NULL,
                                 .weights_type = sl_op_element(weights),
                                 .bias_type = sl_op_element(bias),
                                 .isa = call->isa,
                                 .budget = &call->method->budget};
}

static void run_own(const struct sl_step *step)
{
    step->own.run(step->own.call);
}

void sl_op_own(struct sl_op_call *call, const char *kernel, sl_own_run_fn run)
{
    *sl_op_step(call) = (struct sl_step){
        .run = run_own, .kernel = kernel, .kind = SL_STEP_OWN, .own = {.call = call, .run = run}};
    sl_op_operands(call, sl_ref_none(), sl_ref_none(), sl_ref_none());
}

struct sl_step *sl_op_step(struct sl_op_call *call)
{
    assert(call->step_count < SL_OP_MAX_STEPS);
    return &call->steps[call->step_count];
}

void sl_op_operands(struct sl_op_call *call, struct sl_ref a, struct sl_ref b, struct sl_ref out)
{
    uint32_t i = call->step_count++;
    call->refs[i][0] = a;
    call->refs[i][1] = b;
    call->refs[i][2] = out;
    call->scratch[i] = sl_ref_scratch(call, call->steps[i].workspace_bytes).offset;
}

void sl_op_convert(struct sl_op_call *call, const struct sl_tensor *from,
                   const struct sl_tensor *to)
{
    const struct sl_quant none = {0};
    bool widens = to->scalar_type == SL_SCALAR_FLOAT;
    bool half = (widens ? from : to)->scalar_type == SL_SCALAR_HALF;
    int op = widens ? (half ? SL_CONVERT_F32_F16 : SL_CONVERT_F32_BF16)
                    : (half ? SL_CONVERT_F16_F32 : SL_CONVERT_BF16_F32);
    if (from->nbytes == 0)
        sl_step_none(sl_op_step(call));
    else
        sl_step_convert(sl_op_step(call), call->isa, op, sl_tensor_count(from), none, none);
    sl_op_operands(call, sl_ref_tensor(from), sl_ref_none(), sl_ref_tensor(to));
}

struct sl_ref sl_ref_none(void)
{
    return (struct sl_ref){.kind = SL_REF_NONE};
}

struct sl_ref sl_ref_tensor(const struct sl_tensor *tensor)
{
    return (struct sl_ref){.kind = SL_REF_TENSOR, .tensor = tensor};
}

struct sl_ref sl_ref_scratch(struct sl_op_call *call, size_t bytes)
{
    struct sl_ref ref = {.kind = SL_REF_SCRATCH, .offset = call->workspace_bytes};
    size_t rounded = (bytes + 63) & ~(size_t)63;
    if (rounded < bytes ||
        __builtin_add_overflow(call->workspace_bytes, rounded, &call->workspace_bytes))
        call->workspace_bytes = SIZE_MAX; /* more than any limit: the reservation will fail */
    return ref;
}

struct sl_ref sl_ref_pointer(const void *pointer)
{
    return (struct sl_ref){.kind = SL_REF_POINTER, .pointer = pointer};
}

struct sl_ref sl_ref_number(struct sl_op_call *call, float number)
{
    assert(call->number_count < SL_OP_MAX_NUMBERS);
    call->numbers[call->number_count] = number;
    return (struct sl_ref){.kind = SL_REF_NUMBER, .offset = call->number_count++};
}
