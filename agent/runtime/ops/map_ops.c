/* agent/runtime/ops/map_ops.c: elementwise operators of all types. */
#include <math.h>
#include <string.h>
#include <tgmath.h>

#include "agent/runtime/ops/formula.h"
#include "agent/runtime/ops/map.h"
#include "agent/runtime/ops/truth.h"
#include "common/format/scalar_type.h"

/* The differences between operators that share a prepare(). */
struct spec {
    sl_map_fn f32, f64, i64; /* i64 NULL: computes in floating point always */
    uint32_t inputs;         /* the first arguments */
    uint32_t promoting;      /* arguments that decide the class; 0: the inputs */
    unsigned how;            /* NO_ZERO_DIVISOR, NO_TRUTHS, IN_DOUBLES */
};

enum {
    NO_ZERO_DIVISOR = 1, /* of integers */
    NO_TRUTHS = 2,       /* not of Bools alone */
    IN_DOUBLES = 4,      /* integers are computed in doubles */
    REALS = IN_DOUBLES | NO_TRUTHS,
};

/* A function over a block: x, y, z are the operands, p[] the further numbers, r the result. */
#define BLOCK(id, number, body)                                                                    \
    static void id(size_t count, const void *const *in, void *out, const double *p)                \
    {                                                                                              \
        typedef number real __attribute__((unused));                                               \
        const number *a = in[0], *b = in[1] ? in[1] : a, *c = in[2] ? in[2] : a;                   \
        number *to = out;                                                                          \
        (void)p;                                                                                   \
        for (size_t i = 0; i < count; i++) {                                                       \
            number x = a[i], y = b[i], z = c[i], r;                                                \
            (void)y, (void)z;                                                                      \
            body;                                                                                  \
            to[i] = r;                                                                             \
        }                                                                                          \
    }
#define F32(id, expression) BLOCK(id##_f32, float, r = (float)(expression))
#define F64(id, expression) BLOCK(id##_f64, double, r = (double)(expression))
/* tgmath.h chooses the function of the type. */
#define REAL(id, expression) F32(id, expression) F64(id, expression)
#define I64(id, expression) BLOCK(id##_i64, int64_t, r = (int64_t)(expression))
#define BOTH(id, expression) REAL(id, expression) I64(id, expression)
/* Integers wrap around. */
#define WRAP(id, operation)                                                                        \
    I64(id, (uint64_t)x operation((uint64_t)y *(uint64_t)sl_cast_to_int(p[0])))

REAL(add, x + y * (real)p[0])
REAL(sub, x - y * (real)p[0])
REAL(mul, x *y)
REAL(div, x / y)
WRAP(add, +)
WRAP(sub, -)
I64(mul, (uint64_t)x *(uint64_t)y)

static int64_t quotient(int64_t x, int64_t y) /* y is not 0 */
{
    return y == -1 ? (int64_t)(0 - (uint64_t)x) : x / y;
}

static int64_t rest(int64_t x, int64_t y) /* of the dividend's sign, as ExecuTorch has it */
{
    return y == -1 ? 0 : x % y;
}

/* The rest of the divisor's sign. */
static float floor_rest_float(float x, float y)
{
    float r = fmodf(x, y);
    return r != 0.0f && (r < 0.0f) != (y < 0.0f) ? r + y : r;
}

/* ExecuTorch's remainder of doubles is in single precision. */
static float floor_rest_double(double x, double y)
{
    float r = (float)fmod(x, y);
    return r != 0.0f && (x < 0.0) != (y < 0.0) ? (float)((double)r + y) : r;
}

/* The quotient that goes with it; where PyTorch has others, by a zero or an infinity, these are
 * ExecuTorch's. */
#define FLOORED(number)                                                                            \
    static number floor_quotient_##number(number x, number y)                                      \
    {                                                                                              \
        number r = fmod(x, y), q = (x - r) / y;                                                    \
        if (y == 0)                                                                                \
            return signbit(x) ? -(number)INFINITY : (number)INFINITY;                              \
        return r != 0 && signbit(r) != signbit(y) ? q - 1 : q;                                     \
    }
FLOORED(float)
FLOORED(double)

