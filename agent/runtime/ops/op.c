/* agent/runtime/ops/op.c: arguments, checks and binding that all operators share. */
#include "agent/runtime/ops/op.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "agent/runtime/ops/cast.h"
#include "agent/runtime/ops/wide.h"
#include "common/format/scalar_type.h"

enum { REF_NONE, REF_TENSOR, REF_SCRATCH, REF_NUMBER, REF_POINTER };

static const struct sl_value *argument(const struct sl_op_call *call, uint32_t i)
{
    return &call->method->values[call->args[i]];
}

static bool is_null(const struct sl_value *value)
{
    return value->kind == SL_PTE_NONE || value->kind == SL_PTE_NULL;
}

struct sl_tensor *sl_op_tensor(const struct sl_op_call *call, uint32_t i)
{
    return i < SL_OP_MAX_ARGS && call->wide[i] ? call->wide[i]
                                               : sl_method_tensor(call->method, call->args[i]);
}

bool sl_op_is_float(const struct sl_op_call *call, uint32_t i)
{
    const struct sl_value *value = argument(call, i);
    return value->kind == SL_PTE_DOUBLE ||
           (value->kind == SL_PTE_TENSOR && sl_cast_is_float(value->tensor->scalar_type));
}

bool sl_op_is_double(const struct sl_op_call *call, uint32_t i)
{
    const struct sl_value *value = argument(call, i);
    return value->kind == SL_PTE_TENSOR && value->tensor->scalar_type == SL_SCALAR_DOUBLE;
}

bool sl_op_is_bool(const struct sl_op_call *call, uint32_t i)
{
    return argument(call, i)->kind == SL_PTE_BOOL;
}

const char *sl_op_string(const struct sl_op_call *call, uint32_t i)
{
    const struct sl_value *value = argument(call, i);
    return value->kind == SL_PTE_STRING ? value->string_value : NULL;
}

static bool is_tensor_list(const struct sl_value *value)
{
    return value->kind == SL_PTE_TENSOR_LIST || value->kind == SL_PTE_OPTIONAL_TENSOR_LIST;
}

uint32_t sl_op_list_count(const struct sl_op_call *call, uint32_t i)
{
    const struct sl_value *value = argument(call, i);
    return is_tensor_list(value) ? value->list->list.count : 0;
}

struct sl_tensor *sl_op_list_tensor(const struct sl_op_call *call, uint32_t i, uint32_t k)
{
    int64_t at = argument(call, i)->list->list.ints[k];
    return at < 0 ? NULL : sl_method_tensor(call->method, (uint32_t)at);
}

double sl_op_number(const struct sl_op_call *call, uint32_t i, double otherwise)
{
    const struct sl_value *value = argument(call, i);
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
    const struct sl_value *value = argument(call, i);
    return value->kind == SL_PTE_INT ? value->int_value : otherwise;
}

bool sl_op_bool(const struct sl_op_call *call, uint32_t i)
{
    return argument(call, i)->kind == SL_PTE_BOOL && argument(call, i)->bool_value;
}

int sl_op_ints(const struct sl_op_call *call, uint32_t i, int64_t *out, uint32_t max)
{
    const struct sl_value *value = argument(call, i);
    if (is_null(value))
        return 0;
    if (value->kind != SL_PTE_INT_LIST)
        return -1;
    const struct sl_pte_value *list = value->list;
    if (list->list.count > max)
        return -1;
    for (uint32_t k = 0; k < list->list.count; k++) {
        const struct sl_value *item = &call->method->values[list->list.ints[k]];
        if (item->kind != SL_PTE_INT)
            return -1;
        out[k] = item->int_value;
    }
    return (int)list->list.count;
}

