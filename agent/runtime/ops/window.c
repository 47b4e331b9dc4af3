/* agent/runtime/ops/window.c: convolution and max pooling outside delegates. */
#include <errno.h>
#include <string.h>

#include "agent/runtime/ops/deconv.h"
#include "agent/runtime/ops/op.h"
#include "common/base/mem.h"

/* Height and width of a list of one or two numbers, each in [low, INT32_MAX]. */
static bool pair_of(struct sl_op_call *call, uint32_t i, int64_t low, bool one_dimensional,
                    size_t *out)
{
    int64_t numbers[2];
    int count = sl_op_ints(call, i, numbers, 2);
    if (count < 1 || (one_dimensional && count != 1))
        return false;
    for (int k = 0; k < count; k++)
        if (numbers[k] < low || numbers[k] > INT32_MAX)
            return false;
    out[0] = (size_t)numbers[0];
    out[1] = (size_t)numbers[count - 1];
    return true;
}

/* Convolution's operands by their roles. */
struct convolution {
    const struct sl_tensor *in, *weight, *bias;
    struct sl_tensor *out;
    size_t stride[2], padding[2], dilation[2];
    size_t groups;
    bool one_dimensional; /* [N][C][L]: a height of 1 is put in */
    struct sl_conv_shape shape;
};

static size_t size_at(const struct sl_tensor *tensor, uint32_t i, bool one_dimensional)
{
    if (one_dimensional && i >= 2)
        return i == 2 ? 1 : (size_t)tensor->sizes[2];
    return (size_t)tensor->sizes[i];
}

static bool is_nhwc(const struct sl_tensor *tensor)
{
    static const uint8_t order[4] = {0, 2, 3, 1};
    return tensor->rank == 4 && memcmp(tensor->dim_order, order, 4) == 0;
}

static int read_convolution(struct sl_op_call *call, struct convolution *c, struct sl_diag *diag)
{
    *c = (struct convolution){.in = sl_op_tensor(call, 0),
                              .weight = sl_op_tensor(call, 1),
                              .bias = sl_op_tensor(call, 2),
                              .out = sl_op_tensor(call, 9)};
    c->one_dimensional = c->in->rank == 3;
    int64_t groups = sl_op_int(call, 8, 0);
    if ((c->in->rank != 4 && c->in->rank != 3) || c->weight->rank != c->in->rank ||
        c->out->rank != c->in->rank || groups < 1 || groups > INT32_MAX ||
        !pair_of(call, 3, 1, c->one_dimensional, c->stride) ||
        !pair_of(call, 4, 0, c->one_dimensional, c->padding) ||
        !pair_of(call, 5, 1, c->one_dimensional, c->dilation))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its parameters are not valid");
    if (c->one_dimensional) {
        c->stride[0] = c->dilation[0] = 1;
        c->padding[0] = 0;
    }
    if ((!sl_op_bool(call, 6) && !sl_tensor_contiguous(c->weight) && !is_nhwc(c->weight)) ||
        (!sl_tensor_contiguous(c->in) && !is_nhwc(c->in)) ||
        (!sl_tensor_contiguous(c->out) && !is_nhwc(c->out)))
        return sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED, "this memory order is not supported");
    c->groups = (size_t)groups;
    return 0;
}