REAL(trunc_div, trunc(x / y))
I64(trunc_div, sl_cast_to_int((double)quotient(x, y))) /* as ExecuTorch truncates */
F32(floor_div, floor_quotient_float(x, y))
F64(floor_div, floor_quotient_double(x, y))
I64(floor_div, quotient(x, y) - (rest(x, y) != 0 && (rest(x, y) < 0) != (y < 0)))
F32(remainder, floor_rest_float(x, y))
F64(remainder, floor_rest_double(x, y))
I64(remainder, rest(x, y))
REAL(fmod, fmod(x, y))
REAL(pow, y == 2.0f ? x * x : pow(x, y))
REAL(square, x *x)
REAL(cube, x *x *x)
F32(root, sl_formula_root(x))
F64(root, pow(x, 0.5))
F32(inverse_root, x == -INFINITY ? 0.0f : 1.0f / sl_formula_root(x))
F64(inverse_root, pow(x, -0.5))
REAL(atan2, atan2(x, y))
REAL(maximum, x != x ? x : (y != y || y > x) ? y : x)
REAL(minimum, x != x ? x : (y != y || y < x) ? y : x)
I64(maximum, x > y ? x : y)
I64(minimum, x < y ? x : y)
#define MOST(x, y) ((x) != (x) ? (x) : (y) != (y) || (y) > (x) ? (y) : (x))
REAL(between, MOST(x, y) != MOST(x, y) || MOST(x, y) < z ? MOST(x, y) : z)
I64(between, (x > y ? x : y) < z ? (x > y ? x : y) : z)
BOTH(eq, x == y)
BOTH(ne, x != y)
BOTH(lt, x < y)
BOTH(le, x <= y)
BOTH(gt, x > y)
BOTH(ge, x >= y)
BOTH(logical_and, x != 0 && y != 0)
BOTH(logical_or, x != 0 || y != 0)
BOTH(logical_xor, (x != 0) != (y != 0))
BOTH(logical_not, x == 0)
I64(bitwise_and, x &y)
I64(bitwise_or, x | y)
I64(bitwise_xor, x ^ y)
I64(bitwise_not, ~x)
/* Counts are taken as CPUs take them, of which narrow types have 32 bits. */
I64(bitwise_left_shift, (uint64_t)x << (y & 63))
I64(bitwise_right_shift, x >> (y & 63))
I64(narrow_left_shift, (uint32_t)x << (y & 31))
I64(narrow_right_shift, x >> (y & 31))
BOTH(where, x != 0 ? y : z)
BOTH(masked_fill, y != 0 ? z : x)

REAL(abs, fabs(x))
I64(abs, x < 0 ? 0 - (uint64_t)x : (uint64_t)x)
REAL(neg, -x)
I64(neg, 0 - (uint64_t)x)
REAL(sign, x != x ? x : (real)(x > 0) - (real)(x < 0))
I64(sign, (x > 0) - (x < 0))
#define LEAST(x, high) ((x) > (high) ? (high) : (x))
REAL(clamp, LEAST(x < (real)p[0] ? (real)p[0] : x, (real)p[1]))
I64(clamp, LEAST(x < sl_cast_to_int(p[0]) ? sl_cast_to_int(p[0]) : x, sl_cast_to_int(p[1])))
I64(same, x)
REAL(floor, floor(x))
REAL(ceil, ceil(x))
REAL(round, nearbyint(x))
REAL(trunc, trunc(x))
REAL(isnan, x != x)
REAL(isinf, isinf(x) != 0)
REAL(exp, exp(x))
REAL(expm1, expm1(x))
REAL(log, log(x))
REAL(log2, log2(x))
REAL(log10, log10(x))
F32(log1p, sl_formula_log1p(x))
F64(log1p, log1p(x))
REAL(sqrt, sqrt(x))
REAL(rsqrt, 1.0f / sqrt(x))
REAL(reciprocal, 1.0f / x)
REAL(sigmoid, 1.0f / (1.0f + exp(-x)))
REAL(tanh, tanh(x))
REAL(sin, sin(x))
REAL(cos, cos(x))
REAL(tan, tan(x))
REAL(asin, asin(x))
REAL(acos, acos(x))
REAL(atan, atan(x))
REAL(sinh, sinh(x))
REAL(cosh, cosh(x))
REAL(asinh, asinh(x))
REAL(acosh, acosh(x))
REAL(atanh, atanh(x))
REAL(erf, erf(x))
REAL(gelu, x * 0.5f * (1.0f + erf(x * (real)0.70710678118654752)))
REAL(gelu_tanh,
     0.5f * x * (1.0f + tanh((real)0.79788456080286536 * (x + (real)0.044715 * x * x * x))))
