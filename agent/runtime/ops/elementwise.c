/* agent/runtime/ops/elementwise.c: arithmetic with broadcasting, clamps: by kernels where they can,
 * else by maps. */
#include <float.h>
#include <math.h>

#include "agent/runtime/ops/broadcast.h"
#include "agent/runtime/ops/map.h"
#include "common/format/scalar_type.h"

static bool is_plain(const struct sl_op_call *call, uint32_t i, int type)
{
    const struct sl_tensor *tensor = sl_op_tensor(call, i);
    return !tensor || (tensor->scalar_type == type && tensor->rank <= SL_STEP_MAX_RANK &&
                       sl_tensor_contiguous(tensor));
}

/* Operands of one type that kernels take: f32 or Half. */
static bool all_plain(const struct sl_op_call *call, uint32_t out_at)
{
    int type = sl_op_tensor(call, out_at)->scalar_type;
    return (type == SL_SCALAR_FLOAT || type == SL_SCALAR_HALF) && is_plain(call, 0, type) &&
           is_plain(call, 1, type) && is_plain(call, out_at, type);
}

static int prepare_clamp(struct sl_op_call *call, uint32_t out_at, double min, double max,
                         struct sl_diag *diag)
{
    struct sl_tensor *in = sl_op_tensor(call, 0), *out = sl_op_tensor(call, out_at);
    if (!all_plain(call, out_at))
        return sl_map_clamp(call, min, max, out_at, diag);
    int rc = sl_tensor_resize(out, in->rank, in->sizes, diag);
    if (rc != 0)
        return rc;
    if (in->nbytes == 0)
        sl_step_none(sl_op_step(call));
    else
        sl_step_unary(sl_op_step(call), call->isa, sl_op_element(out), SL_UNARY_CLAMP,
                      sl_tensor_count(in), (float)min, (float)max);
    sl_op_operands(call, sl_ref_tensor(in), sl_ref_none(), sl_ref_tensor(out));
    return 0;
}

static int prepare_relu(struct sl_op_call *call, struct sl_diag *diag)
{
    return prepare_clamp(call, 1, 0.0, INFINITY, diag);
}

static int prepare_hardtanh(struct sl_op_call *call, struct sl_diag *diag)
{
    return prepare_clamp(call, 3, sl_op_number(call, 1, -INFINITY), sl_op_number(call, 2, INFINITY),
                         diag);
}

/* True if there is no bound, or the bound is a number of the output's type. */
static bool bound_fits(const struct sl_op_call *call, uint32_t arg)
{
    static const double largest[] = {[SL_SCALAR_HALF] = 65504.0,
                                     [SL_SCALAR_FLOAT] = (double)FLT_MAX,
                                     [SL_SCALAR_DOUBLE] = DBL_MAX,
                                     [SL_SCALAR_BFLOAT16] = 3.3895313892515355e38};
    int type = sl_op_type(call, 3);
    double bound = sl_op_number(call, arg, 0.0);
    int64_t whole = sl_op_int(call, arg, sl_cast_to_int(bound)), back;
    _Alignas(8) uint8_t element[8];
    if (sl_cast_is_float(type))
        return isinf(bound) || !(fabs(bound) > largest[type]);
    if (type == SL_SCALAR_BOOL || !sl_cast_store(SL_CAST_I64, type))
        return true;
    sl_cast_store(SL_CAST_I64, type)(&whole, 1, element, 0);
    sl_cast_load(SL_CAST_I64, type)(element, 0, 1, &back);
    return back == whole;
}

static int prepare_bounds(struct sl_op_call *call, struct sl_diag *diag)
{
    return bound_fits(call, 1) && bound_fits(call, 2)
               ? prepare_hardtanh(call, diag)
               : sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT,
                            "a bound is not a number of its output's type");
}

/* Sizes of a tensor as the steps want them. */
static void dims_of(const struct sl_tensor *tensor, size_t *dims)
{
    for (uint32_t i = 0; i < tensor->rank; i++)
        dims[i] = (size_t)tensor->sizes[i];
}

