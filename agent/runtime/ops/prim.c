/* agent/runtime/ops/prim.c: arithmetic on the program's numbers: symbolic shapes, loop counters.
 *
 * A result is written when the instruction is prepared as well, so that at load what depends on it
 * is prepared for the sizes it will have. */
#include <math.h>
#include <string.h>

#include "agent/runtime/ops/cast.h"
#include "agent/runtime/ops/op.h"
#include "common/format/scalar_type.h"

enum prim {
    PRIM_ADD,
    PRIM_SUB,
    PRIM_MUL,
    PRIM_FLOORDIV,
    PRIM_QUOTIENT, /* towards zero */
    PRIM_TRUEDIV,
    PRIM_MOD,
    PRIM_MAX,
    PRIM_MIN,
    PRIM_EQ,
    PRIM_LT,
    PRIM_LE,
    PRIM_GT,
    PRIM_GE,
    PRIM_NEG,
    PRIM_FLOAT,
    PRIM_CEIL,
    PRIM_ROUND,
    PRIM_TRUNC,
    PRIM_NOT,    /* of a Bool */
    PRIM_CHOOSE, /* by a Bool */
};

static struct sl_method_value truth(bool value)
{
    return (struct sl_method_value){.kind = SL_PTE_BOOL, .bool_value = value};
}

static struct sl_method_value integer(uint64_t value)
{
    return (struct sl_method_value){.kind = SL_PTE_INT, .int_value = (int64_t)value};
}

static struct sl_method_value real(double value)
{
    return (struct sl_method_value){.kind = SL_PTE_DOUBLE, .double_value = value};
}

static double as_real(const struct sl_method_value *value)
{
    return value->kind == SL_PTE_DOUBLE ? value->double_value
           : value->kind == SL_PTE_INT  ? (double)value->int_value
                                        : (double)value->bool_value;
}

static int64_t as_integer(const struct sl_method_value *value)
{
    return value->kind == SL_PTE_INT ? value->int_value : value->bool_value;
}

/* By the sign of a - b; nothing holds of a NaN. */
static struct sl_method_value compared(int op, int sign, bool ordered)
{
    bool holds = op == PRIM_EQ   ? sign == 0
                 : op == PRIM_LT ? sign < 0
                 : op == PRIM_LE ? sign <= 0
                 : op == PRIM_GT ? sign > 0
                                 : sign >= 0;
    return truth(ordered && holds);
}

static int64_t floor_div(int64_t a, int64_t b) /* b is neither 0 nor -1 */
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* False for a division by zero. */
static bool of_integers(int op, int64_t a, int64_t b, struct sl_method_value *out)
{
    if (b == 0 &&
        (op == PRIM_FLOORDIV || op == PRIM_QUOTIENT || op == PRIM_TRUEDIV || op == PRIM_MOD))
        return false;
    switch (op) {
    case PRIM_ADD:
        *out = integer((uint64_t)a + (uint64_t)b);
        return true;
    case PRIM_SUB:
        *out = integer((uint64_t)a - (uint64_t)b);
        return true;
    case PRIM_MUL:
        *out = integer((uint64_t)a * (uint64_t)b);
        return true;
    case PRIM_FLOORDIV:
        *out = integer(b == -1 ? 0 - (uint64_t)a : (uint64_t)floor_div(a, b));
        return true;
    case PRIM_QUOTIENT:
        *out = integer(b == -1 ? 0 - (uint64_t)a : (uint64_t)(a / b));
        return true;
    case PRIM_MOD:
        *out = integer(b == -1 ? 0 : (uint64_t)(a % b));
        return true;
    case PRIM_MAX:
        *out = integer((uint64_t)(a > b ? a : b));
        return true;
    case PRIM_MIN:
        *out = integer((uint64_t)(a < b ? a : b));
        return true;
    case PRIM_NEG:
        *out = integer(0 - (uint64_t)a);
        return true;
    case PRIM_CEIL:
    case PRIM_ROUND:
    case PRIM_TRUNC:
        *out = integer((uint64_t)a);
        return true;
    case PRIM_FLOAT:
        *out = real((double)a);
        return true;
    case PRIM_TRUEDIV:
        *out = real((double)a / (double)b);
        return true;
    default:
        *out = compared(op, (a > b) - (a < b), true);
        return true;
    }
}