REAL(leaky_relu, x > 0.0f ? x : x * (real)p[0])
REAL(elu, x <= 0.0f ? expm1(x * (real)p[2]) * (real)(p[0] * p[1]) : x * (real)p[1])

/* Returns the kernel operation that computes the same; SL_UNARY_OP_END: there is none. */
static int kernel_of(const struct sl_op_call *call, const struct spec *spec)
{
    static const struct {
        sl_map_fn map;
        int op;
    } kernels[] = {
        {exp_f32, SL_UNARY_EXP},
        {log_f32, SL_UNARY_LOG},
        {sqrt_f32, SL_UNARY_SQRT},
        {rsqrt_f32, SL_UNARY_RSQRT},
        {sin_f32, SL_UNARY_SIN},
        {cos_f32, SL_UNARY_COS},
        {sigmoid_f32, SL_UNARY_SIGMOID},
        {tanh_f32, SL_UNARY_TANH},
        {abs_f32, SL_UNARY_ABS},
        {neg_f32, SL_UNARY_NEGATE},
        {floor_f32, SL_UNARY_FLOOR},
        {ceil_f32, SL_UNARY_CEILING},
        {gelu_f32, SL_UNARY_GELU},
        {leaky_relu_f32, SL_UNARY_LEAKY_RELU},
        {elu_f32, SL_UNARY_ELU},
        {gelu_tanh_f32, SL_UNARY_GELU_TANH},
        {expm1_f32, SL_UNARY_EXPM1},
        {log1p_f32, SL_UNARY_LOG1P},
        {log2_f32, SL_UNARY_LOG2},
        {log10_f32, SL_UNARY_LOG10},
        {erf_f32, SL_UNARY_ERF},
        {reciprocal_f32, SL_UNARY_RECIPROCAL},
        {sinh_f32, SL_UNARY_SINH},
        {cosh_f32, SL_UNARY_COSH},
        {asinh_f32, SL_UNARY_ASINH},
        {acosh_f32, SL_UNARY_ACOSH},
        {atanh_f32, SL_UNARY_ATANH},
        {asin_f32, SL_UNARY_ASIN},
        {acos_f32, SL_UNARY_ACOS},
        {atan_f32, SL_UNARY_ATAN},
        {round_f32, SL_UNARY_ROUND},
        {trunc_f32, SL_UNARY_TRUNCATE},
        {sign_f32, SL_UNARY_SIGN},
        {root_f32, SL_UNARY_ROOT},
        {inverse_root_f32, SL_UNARY_INVERSE_ROOT},
    };
    bool scaled = spec->f32 == elu_f32 &&
                  (sl_op_number(call, 2, 1.0) != 1.0 || sl_op_number(call, 3, 1.0) != 1.0);
    for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]) && !scaled; i++)
        if (kernels[i].map == spec->f32)
            return kernels[i].op;
    return SL_UNARY_OP_END;
}

/* Single or half precision on both sides, in one order. */
static bool takes_kernel(const struct sl_tensor *in, const struct sl_tensor *out)
{
    return in->scalar_type == out->scalar_type && in->rank == out->rank &&
           memcmp(in->dim_order, out->dim_order, in->rank) == 0 &&
           (in->scalar_type == SL_SCALAR_FLOAT || in->scalar_type == SL_SCALAR_HALF);
}

static int prepare_kernel(struct sl_op_call *call, int op, struct sl_tensor *out,
                          struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    int rc = sl_tensor_resize(out, in->rank, in->sizes, diag);
    if (rc != 0)
        return rc;
    struct sl_step *step = sl_op_step(call);
    float a =
        op == SL_UNARY_LEAKY_RELU || op == SL_UNARY_ELU ? (float)sl_op_number(call, 1, 0.0) : 0.0f;
    if (in->nbytes == 0)
        sl_step_none(step);
    else
        sl_step_unary(step, call->isa, sl_op_element(in), op, sl_tensor_count(in), a, 0.0f);
    sl_op_operands(call, sl_ref_tensor(in), sl_ref_none(), sl_ref_tensor(out));
    return 0;
}

static bool is_truth(const struct sl_op_call *call, uint32_t i)
{
    const struct sl_tensor *tensor = sl_op_tensor(call, i);
    return tensor ? tensor->scalar_type == SL_SCALAR_BOOL : sl_op_is_bool(call, i);
}