static int shape_convolution(struct sl_op_call *call, struct convolution *c, struct sl_diag *diag)
{
    struct sl_conv_shape *s = &c->shape;
    size_t out_c = (size_t)c->weight->sizes[0], in_c = (size_t)c->in->sizes[1];
    bool flat = c->one_dimensional;
    *s = (struct sl_conv_shape){
        .batch = (size_t)c->in->sizes[0],
        .in_h = size_at(c->in, 2, flat),
        .in_w = size_at(c->in, 3, flat),
        .groups = c->groups,
        .group_in_c = (size_t)c->weight->sizes[1],
        .group_out_c = out_c / c->groups,
        .kernel_h = size_at(c->weight, 2, flat),
        .kernel_w = size_at(c->weight, 3, flat),
        .stride_h = c->stride[0],
        .stride_w = c->stride[1],
        .dilation_h = c->dilation[0],
        .dilation_w = c->dilation[1],
        .pad_top = c->padding[0],
        .pad_left = c->padding[1],
    };
    s->out_h =
        sl_window_out(s->in_h, s->pad_top, s->pad_top, s->kernel_h, s->stride_h, s->dilation_h);
    s->out_w =
        sl_window_out(s->in_w, s->pad_left, s->pad_left, s->kernel_w, s->stride_w, s->dilation_w);
    if (out_c == 0 || out_c % c->groups != 0 || s->group_in_c == 0 ||
        s->group_in_c * c->groups != in_c || (c->bias && sl_tensor_count(c->bias) != out_c) ||
        s->out_h == 0 || s->out_w == 0 || s->out_h > INT32_MAX || s->out_w > INT32_MAX ||
        (s->kernel_h - 1) * s->dilation_h >= s->in_h + 2 * s->pad_top ||
        (s->kernel_w - 1) * s->dilation_w >= s->in_w + 2 * s->pad_left || s->batch == 0)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its shapes do not fit together");
    int32_t sizes[4] = {c->in->sizes[0], (int32_t)out_c, (int32_t)s->out_h, (int32_t)s->out_w};
    if (flat)
        sizes[2] = sizes[3];
    return sl_tensor_resize(c->out, c->out->rank, sizes, diag);
}

/* Weights [oc][ic][kh][kw] as the kernels take them: [oc][kh][kw][ic], or for depthwise
 * [kh][kw][oc]. */
static void weight_step(struct sl_op_call *call, const struct convolution *c, bool depthwise,
                        struct sl_step *step)
{
    static const size_t dense_perm[4] = {0, 2, 3, 1}, depthwise_perm[4] = {2, 3, 0, 1};
    const struct sl_conv_shape *s = &c->shape;
    const size_t dims[4] = {s->groups * s->group_out_c, s->group_in_c, s->kernel_h, s->kernel_w};
    sl_step_permute(step, call->isa, 4, dims, depthwise ? depthwise_perm : dense_perm);
}

/* One channel in each group has its own kernels, which want many channels. */
static bool is_depthwise(const struct convolution *c)
{
    return c->shape.group_in_c == 1 && c->groups > 1;
}

/* The convolution's step; constant weights are packed here, once for each kernel. */
static int add_kernel_step(struct sl_op_call *call, const struct convolution *c, bool constant,
                           struct sl_step *step)
{
    const struct sl_conv_shape *s = &c->shape;
    struct sl_constants constants =
        sl_op_constants(call, constant ? c->weight : NULL, constant ? c->bias : NULL);
    /* Those that are packed at each run are turned before, and channels last is the kernels' own
     * order; it is the same where there is one channel. */
    constants.planar = constant && (is_depthwise(c) || !is_nhwc(c->weight));
    if (!is_depthwise(c))
        return sl_step_conv(step, call->isa, SL_F32, s, &constants, &call->weights);
    const struct sl_depthwise_shape shape = sl_step_depthwise_shape(s);
    return sl_step_depthwise(step, call->isa, SL_F32, &shape, &constants, &call->weights);
}

/* Computed weights are turned and packed in the workspace at each run. */
static int pack_each_time(struct sl_op_call *call, const struct convolution *c,
                          struct sl_step *conv, struct sl_ref *out_packed)
{
    size_t bytes = 0;
    struct sl_ref turned = sl_ref_tensor(c->weight);
    int rc = add_kernel_step(call, c, false, conv);
    if (rc != 0)
        return rc;
    if (is_depthwise(c) || !is_nhwc(c->weight)) {
        turned = sl_ref_scratch(call, c->weight->nbytes);
        weight_step(call, c, is_depthwise(c), sl_op_step(call));
        sl_op_operands(call, sl_ref_tensor(c->weight), sl_ref_none(), turned);
    }
    sl_step_pack(sl_op_step(call), conv, false, &bytes);
    *out_packed = sl_ref_scratch(call, bytes);
    sl_op_operands(call, turned, c->bias ? sl_ref_tensor(c->bias) : sl_ref_none(), *out_packed);
    return 0;
}

static struct sl_ref add_turn(struct sl_op_call *call, struct sl_ref from, const size_t *dims,
                              const size_t *perm, struct sl_ref to)
{
    sl_step_permute(sl_op_step(call), call->isa, 4, dims, perm);
    sl_op_operands(call, from, sl_ref_none(), to);
    return to;
}