static bool of_reals(int op, double a, double b, struct sl_method_value *out)
{
    switch (op) {
    case PRIM_ADD:
        *out = real(a + b);
        return true;
    case PRIM_SUB:
        *out = real(a - b);
        return true;
    case PRIM_MUL:
        *out = real(a * b);
        return true;
    case PRIM_FLOORDIV:
        *out = real(floor(a / b));
        return b != 0.0;
    case PRIM_QUOTIENT:
        *out = real(trunc(a / b));
        return b != 0.0;
    case PRIM_TRUEDIV:
        *out = real(a / b);
        return b != 0.0;
    case PRIM_MOD:
        *out = real(fmod(a, b));
        return b != 0.0;
    case PRIM_MAX:
        *out = real(fmax(a, b));
        return true;
    case PRIM_MIN:
        *out = real(fmin(a, b));
        return true;
    case PRIM_NEG:
        *out = real(-a);
        return true;
    case PRIM_FLOAT:
        *out = real(a);
        return true;
    case PRIM_CEIL:
        *out = integer((uint64_t)sl_cast_to_int(ceil(a)));
        return true;
    case PRIM_ROUND:
        *out = integer((uint64_t)sl_cast_to_int(nearbyint(a)));
        return true;
    case PRIM_TRUNC:
        *out = integer((uint64_t)sl_cast_to_int(a));
        return true;
    default:
        *out = compared(op, (a > b) - (a < b), a == a && b == b);
        return true;
    }
}

static bool is_number(int kind)
{
    return kind == SL_PTE_INT || kind == SL_PTE_BOOL || kind == SL_PTE_DOUBLE;
}

/* The result's value is the return entry. */
static void write_result(struct sl_op_call *call, const struct sl_method_value *value)
{
    uint32_t at = call->args[call->arg_count - 1];
    struct sl_method_value *to = &call->method->values[at];
    if (to->kind == value->kind && as_integer(to) == as_integer(value) &&
        (value->kind != SL_PTE_DOUBLE || memcmp(to, value, sizeof(*to)) == 0))
        return;
    *to = *value;
    call->method->numbers_epoch++;
}

/* Choices that a Bool makes. */
static bool decide(const struct sl_op_call *call, const struct sl_method_value *by,
                   struct sl_method_value *out)
{
    const struct sl_method_value *taken;
    if (by->kind != SL_PTE_BOOL)
        return false;
    if (*(const int *)call->op->data == PRIM_NOT) {
        *out = truth(!by->bool_value);
        return true;
    }
    taken = &call->method->values[call->args[by->bool_value ? 1 : 2]];
    *out = taken->kind == SL_PTE_DOUBLE ? real(taken->double_value)
           : taken->kind == SL_PTE_INT  ? integer((uint64_t)taken->int_value)
                                        : truth(taken->bool_value);
    return is_number(taken->kind);
}

static bool decides(const struct sl_op_call *call)
{
    const int *op = call->op->data;
    return *op == PRIM_NOT || *op == PRIM_CHOOSE;
}

static bool compute(struct sl_op_call *call, struct sl_method_value *out)
{
    const int *op = call->op->data;
    const struct sl_method_value *a = &call->method->values[call->args[0]];
    const struct sl_method_value *b =
        &call->method->values[call->args[call->arg_count == 3 ? 1 : 0]];
    if (decides(call))
        return decide(call, a, out);
    if (!is_number(a->kind) || !is_number(b->kind))
        return false;
    return a->kind == SL_PTE_DOUBLE || b->kind == SL_PTE_DOUBLE
               ? of_reals(*op, as_real(a), as_real(b), out)
               : of_integers(*op, as_integer(a), as_integer(b), out);
}

static void run_prim(struct sl_op_call *call)
{
    struct sl_method_value value;
    if (compute(call, &value))
        write_result(call, &value);
    else
        call->failure =
            decides(call) ? "its condition is not a Bool" : "a number is divided by zero";
}

static int check_result(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_method_value *to = &call->method->values[call->args[call->arg_count - 1]];
    return is_number(to->kind) || to->kind == SL_PTE_NULL
               ? 0
               : sl_op_fail(call, diag, SL_ET_INVALID_TYPE, "its result is not a number");
}

static int prepare_prim(struct sl_op_call *call, struct sl_diag *diag)
{
    struct sl_method_value value;
    int rc = check_result(call, diag);
    if (rc == 0 && call->method->compiling && compute(call, &value))
        write_result(call, &value); /* when it runs, once: a counter may be its own operand */
    if (rc == 0)
        sl_op_own(call, NULL, run_prim);
    return rc;
}

static void run_size(struct sl_op_call *call)
{
    const struct sl_tensor *tensor = sl_op_tensor(call, 0);
    uint32_t dim = 0;
    struct sl_method_value value = integer(sl_tensor_count(tensor));
    if (call->arg_count == 3 && sl_op_dim(sl_op_int(call, 1, 0), tensor->rank, &dim))
        value = integer((uint64_t)tensor->sizes[dim]);
    write_result(call, &value);
}

static int prepare_size(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *tensor = sl_op_tensor(call, 0);
    uint32_t dim = 0;
    int rc = check_result(call, diag);
    if (rc == 0 && call->arg_count == 3 && !sl_op_dim(sl_op_int(call, 1, 0), tensor->rank, &dim))
        rc = sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its dim is not one of the input's");
    if (rc != 0)
        return rc;
    run_size(call);
    sl_op_own(call, NULL, run_size);
    return 0;
}