/* Returns the operation of truth.h that computes the same; -1: there is none. */
static int truth_of(const struct spec *spec)
{
    static const sl_map_fn truths[] = {
        [SL_TRUTH_EQUAL] = eq_f32,        [SL_TRUTH_UNEQUAL] = ne_f32,
        [SL_TRUTH_LESS] = lt_f32,         [SL_TRUTH_ATMOST] = le_f32,
        [SL_TRUTH_MORE] = gt_f32,         [SL_TRUTH_ATLEAST] = ge_f32,
        [SL_TRUTH_AND] = logical_and_f32, [SL_TRUTH_OR] = logical_or_f32,
        [SL_TRUTH_XOR] = logical_xor_f32, [SL_TRUTH_NOT] = logical_not_f32,
        [SL_TRUTH_NAN] = isnan_f32,       [SL_TRUTH_INFINITE] = isinf_f32,
    };
    for (size_t i = 0; i < sizeof(truths) / sizeof(truths[0]); i++)
        if (truths[i] == spec->f32)
            return (int)i;
    return -1;
}

static int prepare_spec(struct sl_op_call *call, const struct spec *spec, struct sl_diag *diag)
{
    uint32_t last = (uint32_t)strlen(call->op->signature) - 1;
    struct sl_tensor *to = sl_op_tensor(call, last);
    int truth = truth_of(spec);
    if (truth >= 0 && sl_truth_takes(call, truth, last))
        return sl_truth_prepare(call, truth, last, diag);
    int kernel = kernel_of(call, spec);
    if (kernel != SL_UNARY_OP_END && takes_kernel(sl_op_tensor(call, 0), to))
        return prepare_kernel(call, kernel, to, diag);
    static const uint32_t arguments[SL_MAP_INPUTS] = {0, 1, 2};
    uint32_t promoting = spec->promoting != 0 ? spec->promoting : spec->inputs;
    struct sl_map_shape shape = {
        .input_count = spec->inputs,
        .inputs = {0, 1, 2},
        .out = last,
        .no_zero_divisor = (spec->how & NO_ZERO_DIVISOR) != 0,
    };
    const sl_map_fn fns[SL_CAST_CLASSES] = {spec->f32, spec->i64, spec->f64};
    shape.class = sl_map_class(call, promoting, arguments);
    if ((spec->how & NO_TRUTHS) != 0 && is_truth(call, 0) && is_truth(call, 1))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its inputs are Bools");
    if (shape.class == SL_CAST_I64 && (spec->how & IN_DOUBLES) != 0)
        shape.class = SL_CAST_F64;
    if (!fns[shape.class])
        shape.class = spec->f32 ? SL_CAST_F32 : SL_CAST_I64;
    shape.fn = fns[shape.class];
    for (uint32_t k = 0; spec->inputs + k < shape.out && k < 3; k++)
        shape.numbers[k] = sl_op_number(call, spec->inputs + k, 0.0);
    return sl_map_prepare(call, &shape, diag);
}

static int prepare_map(struct sl_op_call *call, struct sl_diag *diag)
{
    return prepare_spec(call, call->op->data, diag);
}

/* `data` is the spec of what no kernel takes. */
static int prepare_where(struct sl_op_call *call, struct sl_diag *diag)
{
    static const struct sl_truth_choice choice = {.condition = 0, .yes = 1, .no = 2, .out = 3};
    return sl_truth_chooses(call, &choice) ? sl_truth_choose(call, &choice, diag)
                                           : prepare_map(call, diag);
}

static int prepare_masked_fill(struct sl_op_call *call, struct sl_diag *diag)
{
    static const struct sl_truth_choice choice = {.condition = 1, .yes = 2, .no = 0, .out = 3};
    return sl_truth_chooses(call, &choice) ? sl_truth_choose(call, &choice, diag)
                                           : prepare_map(call, diag);
}

static int prepare_bitwise(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct spec *spec = call->op->data;
    for (uint32_t i = 0; i < spec->inputs; i++)
        if (sl_op_is_float(call, i))
            return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its inputs are not integers");
    return prepare_spec(call, spec, diag);
}

