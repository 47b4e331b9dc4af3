/* agent/runtime/ops/exact_conv.c: convolutions of integers and doubles, and of all memory orders.
 */
#include "agent/runtime/ops/exact.h"

enum { IN, WEIGHT, BIAS, OUT };

/* The call's state. Pairs are of height and width; a row of pixels has a height of 1. */
struct convolution {
    struct sl_exact exact;
    size_t batch, groups, group_in, group_out; /* channels of a group */
    size_t in[2], out[2], kernel[2], stride[2], padding[2], dilation[2], more[2];
    bool is_transposed;
};

static bool is_inside(ptrdiff_t at, size_t size)
{
    return at >= 0 && (size_t)at < size;
}

#define SL_NUMBER double
#define SL_TYPED(name) name##_f64
#include "agent/runtime/ops/exact_conv_typed.h"
#define SL_NUMBER uint64_t
#define SL_TYPED(name) name##_i64
#include "agent/runtime/ops/exact_conv_typed.h"

/* A list of one number or one for each dimension, each in [low, INT32_MAX]. */
static bool read_pair(const struct sl_op_call *call, uint32_t arg, int64_t low, uint32_t dims,
                      size_t *out)
{
    int64_t numbers[2];
    int count = sl_op_ints(call, arg, numbers, dims);
    for (int i = 0; i < count; i++)
        if (numbers[i] < low || numbers[i] > INT32_MAX)
            return false;
    if (count < 1)
        return false;
    out[0] = dims == 2 ? (size_t)numbers[0] : (size_t)low;
    out[1] = (size_t)numbers[count - 1];
    return true;
}

static bool read_lists(const struct sl_op_call *call, struct convolution *c, uint32_t dims)
{
    return read_pair(call, 3, 1, dims, c->stride) && read_pair(call, 4, 0, dims, c->padding) &&
           read_pair(call, 5, 1, dims, c->dilation) &&
           (!c->is_transposed || (read_pair(call, 7, 0, dims, c->more) &&
                                  (c->more[0] < c->stride[0] || c->more[0] < c->dilation[0]) &&
                                  (c->more[1] < c->stride[1] || c->more[1] < c->dilation[1])));
}

/* Along one dimension; 0: none. All numbers are 31 bits, so products fit. */
static size_t out_size(const struct convolution *c, int d)
{
    int64_t in = (int64_t)c->in[d], extent = ((int64_t)c->kernel[d] - 1) * (int64_t)c->dilation[d];
    int64_t padding = 2 * (int64_t)c->padding[d], stride = (int64_t)c->stride[d], out;
    if (c->is_transposed)
        out = (in - 1) * stride - padding + extent + (int64_t)c->more[d] + 1;
    else
        out = in + padding > extent ? (in + padding - extent - 1) / stride + 1 : 0;
    return out > 0 && out <= INT32_MAX && c->kernel[d] != 0 ? (size_t)out : 0;
}

/* Channels and sizes of operands whose ranks are right; false where they do not fit together. */
static bool read_shapes(const struct sl_op_call *call, struct convolution *c,
                        const struct sl_tensor *in, const struct sl_tensor *weight)
{
    int64_t groups = sl_op_int(call, 8, 0);
    uint32_t dims = in->rank - 2;
    size_t channels = (size_t)in->sizes[1];
    if (groups < 1 || groups > INT32_MAX || !read_lists(call, c, dims))
        return false;
    c->groups = (size_t)groups;
    c->batch = (size_t)in->sizes[0];
    c->group_in = channels / c->groups;
    c->group_out =
        c->is_transposed ? (size_t)weight->sizes[1] : (size_t)weight->sizes[0] / c->groups;
    for (uint32_t d = 0; d < 2; d++) {
        bool flat = dims == 1 && d == 0;
        c->in[d] = flat ? 1 : (size_t)in->sizes[dims + d];
        c->kernel[d] = flat ? 1 : (size_t)weight->sizes[dims + d];
        c->out[d] = out_size(c, (int)d);
    }
    size_t ends[2] = {c->group_out * c->groups, c->group_in};
    if (c->is_transposed)
        ends[0] = channels, ends[1] = c->group_out;
    return channels != 0 && channels % c->groups == 0 && (size_t)weight->sizes[0] == ends[0] &&
           (size_t)weight->sizes[1] == ends[1] && ends[1] != 0 && c->out[0] != 0 && c->out[1] != 0;
}

static int prepare_convolution(struct sl_op_call *call, struct sl_diag *diag)
{
    int rc;
    const struct sl_tensor *in = sl_op_tensor(call, 0), *weight = sl_op_tensor(call, 1);
    const struct sl_tensor *bias = sl_op_tensor(call, 2);
    struct sl_tensor *out = sl_op_tensor(call, 9);
    struct convolution *c = sl_exact_new(call, in, sizeof(*c), diag, &rc);
    if (!c)
        return rc;
    c->is_transposed = sl_op_bool(call, 6);
    if ((in->rank != 3 && in->rank != 4) || weight->rank != in->rank ||
        !read_shapes(call, c, in, weight) ||
        (bias && sl_tensor_count(bias) != c->groups * c->group_out))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its shapes do not fit together");
    if (bias && !sl_cast_load(c->exact.class, bias->scalar_type))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its bias has no numbers");
    int32_t sizes[4] = {in->sizes[0], (int32_t)(c->groups * c->group_out), (int32_t)c->out[0],
                        (int32_t)c->out[1]};
    if (in->rank == 3)
        sizes[2] = sizes[3];
    rc = sl_tensor_resize(out, in->rank, sizes, diag);
    sl_exact_hold(call, &c->exact, IN, in);
    sl_exact_hold(call, &c->exact, WEIGHT, weight);
    sl_exact_hold(call, &c->exact, OUT, out);
    if (rc == 0)
        rc = sl_exact_same_type(call, &c->exact, diag);
    sl_exact_hold(call, &c->exact, BIAS, bias); /* may be of another type */
    if (rc == 0 && out->nbytes != 0)
        sl_op_own(call, c->exact.class == SL_CAST_F64 ? "sl_conv_f64_scalar" : "sl_conv_i64_scalar",
                  c->exact.class == SL_CAST_F64 ? run_f64 : run_i64);
    return rc;
}

const struct sl_op sl_ops_exact_conv[] = {
    {.name = "aten::convolution.out", .signature = "aaAvvvbviO", .prepare = prepare_convolution},
    {0},
};