/* The one number of a tensor. */
static void run_item(struct sl_op_call *call)
{
    const struct sl_tensor *tensor = sl_op_tensor(call, 0);
    struct sl_method_value value;
    int64_t whole;
    double number;
    if (sl_cast_is_float(tensor->scalar_type)) {
        sl_cast_load(SL_CAST_F64, tensor->scalar_type)(tensor->data, 0, 1, &number);
        value = real(number);
    } else {
        sl_cast_load(SL_CAST_I64, tensor->scalar_type)(tensor->data, 0, 1, &whole);
        value =
            tensor->scalar_type == SL_SCALAR_BOOL ? truth(whole != 0) : integer((uint64_t)whole);
    }
    write_result(call, &value);
}

static int prepare_item(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *tensor = sl_op_tensor(call, 0);
    int rc = check_result(call, diag);
    if (rc == 0 && (sl_tensor_count(tensor) != 1 || !sl_cast_load(0, tensor->scalar_type)))
        rc = sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its input is not one number");
    if (rc == 0)
        sl_op_own(call, NULL, run_item);
    return rc;
}

/* Puts a tensor at a place of the first dimension of another; the place is the last argument. */
static void run_copy_index(struct sl_op_call *call)
{
    const struct sl_tensor *to = sl_op_tensor(call, 0), *from = sl_op_tensor(call, 1);
    int64_t at = sl_op_int(call, 2, -1);
    if (at < 0 || at >= to->sizes[0])
        call->failure = "its index lies outside the tensor";
    else if (from->nbytes != 0)
        memcpy(to->data + (size_t)at * from->nbytes, from->data, from->nbytes);
}

static int prepare_copy_index(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *to = sl_op_tensor(call, 0), *from = sl_op_tensor(call, 1);
    bool fits = to->rank == from->rank + 1 && to->scalar_type == from->scalar_type &&
                sl_tensor_contiguous(to) && sl_tensor_contiguous(from);
    for (uint32_t d = 0; fits && d < from->rank; d++)
        fits = to->sizes[d + 1] == from->sizes[d];
    if (!fits)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its tensors do not fit together");
    sl_op_own(call, NULL, run_copy_index);
    return 0;
}

#define PRIM_AS(word, letters, code)                                                               \
    {                                                                                              \
        .name = "executorch_prim::" word, .signature = letters, .prim = true, .computes = true,    \
        .prepare = prepare_prim, .data = &(const int)                                              \
        {                                                                                          \
            code                                                                                   \
        }                                                                                          \
    }
#define PRIM(word, letters, code) PRIM_AS(word ".Scalar", letters, code)
#define NUMBER(op_name, letters, how)                                                              \
    {.name = op_name, .signature = letters, .prim = true, .computes = true, .prepare = how}

const struct sl_op sl_ops_prim[] = {
    PRIM("add", "nn", PRIM_ADD),
    PRIM("sub", "nn", PRIM_SUB),
    PRIM("mul", "nn", PRIM_MUL),
    PRIM("floordiv", "nn", PRIM_FLOORDIV),
    PRIM("truediv", "nn", PRIM_TRUEDIV),
    PRIM("mod", "nn", PRIM_MOD),
    PRIM("sym_max", "nn", PRIM_MAX),
    PRIM("sym_min", "nn", PRIM_MIN),
    PRIM("eq", "nn", PRIM_EQ),
    PRIM("lt", "nn", PRIM_LT),
    PRIM("le", "nn", PRIM_LE),
    PRIM("gt", "nn", PRIM_GT),
    PRIM("ge", "nn", PRIM_GE),
    PRIM("neg", "n", PRIM_NEG),
    PRIM("sym_float", "n", PRIM_FLOAT),
    PRIM("sym_int", "n", PRIM_TRUNC),
    PRIM("ceil", "n", PRIM_CEIL),
    PRIM("round", "n", PRIM_ROUND),
    PRIM("trunc", "n", PRIM_TRUNC),
    PRIM("sym_not", "n", PRIM_NOT),
    PRIM("sym_ite", "nnn", PRIM_CHOOSE),
    PRIM_AS("floordiv.int", "ii", PRIM_QUOTIENT), /* as ExecuTorch has it, not Python */
    PRIM_AS("mod.int", "ii", PRIM_MOD),
    NUMBER("aten::sym_size.int", "ai", prepare_size),
    NUMBER("aten::sym_numel", "a", prepare_size),
    NUMBER("aten::_local_scalar_dense", "a", prepare_item),
    {.name = "executorch_prim::et_copy_index.tensor",
     .signature = "Oa",
     .prim = true,
     .prepare = prepare_copy_index},
    {0},
};