static int prepare_rest(struct sl_op_call *call, struct sl_diag *diag)
{
    bool whole = !sl_op_is_float(call, 0) && !sl_op_is_float(call, 1);
    if (whole && sl_op_number(call, 1, 0.0) == 0.0)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "an integer is divided by zero");
    return prepare_map(call, diag);
}

/* Argument 0 by as many bits as argument 1 says. */
static int prepare_shift(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct spec *by_width = call->op->data;
    bool wide = false, number = !sl_op_tensor(call, 1) && !sl_op_is_bool(call, 1);
    for (uint32_t i = 0; i < 2; i++) {
        const struct sl_tensor *tensor = sl_op_tensor(call, i);
        wide = wide || (tensor && tensor->scalar_type == SL_SCALAR_LONG);
        if (sl_op_is_float(call, i))
            return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its inputs are not integers");
    }
    wide = wide || (number && sl_op_tensor(call, 0)->scalar_type == SL_SCALAR_BOOL);
    return prepare_spec(call, &by_width[wide], diag);
}

/* Not of Bool: the complement of an integer's bits is not its negation. */
static int prepare_bitwise_not(struct sl_op_call *call, struct sl_diag *diag)
{
    static const struct spec integers = {NULL, NULL, bitwise_not_i64, 1, 0, 0};
    static const struct spec truths = {NULL, NULL, logical_not_i64, 1, 0, 0};
    if (sl_op_is_float(call, 0))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its input is not of integers");
    bool truth = sl_op_tensor(call, 0)->scalar_type == SL_SCALAR_BOOL;
    return prepare_spec(call, truth ? &truths : &integers, diag);
}

static int prepare_div_mode(struct sl_op_call *call, struct sl_diag *diag)
{
    static const struct spec exact = {div_f32, div_f64, NULL, 2, 0, 0};
    static const struct spec floored = {floor_div_f32,  floor_div_f64, floor_div_i64, 2, 0,
                                        NO_ZERO_DIVISOR};
    static const struct spec truncated = {trunc_div_f32,  trunc_div_f64, trunc_div_i64, 2, 0,
                                          NO_ZERO_DIVISOR};
    const char *mode = sl_op_string(call, 2);
    if (!mode)
        return prepare_spec(call, &exact, diag);
    if (strcmp(mode, "floor") == 0)
        return prepare_spec(call, &floored, diag);
    if (strcmp(mode, "trunc") == 0)
        return prepare_spec(call, &truncated, diag);
    return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its rounding mode is unknown");
}

/* Bounds that are tensors, of which one may be missing. */
static int prepare_between(struct sl_op_call *call, struct sl_diag *diag)
{
    static const struct {
        sl_map_fn fns[SL_CAST_CLASSES];
        uint32_t count, inputs[SL_MAP_INPUTS];
    } by[4] = {
        [1] = {{maximum_f32, maximum_i64, maximum_f64}, 2, {0, 1}},
        [2] = {{minimum_f32, minimum_i64, minimum_f64}, 2, {0, 2}},
        [3] = {{between_f32, between_i64, between_f64}, 3, {0, 1, 2}},
    };
    int bounds = (sl_op_tensor(call, 1) != NULL) + 2 * (sl_op_tensor(call, 2) != NULL);
    if (bounds == 0)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "it has no bounds");
    static const struct sl_bounds kernel = {.of = 0, .least = 1, .most = 2, .out = 3};
    if (sl_truth_bounds(call, &kernel))
        return sl_truth_bound(call, &kernel, diag);
    struct sl_map_shape shape = {.input_count = by[bounds].count, .out = 3};
    memcpy(shape.inputs, by[bounds].inputs, sizeof(shape.inputs));
    shape.class = sl_map_class(call, shape.input_count, shape.inputs);
    shape.fn = by[bounds].fns[shape.class];
    return sl_map_prepare(call, &shape, diag);
}

static struct sl_ref add_product(struct sl_op_call *call, size_t count, struct sl_ref a,
                                 struct sl_ref b, struct sl_ref to)
{
    sl_step_binary(sl_op_step(call), call->isa, SL_F32, SL_BINARY_MULTIPLY, 1, &count, 1, &count, 1,
                   &count);
    sl_op_operands(call, a, b, to);
    return to;
}

/* The largest power that products make, each of which is rounded. */
enum { MOST_PRODUCTS = 16 };

/* x squared again and again; those of the exponent's bits multiplied, and one over the product
 * where the exponent is negative. */