/* out = a op b, where `b_ref` may stand for scaled values of b's shape. */
static int add_binary(struct sl_op_call *call, int op, const struct sl_tensor *b,
                      struct sl_ref b_ref, uint32_t out_at)
{
    const struct sl_tensor *a = sl_op_tensor(call, 0);
    struct sl_tensor *out = sl_op_tensor(call, out_at);
    size_t a_dims[SL_STEP_MAX_RANK], b_dims[SL_STEP_MAX_RANK] = {1}, out_dims[SL_STEP_MAX_RANK];
    dims_of(a, a_dims);
    if (b)
        dims_of(b, b_dims);
    dims_of(out, out_dims);
    int rc = sl_step_binary(sl_op_step(call), call->isa, sl_op_element(out), op, a->rank, a_dims,
                            b ? b->rank : 0, b_dims, out->rank, out_dims);
    if (rc == 0)
        sl_op_operands(call, sl_ref_tensor(a), b_ref, sl_ref_tensor(out));
    return rc;
}

/* A second operand times alpha; without alpha the operand itself. */
static struct sl_ref scaled(struct sl_op_call *call, const struct sl_tensor *b, double alpha)
{
    size_t count = sl_tensor_count(b);
    if (alpha == 1.0)
        return sl_ref_tensor(b);
    struct sl_ref product = sl_ref_scratch(call, b->nbytes);
    struct sl_ref number = sl_ref_number(call, (float)alpha);
    sl_step_binary(sl_op_step(call), call->isa, SL_F32, SL_BINARY_MULTIPLY, 1, &count, 0, NULL, 1,
                   &count);
    sl_op_operands(call, sl_ref_tensor(b), number, product);
    return product;
}

static int prepare_tensors(struct sl_op_call *call, int op, double alpha, uint32_t out_at,
                           struct sl_diag *diag)
{
    const struct sl_tensor *a = sl_op_tensor(call, 0), *b = sl_op_tensor(call, 1);
    bool halves = a->scalar_type == SL_SCALAR_HALF; /* which round once: not a product as well */
    if (!all_plain(call, out_at) || (halves && alpha != 1.0))
        return sl_map_arithmetic(call, op, alpha, out_at, diag);
    int rc = sl_broadcast_sizes(call, 2, (const struct sl_tensor *[2]){a, b},
                                sl_op_tensor(call, out_at), diag);
    return rc != 0 ? rc : add_binary(call, op, b, scaled(call, b, alpha), out_at);
}

static int prepare_scalar(struct sl_op_call *call, int op, double alpha, uint32_t out_at,
                          struct sl_diag *diag)
{
    const struct sl_tensor *a = sl_op_tensor(call, 0);
    if (!all_plain(call, out_at))
        return sl_map_arithmetic(call, op, alpha, out_at, diag);
    int rc = sl_tensor_resize(sl_op_tensor(call, out_at), a->rank, a->sizes, diag);
    struct sl_ref number = sl_ref_number(call, (float)(sl_op_number(call, 1, 0.0) * alpha));
    return rc != 0 ? rc : add_binary(call, op, NULL, number, out_at);
}

static int prepare_add(struct sl_op_call *call, struct sl_diag *diag)
{
    return prepare_tensors(call, SL_BINARY_ADD, sl_op_number(call, 2, 1.0), 3, diag);
}

static int prepare_sub(struct sl_op_call *call, struct sl_diag *diag)
{
    return prepare_tensors(call, SL_BINARY_SUBTRACT, sl_op_number(call, 2, 1.0), 3, diag);
}

static int prepare_mul(struct sl_op_call *call, struct sl_diag *diag)
{
    return prepare_tensors(call, SL_BINARY_MULTIPLY, 1.0, 2, diag);
}

static int prepare_div(struct sl_op_call *call, struct sl_diag *diag)
{
    return prepare_tensors(call, SL_BINARY_DIVIDE, 1.0, 2, diag);
}

