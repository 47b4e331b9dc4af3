/* agent/runtime/ops/make.c: tensors made from numbers. */
#include <math.h>
#include <string.h>

#include "agent/runtime/ops/cast.h"
#include "agent/runtime/ops/map.h"
#include "agent/runtime/ops/move.h"
#include "common/format/scalar_type.h"

static int resize_to(struct sl_op_call *call, uint32_t list, struct sl_tensor *out,
                     struct sl_diag *diag)
{
    int64_t sizes64[SL_TENSOR_MAX_RANK];
    int32_t sizes[SL_TENSOR_MAX_RANK];
    int rank = sl_op_ints(call, list, sizes64, SL_TENSOR_MAX_RANK);
    for (int i = 0; i < rank; i++) {
        if (sizes64[i] < 0 || sizes64[i] > INT32_MAX) {
            rank = -1;
            break;
        }
        sizes[i] = (int32_t)sizes64[i];
    }
    if (rank < 0)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its sizes are not valid");
    return sl_tensor_resize(out, (uint32_t)rank, sizes, diag);
}

static void same_f32(size_t count, const void *const *in, void *out, const double *numbers)
{
    (void)numbers;
    memcpy(out, in[0], count * sizeof(float));
}

/* int64 or f64. */
static void same_bits(size_t count, const void *const *in, void *out, const double *numbers)
{
    (void)numbers;
    memcpy(out, in[0], count * sizeof(int64_t));
}

/* Every element is the number of argument `number`. */
static int add_fill(struct sl_op_call *call, uint32_t number, uint32_t out, struct sl_diag *diag)
{
    int class = sl_cast_class(sl_op_tensor(call, out)->scalar_type);
    if (class == SL_CAST_I64 && sl_op_is_float(call, number))
        class = SL_CAST_F64;
    const struct sl_map_shape shape = {
        .class = class,
        .fn = class == SL_CAST_F32 ? same_f32 : same_bits,
        .input_count = 1,
        .inputs = {number},
        .out = out,
    };
    return sl_map_prepare(call, &shape, diag);
}

static int prepare_full(struct sl_op_call *call, struct sl_diag *diag)
{
    int rc = resize_to(call, 0, sl_op_tensor(call, 2), diag);
    return rc != 0 ? rc : add_fill(call, 1, 2, diag);
}

static int prepare_full_like(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *like = sl_op_tensor(call, 0);
    uint32_t out = call->arg_count - 2;
    int rc = sl_tensor_resize(sl_op_tensor(call, out), like->rank, like->sizes, diag);
    return rc != 0 ? rc : add_fill(call, 1, out, diag);
}

static int prepare_scalar_tensor(struct sl_op_call *call, struct sl_diag *diag)
{
    int rc = sl_tensor_resize(sl_op_tensor(call, 1), 0, NULL, diag);
    return rc != 0 ? rc : add_fill(call, 0, 1, diag);
}

static int prepare_empty(struct sl_op_call *call, struct sl_diag *diag)
{
    return resize_to(call, 0, sl_op_tensor(call, call->arg_count - 2), diag);
}

struct range {
    const struct sl_tensor *out;
    double start, step;
    int64_t first, by;
    bool whole;
    sl_cast_store_fn store;
};

static void run_range(struct sl_op_call *call)
{
    const struct range *r = call->state;
    size_t count = sl_tensor_count(r->out), bytes = r->out->element_bytes;
    for (size_t i = 0; i < count; i++) {
        double real = r->start + (double)i * r->step;
        int64_t integer = (int64_t)((uint64_t)r->first + i * (uint64_t)r->by);
        r->store(r->whole ? (const void *)&integer : &real, 1, r->out->data + i * bytes, 0);
    }
}

/* From `start` to before `end`. */
static int make_range(struct sl_op_call *call, const struct range *from, double end,
                      struct sl_tensor *out, struct sl_diag *diag)
{
    double count = ceil((end - from->start) / from->step);
    struct range *r = sl_op_state(call, sizeof(*r));
    if (!r)
        return sl_op_fail(call, diag, SL_ET_MEMORY_ALLOCATION_FAILED, "no memory for its plan");
    *r = *from;
    r->out = out;
    r->store = sl_cast_store(r->whole ? SL_CAST_I64 : SL_CAST_F64, out->scalar_type);
    if (!(count >= 0.0 && count <= INT32_MAX) || !r->store)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its range is not valid");
    int rc = sl_tensor_resize(out, 1, (const int32_t[1]){(int32_t)count}, diag);
    if (rc == 0)
        sl_op_own(call, "sl_range_scalar", run_range);
    return rc;
}