static int prepare_products(struct sl_op_call *call, int exponent, struct sl_tensor *out,
                            struct sl_diag *diag)
{
    int power = exponent < 0 ? -exponent : exponent;
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    size_t count = sl_tensor_count(in);
    int rc = sl_tensor_resize(out, in->rank, in->sizes, diag);
    if (rc != 0 || in->nbytes == 0)
        return rc;
    struct sl_ref square = sl_ref_tensor(in), to = sl_ref_tensor(out), product = sl_ref_none();
    for (; power > 1; power /= 2) {
        if (power % 2 != 0)
            product = product.kind == SL_REF_NONE ? square
                                                  : add_product(call, count, product, square, to);
        bool last = power == 2 && product.kind == SL_REF_NONE;
        struct sl_ref room = last ? to : sl_ref_scratch(call, in->nbytes);
        square = add_product(call, count, square, square, room);
    }
    if (product.kind != SL_REF_NONE)
        add_product(call, count, product, square, to);
    if (exponent > 0)
        return 0;
    sl_step_unary(sl_op_step(call), call->isa, SL_F32, SL_UNARY_RECIPROCAL, count, 0.0f, 0.0f);
    sl_op_operands(call, to, sl_ref_none(), to);
    return 0;
}

/* The sine over the cosine. */
static int prepare_tan(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct sl_tensor *out = sl_op_tensor(call, 1);
    size_t count = sl_tensor_count(in);
    if (!takes_kernel(in, out))
        return prepare_map(call, diag);
    int rc = sl_tensor_resize(out, in->rank, in->sizes, diag);
    if (rc != 0 || in->nbytes == 0)
        return rc;
    struct sl_ref from = sl_ref_tensor(in), to = sl_ref_tensor(out);
    struct sl_ref sine = sl_ref_scratch(call, in->nbytes);
    sl_step_unary(sl_op_step(call), call->isa, SL_F32, SL_UNARY_SIN, count, 0.0f, 0.0f);
    sl_op_operands(call, from, sl_ref_none(), sine);
    sl_step_unary(sl_op_step(call), call->isa, SL_F32, SL_UNARY_COS, count, 0.0f, 0.0f);
    sl_op_operands(call, from, sl_ref_none(), to);
    sl_step_binary(sl_op_step(call), call->isa, SL_F32, SL_BINARY_DIVIDE, 1, &count, 1, &count, 1,
                   &count);
    sl_op_operands(call, sine, to, to);
    return 0;
}

/* Frequent powers, and roots as powf() has them: those of the smaller infinity and of -0 are
 * positive. */
static int prepare_power(struct sl_op_call *call, struct sl_diag *diag)
{
    static const struct {
        double exponent;
        struct spec spec;
    } powers[] = {
        {2.0, {square_f32, square_f64, NULL, 2, 0, REALS}},
        {3.0, {cube_f32, cube_f64, NULL, 2, 0, REALS}},
        {0.5, {root_f32, root_f64, NULL, 2, 0, REALS}},
        {-0.5, {inverse_root_f32, inverse_root_f64, NULL, 2, 0, REALS}},
    };
    double exponent = sl_op_number(call, 1, 0.0);
    struct sl_tensor *out = sl_op_tensor(call, 2);
    if (fabs(exponent) >= 2.0 && fabs(exponent) <= (double)MOST_PRODUCTS &&
        exponent == floor(exponent) && takes_kernel(sl_op_tensor(call, 0), out))
        return prepare_products(call, (int)exponent, out, diag);
    for (size_t i = 0; i < sizeof(powers) / sizeof(powers[0]); i++)
        if (exponent == powers[i].exponent)
            return prepare_spec(call, &powers[i].spec, diag);
    return prepare_map(call, diag);
}

static int prepare_gelu(struct sl_op_call *call, struct sl_diag *diag)
{
    static const struct spec exact = {gelu_f32, gelu_f64, NULL, 1, 0, 0};
    static const struct spec approximate = {gelu_tanh_f32, gelu_tanh_f64, NULL, 1, 0, 0};
    const char *how = sl_op_string(call, 1);
    if (how && strcmp(how, "tanh") == 0)
        return prepare_spec(call, &approximate, diag);
    if (how && strcmp(how, "none") == 0)
        return prepare_spec(call, &exact, diag);
    return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its approximation is unknown");
}