static bool has_memory(const struct sl_tensor *tensor)
{
    return tensor->data && tensor->nbytes <= tensor->room_bytes;
}

static int prepare_convolution(struct sl_op_call *call, struct sl_diag *diag)
{
    static const size_t to_nhwc[4] = {0, 2, 3, 1}, to_nchw[4] = {0, 3, 1, 2};
    struct convolution c;
    struct sl_step conv;
    struct sl_ref packed = sl_ref_none();
    int rc = read_convolution(call, &c, diag);
    if (rc == 0 && sl_op_bool(call, 6)) {
        size_t more[2];
        if (!pair_of(call, 7, 0, c.one_dimensional, more))
            return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its parameters are not valid");
        return sl_deconv_prepare(call, c.stride, c.padding, c.dilation, more, diag);
    }
    if (rc == 0 && c.in->nbytes == 0)
        return sl_op_exactly(call, diag);
    if (rc == 0)
        rc = shape_convolution(call, &c, diag);
    if (rc != 0)
        return rc;
    if (!has_memory(c.weight) || (c.bias && !has_memory(c.bias)))
        return sl_op_fail(call, diag, SL_ET_INVALID_PROGRAM, "its weights have no memory");
    bool constant = c.weight->constant && (!c.bias || c.bias->constant);
    rc = constant ? add_kernel_step(call, &c, true, &conv)
                  : pack_each_time(call, &c, &conv, &packed);
    if (rc != 0)
        return sl_op_fail(call, diag, rc, "its weights or shapes go over a limit");
    const struct sl_conv_shape *s = &c.shape;
    struct sl_ref in = sl_ref_tensor(c.in), out = sl_ref_tensor(c.out);
    const size_t in_dims[4] = {s->batch, s->groups * s->group_in_c, s->in_h, s->in_w};
    const size_t out_dims[4] = {s->batch, s->out_h, s->out_w, s->groups * s->group_out_c};
    if (!is_nhwc(c.in))
        in = add_turn(call, in, in_dims, to_nhwc, sl_ref_scratch(call, c.in->nbytes));
    if (!is_nhwc(c.out))
        out = sl_ref_scratch(call, c.out->nbytes);
    *sl_op_step(call) = conv;
    sl_op_operands(call, in, packed, out);
    call->main_step = call->step_count - 1;
    if (!is_nhwc(c.out))
        add_turn(call, out, out_dims, to_nchw, sl_ref_tensor(c.out));
    return 0;
}

/* Output size of a pooling; ceil_mode never starts a window past the input and its left padding. */
static size_t pooled(size_t in, size_t pad, size_t kernel, size_t stride, size_t dilation,
                     bool ceil_mode)
{
    if (!sl_window_ok(in, 0, kernel, stride, dilation, pad) ||
        in + 2 * pad < (kernel - 1) * dilation + 1)
        return 0;
    size_t room = in + 2 * pad - (kernel - 1) * dilation - 1;
    size_t out = (room + (ceil_mode ? stride - 1 : 0)) / stride + 1;
    return ceil_mode && (out - 1) * stride >= in + pad ? out - 1 : out;
}

static int read_pool(struct sl_op_call *call, const struct sl_tensor *in, struct sl_pool_args *a,
                     struct sl_diag *diag)
{
    size_t kernel[2], stride[2], padding[2], dilation[2];
    int64_t none[1];
    bool no_stride = sl_op_ints(call, 2, none, 1) == 0;
    if ((in->rank != 4 && in->rank != 3) || (!sl_tensor_contiguous(in) && !is_nhwc(in)) ||
        !pair_of(call, 1, 1, false, kernel) ||
        (!no_stride && !pair_of(call, 2, 1, false, stride)) ||
        !pair_of(call, 3, 0, false, padding) || !pair_of(call, 4, 1, false, dilation))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its parameters are not valid");
    if (no_stride)
        memcpy(stride, kernel, sizeof(stride));
    size_t in_h = (size_t)in->sizes[in->rank - 2], in_w = (size_t)in->sizes[in->rank - 1];
    bool ceil_mode = sl_op_bool(call, 5);
    *a = (struct sl_pool_args){
        .op = SL_POOL_MAX,
        .batch = in_h != 0 && in_w != 0 ? sl_tensor_count(in) / in_h / in_w : 0,
        .in_h = in_h,
        .in_w = in_w,
        .out_h = pooled(in_h, padding[0], kernel[0], stride[0], dilation[0], ceil_mode),
        .out_w = pooled(in_w, padding[1], kernel[1], stride[1], dilation[1], ceil_mode),
        .channels = 1,
        .kernel_h = kernel[0],
        .kernel_w = kernel[1],
        .stride_h = stride[0],
        .stride_w = stride[1],
        .dilation_h = dilation[0],
        .dilation_w = dilation[1],
        .pad_top = padding[0],
        .pad_left = padding[1],
    };
    return a->batch == 0 || a->out_h == 0 || a->out_w == 0 || a->out_h > INT32_MAX ||
                   a->out_w > INT32_MAX
               ? sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its output would be empty")
               : 0;
}

