/* agent/runtime/ops/compose.c: elementwise operators that exporters mostly take apart: reversed
 * differences, log odds, floored quotients. */
#include <math.h>

#include "agent/runtime/ops/map.h"

/* numbers[0]: alpha. in: other, self. */
#define REVERSED(type, number, factor)                                                             \
    static void rsub_##type(size_t count, const void *const *in, void *out, const double *numbers) \
    {                                                                                              \
        const number *other = in[0], *self = in[1], alpha = (number)(factor)numbers[0];            \
        for (size_t i = 0; i < count; i++)                                                         \
            ((number *)out)[i] = other[i] - alpha * self[i];                                       \
    }
REVERSED(f32, float, float)
REVERSED(f64, double, double)
REVERSED(i64, uint64_t, int64_t) /* modulo 2^64 */

/* numbers[0]: how near to 0 and 1 it may come, or less than 0. */
#define ODDS(type, number, LOG)                                                                    \
    static void logit_##type(size_t count, const void *const *in, void *out,                       \
                             const double *numbers)                                                \
    {                                                                                              \
        const number *from = in[0];                                                                \
        double eps = numbers[0];                                                                   \
        for (size_t i = 0; i < count; i++) {                                                       \
            number x = from[i];                                                                    \
            if (eps >= 0.0 && (double)x < eps)                                                     \
                x = (number)eps;                                                                   \
            else if (eps >= 0.0 && (double)x > 1.0 - eps)                                          \
                x = (number)(1.0 - eps);                                                           \
            ((number *)out)[i] = LOG(x / (1 - x));                                                 \
        }                                                                                          \
    }
ODDS(f32, float, logf)
ODDS(f64, double, log)

#define FLOORED(type, number, FMOD)                                                                \
    static number floored_##type(number a, number b)                                               \
    {                                                                                              \
        if (b == 0)                                                                                \
            return signbit(a) ? -(number)INFINITY : (number)INFINITY;                              \
        number rest = FMOD(a, b), quotient = (a - rest) / b;                                       \
        return rest != 0 && signbit(b) != signbit(rest) ? quotient - 1 : quotient;                 \
    }
FLOORED(f32, float, fmodf)
FLOORED(f64, double, fmod)

static int64_t floored_i64(int64_t a, int64_t b)
{
    if (b == 0 || b == -1) /* zero is an error that the map finds; the other may overflow */
        return (int64_t)(0 - (uint64_t)a);
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

#define QUOTIENTS(type, number)                                                                    \
    static void quotient_##type(size_t count, const void *const *in, void *out,                    \
                                const double *numbers)                                             \
    {                                                                                              \
        const number *a = in[0], *b = in[1];                                                       \
        (void)numbers;                                                                             \
        for (size_t i = 0; i < count; i++)                                                         \
            ((number *)out)[i] = floored_##type(a[i], b[i]);                                       \
    }
QUOTIENTS(f32, float)
QUOTIENTS(f64, double)
QUOTIENTS(i64, int64_t)

static int prepare_rsub(struct sl_op_call *call, struct sl_diag *diag)
{
    static const sl_map_fn by_class[SL_CAST_CLASSES] = {
        [SL_CAST_F32] = rsub_f32, [SL_CAST_F64] = rsub_f64, [SL_CAST_I64] = rsub_i64};
    struct sl_map_shape shape = {.input_count = 2, .inputs = {1, 0}, .out = 3};
    shape.class = sl_map_class(call, 2, shape.inputs);
    if (shape.class == SL_CAST_I64 && sl_op_is_float(call, 2))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its factor is not an integer");
    shape.fn = by_class[shape.class];
    shape.numbers[0] = sl_op_number(call, 2, 1.0);
    return sl_map_prepare(call, &shape, diag);
}

static int prepare_logit(struct sl_op_call *call, struct sl_diag *diag)
{
    bool doubles = sl_op_is_double(call, 2);
    const struct sl_map_shape shape = {.class = doubles ? SL_CAST_F64 : SL_CAST_F32,
                                       .fn = doubles ? logit_f64 : logit_f32,
                                       .input_count = 1,
                                       .inputs = {0},
                                       .out = 2,
                                       .numbers = {sl_op_number(call, 1, -1.0)}};
    if (!sl_op_is_float(call, 2) || sl_cast_is_half(sl_op_tensor(call, 2)->scalar_type))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT,
                          "its output is not of f32 or doubles");
    return sl_map_prepare(call, &shape, diag);
}

static int prepare_quotient(struct sl_op_call *call, struct sl_diag *diag)
{
    static const sl_map_fn by_class[SL_CAST_CLASSES] = {
        [SL_CAST_F32] = quotient_f32, [SL_CAST_F64] = quotient_f64, [SL_CAST_I64] = quotient_i64};
    struct sl_map_shape shape = {.input_count = 2, .inputs = {0, 1}, .out = 2};
    shape.class = sl_map_class(call, 2, shape.inputs);
    shape.fn = by_class[shape.class];
    shape.no_zero_divisor = shape.class == SL_CAST_I64;
    if (shape.class != SL_CAST_I64 && !sl_op_is_float(call, 2))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT,
                          "its quotients are not of integers, but its output is");
    return sl_map_prepare(call, &shape, diag);
}

const struct sl_op sl_ops_compose[] = {
    {.name = "aten::rsub.Scalar_out", .signature = "annO", .prepare = prepare_rsub},
    {.name = "aten::logit.out", .signature = "aNO", .prepare = prepare_logit},
    {.name = "aten::floor_divide.out", .signature = "aaO", .prepare = prepare_quotient},
    {0},
};
