/* agent/runtime/ops/map_ops.c: elementwise operators of all types. */
#include <math.h>
#include <string.h>

#include "agent/runtime/ops/formula.h"
#include "agent/runtime/ops/map.h"
#include "common/format/scalar_type.h"

/* What the operators of one prepare() differ in. */
struct spec {
    sl_map_fn f32, i64; /* i64 NULL: computes in f32 always */
    uint32_t inputs;    /* the first arguments */
    uint32_t promoting; /* arguments that decide the class; 0: the inputs */
    bool no_zero_divisor;
};

/* A function over a block: x, y, z are the operands, p[] the further numbers, r the result. */
#define BLOCK(id, number, body)                                                                    \
    static void id(size_t count, const void *const *in, void *out, const double *p)                \
    {                                                                                              \
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
#define I64(id, expression) BLOCK(id##_i64, int64_t, r = (int64_t)(expression))
#define BOTH(id, expression) F32(id, expression) I64(id, expression)
/* Integers wrap around. */
#define WRAP(id, operation)                                                                        \
    I64(id, (uint64_t)x operation((uint64_t)y *(uint64_t)sl_cast_to_int(p[0])))

F32(add, x + y * (float)p[0])
F32(sub, x - y * (float)p[0])
F32(mul, x *y)
F32(div, x / y)
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

static float floor_rest(float x, float y) /* of the divisor's sign */
{
    float r = fmodf(x, y);
    return r != 0.0f && (r < 0.0f) != (y < 0.0f) ? r + y : r;
}

static float floor_quotient(float x, float y)
{
    if (y == 0.0f)
        return x / y;
    float q = (x - floor_rest(x, y)) / y, whole = floorf(q);
    return q - whole > 0.5f ? whole + 1.0f : whole;
}

static int64_t power(int64_t x, int64_t y)
{
    uint64_t r = 1, base = (uint64_t)x;
    if (y < 0)
        return x == 1 ? 1 : x == -1 ? ((y & 1) != 0 ? -1 : 1) : 0;
    for (; y != 0; y >>= 1, base *= base)
        r *= (y & 1) != 0 ? base : 1;
    return (int64_t)r;
}

F32(trunc_div, truncf(x / y))
I64(trunc_div, quotient(x, y))
F32(floor_div, floor_quotient(x, y))
I64(floor_div, quotient(x, y) - (rest(x, y) != 0 && (rest(x, y) < 0) != (y < 0)))
F32(remainder, floor_rest(x, y))
I64(remainder, rest(x, y))
F32(fmod, fmodf(x, y))
F32(pow, y == 2.0f ? x * x : powf(x, y))
I64(pow, power(x, y))
F32(square, x *x)
F32(cube, x *x *x)
F32(root, sl_formula_root(x))
F32(inverse_root, x == -INFINITY ? 0.0f : 1.0f / sl_formula_root(x))
F32(atan2, atan2f(x, y))
F32(maximum, x != x ? x : (y != y || y > x) ? y : x)
F32(minimum, x != x ? x : (y != y || y < x) ? y : x)
I64(maximum, x > y ? x : y)
I64(minimum, x < y ? x : y)
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
BOTH(where, x != 0 ? y : z)
BOTH(masked_fill, y != 0 ? z : x)

F32(abs, fabsf(x))
I64(abs, x < 0 ? 0 - (uint64_t)x : (uint64_t)x)
F32(neg, -x)
I64(neg, 0 - (uint64_t)x)
F32(sign, x != x ? x : (float)(x > 0.0f) - (float)(x < 0.0f))
I64(sign, (x > 0) - (x < 0))
F32(clamp, x<(float)p[0] ? (float)p[0] : x>(float) p[1] ? (float)p[1] : x)
I64(clamp, x<sl_cast_to_int(p[0]) ? sl_cast_to_int(p[0]) : x> sl_cast_to_int(p[1])
               ? sl_cast_to_int(p[1])
               : x)
I64(same, x)
F32(floor, floorf(x))
F32(ceil, ceilf(x))
F32(round, nearbyintf(x))
F32(trunc, truncf(x))
F32(isnan, x != x)
F32(isinf, isinf(x) != 0)
F32(exp, expf(x))
F32(expm1, expm1f(x))
F32(log, logf(x))
F32(log2, log2f(x))
F32(log10, log10f(x))
F32(log1p, sl_formula_log1p(x))
F32(sqrt, sqrtf(x))
F32(rsqrt, 1.0f / sqrtf(x))
F32(reciprocal, 1.0f / x)
F32(sigmoid, 1.0f / (1.0f + expf(-x)))
F32(tanh, tanhf(x))
F32(sin, sinf(x))
F32(cos, cosf(x))
F32(tan, tanf(x))
F32(asin, asinf(x))
F32(acos, acosf(x))
F32(atan, atanf(x))
F32(sinh, sinhf(x))
F32(cosh, coshf(x))
F32(asinh, asinhf(x))
F32(acosh, acoshf(x))
F32(atanh, atanhf(x))
F32(erf, erff(x))
F32(gelu, x * 0.5f * (1.0f + erff(x * 0.70710678f)))
F32(gelu_tanh, 0.5f * x * (1.0f + tanhf(0.79788456f * (x + 0.044715f * x * x * x))))
F32(leaky_relu, x > 0.0f ? x : x * (float)p[0])
F32(elu, x <= 0.0f ? expm1f(x * (float)p[2]) * (float)(p[0] * p[1]) : x * (float)p[1])

/* What a kernel computes as well; SL_UNARY_OP_END: none does. */
static int kernel_of(const struct sl_op_call *call, const struct spec *spec)
{
    static const struct {
        sl_map_fn map;
        int op;
    } kernels[] = {
        {exp_f32, SL_UNARY_EXP},         {log_f32, SL_UNARY_LOG},
        {sqrt_f32, SL_UNARY_SQRT},       {rsqrt_f32, SL_UNARY_RSQRT},
        {sin_f32, SL_UNARY_SIN},         {cos_f32, SL_UNARY_COS},
        {sigmoid_f32, SL_UNARY_SIGMOID}, {tanh_f32, SL_UNARY_TANH},
        {abs_f32, SL_UNARY_ABS},         {neg_f32, SL_UNARY_NEGATE},
        {floor_f32, SL_UNARY_FLOOR},     {ceil_f32, SL_UNARY_CEILING},
        {gelu_f32, SL_UNARY_GELU},       {leaky_relu_f32, SL_UNARY_LEAKY_RELU},
        {elu_f32, SL_UNARY_ELU},
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
        (in->scalar_type == SL_SCALAR_HALF ? sl_step_unary_f16 : sl_step_unary)(
            step, call->isa, op, sl_tensor_count(in), a, 0.0f);
    sl_op_operands(call, sl_ref_tensor(in), sl_ref_none(), sl_ref_tensor(out));
    return 0;
}

static int prepare_spec(struct sl_op_call *call, const struct spec *spec, struct sl_diag *diag)
{
    uint32_t last = (uint32_t)strlen(call->op->signature) - 1;
    struct sl_tensor *to = sl_op_tensor(call, last);
    int kernel = spec->inputs == 1 ? kernel_of(call, spec) : SL_UNARY_OP_END;
    if (kernel != SL_UNARY_OP_END && takes_kernel(sl_op_tensor(call, 0), to))
        return prepare_kernel(call, kernel, to, diag);
    static const uint32_t arguments[SL_MAP_INPUTS] = {0, 1, 2};
    uint32_t promoting = spec->promoting != 0 ? spec->promoting : spec->inputs;
    struct sl_map_shape shape = {
        .input_count = spec->inputs,
        .inputs = {0, 1, 2},
        .out = last,
        .no_zero_divisor = spec->no_zero_divisor,
    };
    shape.class = spec->i64 ? sl_map_class(call, promoting, arguments) : SL_CAST_F32;
    if (!spec->f32)
        shape.class = SL_CAST_I64;
    shape.fn = shape.class == SL_CAST_F32 ? spec->f32 : spec->i64;
    for (uint32_t k = 0; spec->inputs + k < shape.out && k < 3; k++)
        shape.numbers[k] = sl_op_number(call, spec->inputs + k, 0.0);
    return sl_map_prepare(call, &shape, diag);
}

static int prepare_map(struct sl_op_call *call, struct sl_diag *diag)
{
    return prepare_spec(call, call->op->data, diag);
}

static int prepare_bitwise(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct spec *spec = call->op->data;
    for (uint32_t i = 0; i < spec->inputs; i++)
        if (sl_op_is_float(call, i))
            return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its inputs are not integers");
    return prepare_spec(call, spec, diag);
}

/* Not of Bool: the complement of an integer's bits is not its negation. */
static int prepare_bitwise_not(struct sl_op_call *call, struct sl_diag *diag)
{
    static const struct spec integers = {NULL, bitwise_not_i64, 1, 0, false};
    static const struct spec truths = {NULL, logical_not_i64, 1, 0, false};
    if (sl_op_is_float(call, 0))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its input is not of integers");
    bool truth = sl_op_tensor(call, 0)->scalar_type == SL_SCALAR_BOOL;
    return prepare_spec(call, truth ? &truths : &integers, diag);
}

static int prepare_div_mode(struct sl_op_call *call, struct sl_diag *diag)
{
    static const struct spec exact = {div_f32, NULL, 2, 0, false};
    static const struct spec floored = {floor_div_f32, floor_div_i64, 2, 0, true};
    static const struct spec truncated = {trunc_div_f32, trunc_div_i64, 2, 0, true};
    const char *mode = sl_op_string(call, 2);
    if (!mode)
        return prepare_spec(call, &exact, diag);
    if (strcmp(mode, "floor") == 0)
        return prepare_spec(call, &floored, diag);
    if (strcmp(mode, "trunc") == 0)
        return prepare_spec(call, &truncated, diag);
    return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its rounding mode is unknown");
}

/* Frequent powers, and roots as powf() has them: those of the smaller infinity and of -0 are
 * positive. */
static int prepare_power(struct sl_op_call *call, struct sl_diag *diag)
{
    static const struct {
        double exponent;
        struct spec spec;
    } powers[] = {
        {2.0, {square_f32, pow_i64, 2, 0, false}},
        {3.0, {cube_f32, pow_i64, 2, 0, false}},
        {0.5, {root_f32, pow_i64, 2, 0, false}},
        {-0.5, {inverse_root_f32, pow_i64, 2, 0, false}},
    };
    double exponent = sl_op_number(call, 1, 0.0);
    for (size_t i = 0; i < sizeof(powers) / sizeof(powers[0]); i++)
        if (exponent == powers[i].exponent)
            return prepare_spec(call, &powers[i].spec, diag);
    return prepare_map(call, diag);
}

static int prepare_gelu(struct sl_op_call *call, struct sl_diag *diag)
{
    static const struct spec exact = {gelu_f32, NULL, 1, 0, false};
    static const struct spec approximate = {gelu_tanh_f32, NULL, 1, 0, false};
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
    static const struct {
        sl_map_fn f32, i64;
    } of[] = {
        [SL_BINARY_ADD] = {add_f32, add_i64},
        [SL_BINARY_SUBTRACT] = {sub_f32, sub_i64},
        [SL_BINARY_MULTIPLY] = {mul_f32, mul_i64},
        [SL_BINARY_DIVIDE] = {div_f32, NULL},
        [SL_BINARY_MAXIMUM] = {maximum_f32, maximum_i64},
        [SL_BINARY_MINIMUM] = {minimum_f32, minimum_i64},
    };
    struct sl_map_shape shape = {
        .input_count = 2, .inputs = {0, 1}, .out = out, .numbers = {alpha}};
    shape.class = of[op].i64 ? sl_map_class(call, 2, shape.inputs) : SL_CAST_F32;
    shape.fn = shape.class == SL_CAST_F32 ? of[op].f32 : of[op].i64;
    return sl_map_prepare(call, &shape, diag);
}

int sl_map_clamp(struct sl_op_call *call, double min, double max, uint32_t out,
                 struct sl_diag *diag)
{
    struct sl_map_shape shape = {
        .input_count = 1, .inputs = {0, 1, 2}, .out = out, .numbers = {min, max}};
    shape.class = sl_map_class(call, out, shape.inputs);
    shape.fn = shape.class == SL_CAST_F32 ? clamp_f32 : clamp_i64;
    return sl_map_prepare(call, &shape, diag);
}

#define OP(op_name, letters, how, ...)                                                             \
    {                                                                                              \
        .name = op_name, .signature = letters, .in_place = true, .prepare = how,                   \
        .data = &(const struct spec)                                                               \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
/* One input; always in f32. */
#define FLOAT_1(id) OP("aten::" #id ".out", "aO", prepare_map, id##_f32, NULL, 1, 0, false)
/* One input; in its own class. */
#define ANY_1(id) OP("aten::" #id ".out", "aO", prepare_map, id##_f32, id##_i64, 1, 0, false)
/* One input that integers are unchanged by. */
#define ROUND_1(id) OP("aten::" #id ".out", "aO", prepare_map, id##_f32, same_i64, 1, 0, false)
#define ANY_2(id) OP("aten::" #id ".out", "aaO", prepare_map, id##_f32, id##_i64, 2, 0, false)
/* Both overloads of two inputs. */
#define PAIR(id, divides)                                                                          \
    OP("aten::" #id ".Tensor_out", "aaO", prepare_map, id##_f32, id##_i64, 2, 0, divides),         \
        OP("aten::" #id ".Scalar_out", "anO", prepare_map, id##_f32, id##_i64, 2, 0, divides)
#define BITS(id)                                                                                   \
    OP("aten::" #id ".Tensor_out", "aaO", prepare_bitwise, NULL, id##_i64, 2, 0, false),           \
        OP("aten::" #id ".Scalar_out", "anO", prepare_bitwise, NULL, id##_i64, 2, 0, false)

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
    FLOAT_1(tan),
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
    ROUND_1(floor),
    ROUND_1(ceil),
    ROUND_1(round),
    ROUND_1(trunc),
    ANY_1(abs),
    ANY_1(neg),
    ANY_1(sign),
    ANY_1(logical_not),
    ANY_2(logical_and),
    ANY_2(logical_or),
    ANY_2(logical_xor),
    PAIR(eq, false),
    PAIR(ne, false),
    PAIR(lt, false),
    PAIR(le, false),
    PAIR(gt, false),
    PAIR(ge, false),
    PAIR(remainder, true),
    BITS(bitwise_and),
    BITS(bitwise_or),
    BITS(bitwise_xor),
    {.name = "aten::bitwise_not.out",
     .signature = "aO",
     .in_place = true,
     .prepare = prepare_bitwise_not},
    OP("aten::fmod.Tensor_out", "aaO", prepare_map, fmod_f32, remainder_i64, 2, 0, true),
    OP("aten::fmod.Scalar_out", "anO", prepare_map, fmod_f32, remainder_i64, 2, 0, true),
    OP("aten::pow.Tensor_Scalar_out", "anO", prepare_power, pow_f32, pow_i64, 2, 0, false),
    OP("aten::pow.Tensor_Tensor_out", "aaO", prepare_map, pow_f32, pow_i64, 2, 0, false),
    OP("aten::pow.Scalar_out", "naO", prepare_map, pow_f32, pow_i64, 2, 0, false),
    OP("aten::atan2.out", "aaO", prepare_map, atan2_f32, NULL, 2, 0, false),
    OP("aten::leaky_relu.out", "anO", prepare_map, leaky_relu_f32, NULL, 1, 0, false),
    OP("aten::elu.out", "annnO", prepare_map, elu_f32, NULL, 1, 0, false),
    OP("aten::where.self_out", "aaaO", prepare_map, where_f32, where_i64, 3, 0, false),
    OP("aten::masked_fill.Scalar_out", "aanO", prepare_map, masked_fill_f32, masked_fill_i64, 3, 0,
       false),
    {.name = "aten::div.out_mode",
     .signature = "aazO",
     .in_place = true,
     .prepare = prepare_div_mode},
    {.name = "aten::div.Scalar_mode_out",
     .signature = "anzO",
     .in_place = true,
     .prepare = prepare_div_mode},
    {.name = "aten::gelu.out", .signature = "azO", .in_place = true, .prepare = prepare_gelu},
    {0},
};
