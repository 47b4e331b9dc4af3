/* agent/runtime/ops/deconv.c: transposed convolution outside delegates, turned to NHWC and back. */
#include "agent/runtime/ops/deconv.h"

#include "agent/runtime/ops/op.h"

/* Output size of one dimension; 0 if its numbers are not valid. */
static size_t out_size(size_t in, size_t kernel, size_t stride, size_t pad, size_t dilation,
                       size_t more)
{
    if (in == 0 || kernel == 0 || !sl_window_ok(in, 0, kernel, stride, dilation, pad) ||
        more >= (stride > dilation ? stride : dilation) || in > INT32_MAX || stride > INT32_MAX)
        return 0;
    size_t extent = (kernel - 1) * dilation, wide = (in - 1) * stride + 1;
    if (pad > extent || wide + extent + more <= 2 * pad)
        return 0;
    size_t out = wide + extent + more - 2 * pad;
    return wide <= INT32_MAX && out <= INT32_MAX ? out : 0;
}

static bool is_constant(const struct sl_tensor *tensor)
{
    return tensor->constant && tensor->data && tensor->nbytes <= tensor->room_bytes;
}

static void add_steps(struct sl_op_call *call, const struct sl_conv_shape *s,
                      const struct sl_step *deconv, const struct sl_tensor *in,
                      const struct sl_tensor *out)
{
    static const size_t to_nhwc[4] = {0, 2, 3, 1}, to_nchw[4] = {0, 3, 1, 2};
    const size_t in_dims[4] = {s->batch, s->groups * s->group_in_c, s->in_h, s->in_w};
    const size_t out_dims[4] = {s->batch, s->out_h, s->out_w, s->groups * s->group_out_c};
    struct sl_ref pixels = sl_ref_scratch(call, in->nbytes);
    struct sl_ref rows = sl_ref_scratch(call, out->nbytes);
    sl_step_permute(sl_op_step(call), call->isa, 4, in_dims, to_nhwc);
    sl_op_operands(call, sl_ref_tensor(in), sl_ref_none(), pixels);
    *sl_op_step(call) = *deconv;
    sl_op_operands(call, pixels, sl_ref_none(), rows);
    call->main_step = call->step_count - 1;
    sl_step_permute(sl_op_step(call), call->isa, 4, out_dims, to_nchw);
    sl_op_operands(call, rows, sl_ref_none(), sl_ref_tensor(out));
}

int sl_deconv_prepare(struct sl_op_call *call, const size_t *stride, const size_t *padding,
                      const size_t *dilation, const size_t *more, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0), *weight = sl_op_tensor(call, 1);
    const struct sl_tensor *bias = sl_op_tensor(call, 2);
    struct sl_tensor *out = sl_op_tensor(call, 9);
    size_t groups = (size_t)sl_op_int(call, 8, 1), channels;
    struct sl_step deconv;
    bool flat = in->rank == 3; /* [N][C][L]: a height of 1 is put in, whose numbers are set */
    if ((in->rank != 4 && !flat) || weight->rank != in->rank || out->rank != in->rank ||
        !sl_tensor_contiguous(in) || !sl_tensor_contiguous(out) || !sl_tensor_contiguous(weight) ||
        !is_constant(weight) || (bias && !is_constant(bias)))
        return sl_op_exactly(call, diag); /* kernels take constant weights, and NCHW is turned */
    channels = (size_t)in->sizes[1];
    struct sl_conv_shape s = {.batch = (size_t)in->sizes[0],
                              .in_h = flat ? 1 : (size_t)in->sizes[2],
                              .in_w = (size_t)in->sizes[in->rank - 1],
                              .groups = groups,
                              .group_in_c = channels / groups,
                              .group_out_c = (size_t)weight->sizes[1],
                              .kernel_h = flat ? 1 : (size_t)weight->sizes[2],
                              .kernel_w = (size_t)weight->sizes[in->rank - 1],
                              .stride_h = stride[0],
                              .stride_w = stride[1],
                              .dilation_h = dilation[0],
                              .dilation_w = dilation[1],
                              .pad_top = padding[0],
                              .pad_left = padding[1]};
    size_t out_c = s.group_out_c * groups;
    s.out_h = out_size(s.in_h, s.kernel_h, stride[0], padding[0], dilation[0], flat ? 0 : more[0]);
    s.out_w = out_size(s.in_w, s.kernel_w, stride[1], padding[1], dilation[1], more[1]);
    if (s.batch == 0)
        return sl_op_exactly(call, diag);
    if (channels == 0 || channels % groups != 0 || out_c == 0 || out_c > INT32_MAX ||
        (size_t)weight->sizes[0] != channels || (bias && sl_tensor_count(bias) != out_c) ||
        s.out_h == 0 || s.out_w == 0)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its shapes do not fit together");
    int32_t sizes[4] = {in->sizes[0], (int32_t)out_c, (int32_t)s.out_h, (int32_t)s.out_w};
    if (flat)
        sizes[2] = sizes[3];
    int rc = sl_tensor_resize(out, in->rank, sizes, diag);
    struct sl_constants constants = sl_op_constants(call, weight, bias);
    constants.planar = true;
    if (rc == 0 && sl_step_deconv(&deconv, call->isa, SL_F32, &s, &constants, &call->weights) != 0)
        rc =
            sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its weights or shapes go over a limit");
    if (rc == 0)
        add_steps(call, &s, &deconv, in, out);
    return rc;
}