static int prepare_arange(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct range range = {.step = 1.0, .by = 1, .whole = !sl_op_is_float(call, 0)};
    return make_range(call, &range, sl_op_number(call, 0, 0.0), sl_op_tensor(call, 1), diag);
}

static int prepare_arange_start(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct range range = {
        .start = sl_op_number(call, 0, 0.0),
        .step = sl_op_number(call, 2, 1.0),
        .first = sl_op_int(call, 0, 0),
        .by = sl_op_int(call, 2, 1),
        .whole = !sl_op_is_float(call, 0) && !sl_op_is_float(call, 1) && !sl_op_is_float(call, 2),
    };
    return make_range(call, &range, sl_op_number(call, 1, 0.0), sl_op_tensor(call, 3), diag);
}

/* Every element is the number of a tensor that has one. */
static int prepare_fill_tensor(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *like = sl_op_tensor(call, 0);
    if (sl_tensor_count(sl_op_tensor(call, 1)) != 1)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its value is not one number");
    int rc = sl_tensor_resize(sl_op_tensor(call, 2), like->rank, like->sizes, diag);
    if (rc != 0)
        return rc;
    int class = sl_cast_class(sl_op_tensor(call, 2)->scalar_type);
    class = class == SL_CAST_I64 && sl_op_is_float(call, 1) ? SL_CAST_F64 : class;
    const struct sl_map_shape shape = {.class = class,
                                       .fn = class == SL_CAST_F32 ? same_f32 : same_bits,
                                       .input_count = 2,
                                       .inputs = {1, 0},
                                       .out = 2};
    return sl_map_prepare(call, &shape, diag);
}

/* Every element is the operator's own number. */
static int prepare_uniform(struct sl_op_call *call, struct sl_diag *diag)
{
    struct sl_tensor *out = sl_op_tensor(call, 1);
    uint8_t element[sizeof(int64_t)] = {0};
    const int64_t *number = call->op->data;
    sl_cast_store_fn store = sl_cast_store(SL_CAST_I64, out->scalar_type);
    int rc = resize_to(call, 0, out, diag);
    struct sl_move *move = rc == 0 ? sl_move_new(call, 0) : NULL;
    if (rc == 0 && !move)
        rc = sl_op_fail(call, diag, SL_ET_MEMORY_ALLOCATION_FAILED, "no memory for its plan");
    if (rc == 0 && !store)
        rc = sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its type has no numbers");
    if (rc != 0)
        return rc;
    store(number, 1, element, 0);
    sl_move_fill(move, out, element);
    sl_move_end(call, move);
    return 0;
}

static const int64_t zero = 0, one = 1;
const struct sl_op sl_ops_make[] = {
    {.name = "aten::zeros.out", .signature = "vO", .prepare = prepare_uniform, .data = &zero},
    {.name = "aten::ones.out", .signature = "vO", .prepare = prepare_uniform, .data = &one},
    {.name = "aten::fill.Tensor_out", .signature = "aaO", .prepare = prepare_fill_tensor},
    {.name = "aten::full.out", .signature = "vnO", .prepare = prepare_full},
    {.name = "aten::full_like.out", .signature = "anIO", .prepare = prepare_full_like},
    {.name = "dim_order_ops::_full_like_dim_order.out",
     .signature = "ansO",
     .prepare = prepare_full_like},
    {.name = "aten::fill.Scalar_out", .signature = "anO", .prepare = prepare_full_like},
    {.name = "aten::scalar_tensor.out", .signature = "nO", .prepare = prepare_scalar_tensor},
    {.name = "aten::empty.out", .signature = "vIO", .prepare = prepare_empty},
    {.name = "dim_order_ops::_empty_dim_order.out", .signature = "vsO", .prepare = prepare_empty},
    {.name = "aten::arange.out", .signature = "nO", .prepare = prepare_arange},
    {.name = "aten::arange.start_out", .signature = "nnnO", .prepare = prepare_arange_start},
    {0},
};