static int prepare_maximum(struct sl_op_call *call, struct sl_diag *diag)
{
    return prepare_tensors(call, SL_BINARY_MAXIMUM, 1.0, 2, diag);
}

static int prepare_minimum(struct sl_op_call *call, struct sl_diag *diag)
{
    return prepare_tensors(call, SL_BINARY_MINIMUM, 1.0, 2, diag);
}

static int prepare_add_scalar(struct sl_op_call *call, struct sl_diag *diag)
{
    return prepare_scalar(call, SL_BINARY_ADD, sl_op_number(call, 2, 1.0), 3, diag);
}

static int prepare_sub_scalar(struct sl_op_call *call, struct sl_diag *diag)
{
    return prepare_scalar(call, SL_BINARY_SUBTRACT, sl_op_number(call, 2, 1.0), 3, diag);
}

static int prepare_mul_scalar(struct sl_op_call *call, struct sl_diag *diag)
{
    return prepare_scalar(call, SL_BINARY_MULTIPLY, 1.0, 2, diag);
}

static int prepare_div_scalar(struct sl_op_call *call, struct sl_diag *diag)
{
    return prepare_scalar(call, SL_BINARY_DIVIDE, 1.0, 2, diag);
}

const struct sl_op sl_ops_elementwise[] = {
    {.name = "aten::relu.out",
     .signature = "rO",
     .in_place = true,
     .halves = SL_OP_AS_THEY_ARE | SL_OP_WIDENED,
     .prepare = prepare_relu},
    {.name = "aten::hardtanh.out",
     .signature = "annO",
     .in_place = true,
     .halves = SL_OP_AS_THEY_ARE | SL_OP_WIDENED,
     .prepare = prepare_hardtanh},
    {.name = "aten::clamp.out",
     .signature = "aNNO",
     .in_place = true,
     .halves = SL_OP_AS_THEY_ARE | SL_OP_WIDENED,
     .prepare = prepare_bounds},
    {.name = "aten::add.out",
     .signature = "aanO",
     .in_place = true,
     .halves = SL_OP_AS_THEY_ARE | SL_OP_WIDENED,
     .prepare = prepare_add},
    {.name = "aten::sub.out",
     .signature = "aanO",
     .in_place = true,
     .halves = SL_OP_AS_THEY_ARE | SL_OP_WIDENED,
     .prepare = prepare_sub},
    {.name = "aten::mul.out",
     .signature = "aaO",
     .in_place = true,
     .halves = SL_OP_AS_THEY_ARE | SL_OP_WIDENED,
     .prepare = prepare_mul},
    {.name = "aten::div.out",
     .signature = "aaO",
     .in_place = true,
     .halves = SL_OP_AS_THEY_ARE | SL_OP_WIDENED,
     .prepare = prepare_div},
    {.name = "aten::maximum.out",
     .signature = "aaO",
     .in_place = true,
     .halves = SL_OP_AS_THEY_ARE | SL_OP_WIDENED,
     .prepare = prepare_maximum},
    {.name = "aten::minimum.out",
     .signature = "aaO",
     .in_place = true,
     .halves = SL_OP_AS_THEY_ARE | SL_OP_WIDENED,
     .prepare = prepare_minimum},
    {.name = "aten::add.Scalar_out",
     .signature = "annO",
     .in_place = true,
     .halves = SL_OP_WIDENED,
     .prepare = prepare_add_scalar},
    {.name = "aten::sub.Scalar_out",
     .signature = "annO",
     .in_place = true,
     .halves = SL_OP_WIDENED,
     .prepare = prepare_sub_scalar},
    {.name = "aten::mul.Scalar_out",
     .signature = "anO",
     .in_place = true,
     .halves = SL_OP_WIDENED,
     .prepare = prepare_mul_scalar},
    {.name = "aten::div.Scalar_out",
     .signature = "anO",
     .in_place = true,
     .halves = SL_OP_WIDENED,
     .prepare = prepare_div_scalar},
    {0},
};