bool sl_op_list_is_empty(const struct sl_op_call *call, uint32_t i)
{
    return !is_null(argument(call, i)) && argument(call, i)->list->list.count == 0;
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

#define KIND(name) (1u << SL_PTE_##name)
#define NULLS (KIND(NONE) | KIND(NULL))
#define NUMBERS (KIND(INT) | KIND(DOUBLE) | KIND(BOOL))
#define TENSOR_LISTS (KIND(TENSOR_LIST) | KIND(OPTIONAL_TENSOR_LIST))

/* Beside the kinds: f32 or half precision alone, int64 alone; written; not Bool. */
enum { FLOATS = 1 << 16, LONGS = 1 << 17, WRITTEN = 1 << 18, REALS = 1 << 19 };

/* What a letter stands for: kinds, a bit each, and more. */
static const uint32_t meanings[128] = {
    ['i'] = KIND(INT),
    ['I'] = KIND(INT) | NULLS,
    ['b'] = KIND(BOOL),
    ['n'] = NUMBERS,
    ['N'] = NUMBERS | NULLS,
    ['v'] = KIND(INT_LIST),
    ['V'] = KIND(INT_LIST) | NULLS,
    ['t'] = KIND(TENSOR) | FLOATS,
    ['a'] = KIND(TENSOR),
    ['o'] = KIND(TENSOR) | FLOATS | WRITTEN,
    ['O'] = KIND(TENSOR) | WRITTEN,
    ['l'] = KIND(TENSOR) | LONGS | WRITTEN,
    ['T'] = KIND(TENSOR) | NULLS | FLOATS,
    ['w'] = KIND(TENSOR) | FLOATS,
    ['W'] = KIND(TENSOR) | NULLS | FLOATS,
    ['r'] = KIND(TENSOR) | REALS,
    ['A'] = KIND(TENSOR) | NULLS,
    ['L'] = KIND(TENSOR_LIST),
    ['M'] = KIND(TENSOR_LIST) | WRITTEN,
    ['P'] = TENSOR_LISTS,
    ['z'] = KIND(STRING) | NULLS,
    ['d'] = KIND(DOUBLE_LIST) | NULLS,
    ['s'] = UINT16_MAX,
};

static inline uint32_t meaning_of(char letter)
{
    return meanings[letter & 127];
}

bool sl_op_takes_floats(char letter)
{
    return (meaning_of(letter) & FLOATS) != 0;
}

static inline bool is_output(char letter)
{
    return (meaning_of(letter) & WRITTEN) != 0;
}

static bool type_fits(uint32_t meaning, const struct sl_tensor *tensor)
{
    if ((meaning & LONGS) != 0)
        return tensor->scalar_type == SL_SCALAR_LONG;
    if ((meaning & REALS) != 0 && tensor->scalar_type == SL_SCALAR_BOOL)
        return false;
    return (meaning & FLOATS) == 0 || sl_cast_is_float(tensor->scalar_type);
}

/* Words cost more than the check: they are found where it fails. */
static int wrong_kind(const struct sl_op_call *call, uint32_t i, struct sl_diag *diag)
{
    char what[128];
    snprintf(what, sizeof(what), "argument %u is not of the kind it takes", i);
    return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, what);
}

static int wrong_type(const struct sl_op_call *call, uint32_t i, int type, struct sl_diag *diag)
{
    char what[128];
    snprintf(what, sizeof(what), "argument %u of type %s is not supported by this agent", i,
             sl_scalar_name(type));
    return sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED, what);
}

static int writes_constant(const struct sl_op_call *call, struct sl_diag *diag)
{
    return sl_op_fail(call, diag, SL_ET_INVALID_PROGRAM, "it would write a constant");
}

static int check_tensor_argument(const struct sl_op_call *call, uint32_t i, uint32_t meaning,
                                 const struct sl_tensor *tensor, struct sl_diag *diag)
{
    if (!type_fits(meaning, tensor))
        return wrong_type(call, i, tensor->scalar_type, diag);
    if ((meaning & WRITTEN) != 0 && tensor->constant && !call->op->view)
        return writes_constant(call, diag);
    return 0;
}

static int check_written_list(const struct sl_op_call *call, uint32_t i, struct sl_diag *diag)
{
    for (uint32_t k = 0; k < sl_op_list_count(call, i); k++) {
        const struct sl_tensor *out = sl_op_list_tensor(call, i, k);
        if (!out || out->constant)
            return writes_constant(call, diag);
    }
    return 0;
}

static int check_arguments(const struct sl_op_call *call, struct sl_diag *diag)
{
    const char *signature = call->op->signature;
    uint32_t most = (uint32_t)strlen(signature) + 1, least = most - (call->op->view ? 1 : 0);
    int rc = 0;
    if (call->arg_count < least || call->arg_count > most)
        return sl_op_fail(call, diag, SL_ET_INVALID_PROGRAM,
                          "it has the wrong number of arguments");
    for (uint32_t i = 0; signature[i] && rc == 0; i++) {
        const struct sl_value *value = argument(call, i);
        uint32_t meaning = meaning_of(signature[i]);
        if ((meaning >> value->kind & 1) == 0) /* kinds were checked: below 16 */
            return wrong_kind(call, i, diag);
        if (value->kind == SL_PTE_TENSOR)
            rc = check_tensor_argument(call, i, meaning, value->tensor, diag);
        else if (value->kind == SL_PTE_TENSOR_LIST && (meaning & WRITTEN) != 0)
            rc = check_written_list(call, i, diag);
    }
    return rc;
}

static const struct sl_op *exact_of(const struct sl_op *op)
{
    const struct sl_op *exact = op->exact;
    while (exact && strcmp(exact->name, op->name) != 0)
        exact++;
    return exact;
}

int sl_op_exactly(struct sl_op_call *call, struct sl_diag *diag)
{
    return exact_of(call->op)->prepare(call, diag);
}