int sl_map_arithmetic(struct sl_op_call *call, int op, double alpha, uint32_t out,
                      struct sl_diag *diag)
{
    static const sl_map_fn of[][SL_CAST_CLASSES] = {
        [SL_BINARY_ADD] = {add_f32, add_i64, add_f64},
        [SL_BINARY_SUBTRACT] = {sub_f32, sub_i64, sub_f64},
        [SL_BINARY_MULTIPLY] = {mul_f32, mul_i64, mul_f64},
        [SL_BINARY_DIVIDE] = {div_f32, NULL, div_f64},
        [SL_BINARY_MAXIMUM] = {maximum_f32, maximum_i64, maximum_f64},
        [SL_BINARY_MINIMUM] = {minimum_f32, minimum_i64, minimum_f64},
    };
    struct sl_map_shape shape = {
        .input_count = 2, .inputs = {0, 1}, .out = out, .numbers = {alpha}};
    shape.class = sl_map_class(call, 2, shape.inputs);
    if (!of[op][shape.class])
        shape.class = SL_CAST_F32;
    shape.fn = of[op][shape.class];
    return sl_map_prepare(call, &shape, diag);
}

int sl_map_clamp(struct sl_op_call *call, double min, double max, uint32_t out,
                 struct sl_diag *diag)
{
    struct sl_map_shape shape = {
        .input_count = 1, .inputs = {0, 1, 2}, .out = out, .numbers = {min, max}};
    shape.class = sl_map_class(call, out, shape.inputs);
    shape.fn = (const sl_map_fn[]){clamp_f32, clamp_i64, clamp_f64}[shape.class];
    return sl_map_prepare(call, &shape, diag);
}

#define OP(op_name, letters, how, ...) OP_OF(op_name, letters, SL_OP_WIDENED, how, __VA_ARGS__)
/* One that kernels compute of halves too. */
#define UNARY(op_name, letters, ...)                                                               \
    OP_OF(op_name, letters, SL_OP_AS_THEY_ARE | SL_OP_WIDENED, prepare_map, __VA_ARGS__)