/* Returns the memory the pool writes: the output, or planes in the workspace to turn later. */
static struct sl_ref planes_for(struct sl_op_call *call, const struct sl_tensor *out)
{
    return is_nhwc(out) ? sl_ref_scratch(call, out->nbytes) : sl_ref_tensor(out);
}

static void turn_planes(struct sl_op_call *call, struct sl_ref from, const struct sl_tensor *out)
{
    static const size_t to_nhwc[5] = {0, 2, 3, 1, 4};
    const size_t dims[5] = {/* an int64 is a pair of words */
                            (size_t)out->sizes[0], (size_t)out->sizes[1], (size_t)out->sizes[2],
                            (size_t)out->sizes[3], 2};
    sl_step_permute(sl_op_step(call), call->isa, out->element_bytes == 8 ? 5 : 4, dims, to_nhwc);
    sl_op_operands(call, from, sl_ref_none(), sl_ref_tensor(out));
}

/* The kernel goes plane by plane: what lies channel by channel is turned before it and after. */
static int pool_planes(struct sl_op_call *call, const struct sl_pool_args *args,
                       struct sl_diag *diag)
{
    static const size_t to_nchw[4] = {0, 3, 1, 2};
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    const struct sl_tensor *out = sl_op_tensor(call, 6), *indices = sl_op_tensor(call, 7);
    struct sl_ref from = sl_ref_tensor(in), to = planes_for(call, out);
    struct sl_ref places = planes_for(call, indices);
    if (is_nhwc(in)) {
        const size_t dims[4] = {(size_t)in->sizes[0], args->in_h, args->in_w, (size_t)in->sizes[1]};
        from = add_turn(call, from, dims, to_nchw, sl_ref_scratch(call, in->nbytes));
    }
    call->main_step = call->step_count;
    if (sl_step_pool_index(sl_op_step(call), args) != 0)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its window is not valid");
    sl_op_operands(call, from, places, to);
    if (is_nhwc(out))
        turn_planes(call, to, out);
    if (is_nhwc(indices))
        turn_planes(call, places, indices);
    return 0;
}

static int prepare_max_pool(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct sl_tensor *out = sl_op_tensor(call, 6), *indices = sl_op_tensor(call, 7);
    struct sl_pool_args args;
    int32_t sizes[4];
    if (in->nbytes == 0)
        return sl_op_exactly(call, diag);
    int rc = read_pool(call, in, &args, diag);
    if (rc != 0)
        return rc;
    memcpy(sizes, in->sizes, in->rank * sizeof(*sizes));
    sizes[in->rank - 2] = (int32_t)args.out_h;
    sizes[in->rank - 1] = (int32_t)args.out_w;
    rc = sl_tensor_resize(out, in->rank, sizes, diag);
    if (rc == 0)
        rc = sl_tensor_resize(indices, in->rank, sizes, diag);
    if (rc == 0 && ((!sl_tensor_contiguous(out) && !is_nhwc(out)) ||
                    (!sl_tensor_contiguous(indices) && !is_nhwc(indices))))
        rc = sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED, "this memory order is not supported");
    return rc != 0 ? rc : pool_planes(call, &args, diag);
}

const struct sl_op sl_ops_window[] = {
    {.name = "aten::convolution.out",
     .signature = "twWvvvbvio",
     .prepare = prepare_convolution,
     .exact = sl_ops_exact_conv},
    {.name = "aten::max_pool2d_with_indices.out",
     .signature = "tvvvvbol",
     .prepare = prepare_max_pool,
     .exact = sl_ops_exact_plane},
    {0},
};
