/* agent/runtime/ops/signature.c */
#include "agent/runtime/ops/signature.h"

#include <stdio.h>
#include <string.h>

#include "agent/runtime/ops/cast.h"
#include "agent/runtime/ops/op.h"
#include "common/format/scalar_type.h"

#define KIND(name) (1u << SL_PTE_##name)
#define NULLS (KIND(NONE) | KIND(NULL))
#define NUMBERS (KIND(INT) | KIND(DOUBLE) | KIND(BOOL))
#define TENSOR_LISTS (KIND(TENSOR_LIST) | KIND(OPTIONAL_TENSOR_LIST))

/* Beside the kinds: f32 or half precision alone, int64 alone; written; not Bool. */
enum { FLOATS = 1 << 16, LONGS = 1 << 17, WRITTEN = SL_OP_WRITTEN, REALS = 1 << 19 };

/* The meaning of each letter: a bit for each kind, and flags. */
const uint32_t sl_op_meanings[128] = {
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
    return sl_op_meanings[letter & 127];
}

bool sl_op_takes_floats(char letter)
{
    return (meaning_of(letter) & FLOATS) != 0;
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
        const struct sl_method_value *value = sl_op_argument(call, i);
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

/* True if argument i is a tensor of a type that kernels do not take. */
static bool is_exact(const struct sl_op_call *call, uint32_t i)
{
    const struct sl_method_value *value = sl_op_argument(call, i);
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