#define OP_OF(op_name, letters, kept, how, ...)                                                    \
    {                                                                                              \
        .name = op_name, .signature = letters, .in_place = true, .halves = (kept), .prepare = how, \
        .data = &(const struct spec)                                                               \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
/* One input; always in f32. */
#define FLOAT_1(id) UNARY("aten::" #id ".out", "aO", id##_f32, id##_f64, NULL, 1, 0, 0)
/* One input; in its own class. */
#define ANY_1(id) UNARY("aten::" #id ".out", "aO", id##_f32, id##_f64, id##_i64, 1, 0, 0)
/* One input, not of Bools. ExecuTorch rounds integers too, to single precision. */
#define REAL_1(id, integers) UNARY("aten::" #id ".out", "rO", id##_f32, id##_f64, integers, 1, 0, 0)
#define ANY_2(id) OP("aten::" #id ".out", "aaO", prepare_map, id##_f32, id##_f64, id##_i64, 2, 0, 0)
/* Both overloads of two inputs. */
#define PAIR(id, flags)                                                                            \
    OP("aten::" #id ".Tensor_out", "aaO", prepare_map, id##_f32, id##_f64, id##_i64, 2, 0, flags), \
        OP("aten::" #id ".Scalar_out", "anO", prepare_map, id##_f32, id##_f64, id##_i64, 2, 0,     \
           flags)
#define BITS(id)                                                                                   \
    OP("aten::" #id ".Tensor_out", "aaO", prepare_bitwise, NULL, NULL, id##_i64, 2, 0, 0),         \
        OP("aten::" #id ".Scalar_out", "anO", prepare_bitwise, NULL, NULL, id##_i64, 2, 0, 0)

static const struct spec left_shift[2] = {{NULL, NULL, narrow_left_shift_i64, 2, 0, 0},
                                          {NULL, NULL, bitwise_left_shift_i64, 2, 0, 0}};
static const struct spec right_shift[2] = {{NULL, NULL, narrow_right_shift_i64, 2, 0, 0},
                                           {NULL, NULL, bitwise_right_shift_i64, 2, 0, 0}};
#define SHIFT(id, overload, letters)                                                               \
    {                                                                                              \
        .name = "aten::bitwise_" #id "." overload,                                                 \
        .signature = letters,                                                                      \
        .in_place = true,                                                                          \
        .prepare = prepare_shift,                                                                  \
        .data = id,                                                                                \
    }

const struct sl_op sl_ops_map[] = {
    FLOAT_1(exp),
    FLOAT_1(expm1),
    FLOAT_1(log),
    FLOAT_1(log2),
    FLOAT_1(log10),
    FLOAT_1(log1p),
    FLOAT_1(sqrt),
    FLOAT_1(rsqrt),
    FLOAT_1(reciprocal),
    FLOAT_1(sigmoid),
    FLOAT_1(tanh),
    FLOAT_1(sin),
    FLOAT_1(cos),
    OP("aten::tan.out", "aO", prepare_tan, tan_f32, tan_f64, NULL, 1, 0, 0),
    FLOAT_1(asin),
    FLOAT_1(acos),
    FLOAT_1(atan),
    FLOAT_1(sinh),
    FLOAT_1(cosh),
    FLOAT_1(asinh),
    FLOAT_1(acosh),
    FLOAT_1(atanh),
    FLOAT_1(erf),
    FLOAT_1(isnan),
    FLOAT_1(isinf),
    REAL_1(floor, NULL),
    REAL_1(ceil, NULL),
    REAL_1(trunc, NULL),
    REAL_1(round, same_i64),
    REAL_1(abs, abs_i64),
    ANY_1(neg),
    ANY_1(sign),
    ANY_1(logical_not),
    ANY_2(logical_and),
    ANY_2(logical_or),
    ANY_2(logical_xor),
    PAIR(eq, 0),
    PAIR(ne, 0),
    PAIR(lt, 0),
    PAIR(le, 0),
    PAIR(gt, 0),
    PAIR(ge, 0),
    PAIR(remainder, NO_ZERO_DIVISOR | NO_TRUTHS),
    BITS(bitwise_and),
    BITS(bitwise_or),
    BITS(bitwise_xor),
    SHIFT(left_shift, "Tensor_out", "aaO"),
    SHIFT(left_shift, "Tensor_Scalar_out", "anO"),
    SHIFT(right_shift, "Tensor_out", "aaO"),
    SHIFT(right_shift, "Tensor_Scalar_out", "anO"),
    {.name = "aten::clamp.Tensor_out",
     .signature = "aAAO",
     .in_place = true,
     .halves = SL_OP_WIDENED,
     .prepare = prepare_between},
    {.name = "aten::bitwise_not.out",
     .signature = "aO",
     .in_place = true,
     .prepare = prepare_bitwise_not},
    OP("aten::fmod.Tensor_out", "aaO", prepare_map, fmod_f32, fmod_f64, NULL, 2, 0, REALS),
    OP("aten::fmod.Scalar_out", "anO", prepare_rest, fmod_f32, fmod_f64, NULL, 2, 0, REALS),
    OP("aten::pow.Tensor_Scalar_out", "anO", prepare_power, pow_f32, pow_f64, NULL, 2, 0, REALS),
    OP("aten::pow.Tensor_Tensor_out", "aaO", prepare_map, pow_f32, pow_f64, NULL, 2, 0, REALS),
    OP("aten::pow.Scalar_out", "naO", prepare_map, pow_f32, pow_f64, NULL, 2, 0, REALS),
    OP("aten::atan2.out", "aaO", prepare_map, atan2_f32, atan2_f64, NULL, 2, 0, 0),
    UNARY("aten::leaky_relu.out", "anO", leaky_relu_f32, leaky_relu_f64, NULL, 1, 0, 0),
    UNARY("aten::elu.out", "annnO", elu_f32, elu_f64, NULL, 1, 0, 0),
    OP("aten::where.self_out", "aaaO", prepare_where, where_f32, where_f64, where_i64, 3, 0, 0),
    OP("aten::masked_fill.Scalar_out", "aanO", prepare_masked_fill, masked_fill_f32,
       masked_fill_f64, masked_fill_i64, 3, 1, 0),
    {.name = "aten::div.out_mode",
     .signature = "aazO",
     .in_place = true,
     .prepare = prepare_div_mode},
    {.name = "aten::div.Scalar_mode_out",
     .signature = "anzO",
     .in_place = true,
     .prepare = prepare_div_mode},
    {.name = "aten::gelu.out",
     .signature = "azO",
     .in_place = true,
     .halves = SL_OP_AS_THEY_ARE | SL_OP_WIDENED,
     .prepare = prepare_gelu},
    {0},
};