/* Whether argument i is a tensor that kernels do not take. */
static bool is_exact(const struct sl_op_call *call, uint32_t i)
{
    const struct sl_value *value = argument(call, i);
    int type = value->kind == SL_PTE_TENSOR ? value->tensor->scalar_type : SL_SCALAR_FLOAT;
    return type != SL_SCALAR_FLOAT && !sl_cast_is_half(type);
}

static void choose(struct sl_op_call *call)
{
    const char *signature = call->op->signature;
    if (!call->op->exact)
        return;
    for (uint32_t i = 0; i < call->arg_count && signature[i]; i++)
        if ((meaning_of(signature[i]) & FLOATS) != 0 && is_exact(call, i)) {
            call->op = exact_of(call->op);
            return;
        }
}

int sl_op_check(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_method *method = call->method;
    if (call->checked && call->checked_epoch == method->epoch &&
        call->checked_numbers == method->numbers_epoch)
        return 0;
    choose(call);
    int rc = check_arguments(call, diag);
    call->checked = rc == 0;
    call->checked_epoch = method->epoch;
    call->checked_numbers = method->numbers_epoch;
    return rc;
}

/* Argument i, whose value is a tensor; widened or as it is. */
static inline const struct sl_tensor *operand(const struct sl_op_call *call, uint32_t i,
                                              const struct sl_value *value)
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

/* Whether a written tensor, argument `own`, may not be beside argument i, or an item of it. */
static inline bool clashes(const struct sl_op_call *call, const struct sl_tensor *tensor,
                           uint32_t own, const struct sl_tensor *other, uint32_t i)
{
    if (!other || other == tensor || other->nbytes == 0 || !overlap(tensor, other))
        return false;
    return !call->op->in_place || i == own || is_output(call->op->signature[i]) ||
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
        const struct sl_value *value = argument(call, i);
        if (signature[i] == 's' || value->kind < SL_PTE_TENSOR)
            continue;
        if (value->kind == SL_PTE_TENSOR) {
            if (clashes(call, tensor, own, operand(call, i, value), i))
                return false;
            continue;
        }
        for (uint32_t k = 0; is_tensor_list(value) && k < value->list->list.count; k++)
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
    if (is_output(call->op->signature[i]) && !call->op->view && !stands_alone(call, tensor, i))
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
        const struct sl_value *value = argument(call, i);
        if (signature[i] == 's' || value->kind < SL_PTE_TENSOR)
            continue;
        if (value->kind == SL_PTE_TENSOR) {
            rc = check_tensor(call, operand(call, i, value), i, diag);
            continue;
        }
        for (uint32_t k = 0; is_tensor_list(value) && k < value->list->list.count && rc == 0; k++) {
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
    case REF_TENSOR:
        return ref->tensor->data;
    case REF_SCRATCH:
        return call->method->workspace.base + ref->offset;
    case REF_NUMBER:
        return (void *)(uintptr_t)&call->numbers[ref->offset];
    case REF_POINTER:
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

static int float_type(const struct sl_tensor *tensor)
{
    return !tensor || tensor->scalar_type == SL_SCALAR_FLOAT ? SL_STEP_F32
           : tensor->scalar_type == SL_SCALAR_HALF           ? SL_STEP_F16
                                                             : SL_STEP_BF16;
}

struct sl_constants sl_op_constants(const struct sl_op_call *call, const struct sl_tensor *weights,
                                    const struct sl_tensor *bias)
{
    return (struct sl_constants){.weights = weights ? weights->data : NULL,
                                 .bias = bias ? bias->data : NULL,
                                 .weights_type = float_type(weights),
                                 .bias_type = float_type(bias),
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

struct sl_ref sl_ref_none(void)
{
    return (struct sl_ref){.kind = REF_NONE};
}

struct sl_ref sl_ref_tensor(const struct sl_tensor *tensor)
{
    return (struct sl_ref){.kind = REF_TENSOR, .tensor = tensor};
}

struct sl_ref sl_ref_scratch(struct sl_op_call *call, size_t bytes)
{
    struct sl_ref ref = {.kind = REF_SCRATCH, .offset = call->workspace_bytes};
    size_t rounded = (bytes + 63) & ~(size_t)63;
    if (rounded < bytes ||
        __builtin_add_overflow(call->workspace_bytes, rounded, &call->workspace_bytes))
        call->workspace_bytes = SIZE_MAX; /* more than any limit: the reservation will fail */
    return ref;
}

struct sl_ref sl_ref_pointer(const void *pointer)
{
    return (struct sl_ref){.kind = REF_POINTER, .pointer = pointer};
}

struct sl_ref sl_ref_number(struct sl_op_call *call, float number)
{
    assert(call->number_count < SL_OP_MAX_NUMBERS);
    call->numbers[call->number_count] = number;
    return (struct sl_ref){.kind = REF_NUMBER, .offset = call->number_count++};
}
