/* agent/runtime/ops/deconv.c: transposed convolution as a convolution: zeros go between the input's
 * pixels, and the weights are turned round. */
#include "agent/runtime/ops/deconv.h"

#include <string.h>

#include "agent/runtime/ops/op.h"
#include "common/base/mem.h"

struct deconv {
    const struct sl_tensor *in;
    size_t batch, channels, in_h, in_w, wide_h, wide_w, stride_h, stride_w;
    size_t spread; /* the input in NHWC with its zeros: offset into the workspace */
};

static void run_spread(struct sl_op_call *call)
{
    const struct deconv *d = call->state;
    float *out = (float *)(void *)(call->method->workspace.base + d->spread);
    const float *in = (const float *)(const void *)d->in->data;
    memset(out, 0, d->batch * d->wide_h * d->wide_w * d->channels * sizeof(float));
    for (size_t n = 0; n < d->batch; n++)
        for (size_t c = 0; c < d->channels; c++)
            for (size_t y = 0; y < d->in_h; y++) {
                float *row = out + (n * d->wide_h + y * d->stride_h) * d->wide_w * d->channels + c;
                for (size_t x = 0; x < d->in_w; x++)
                    row[x * d->stride_w * d->channels] = *in++;
            }
}

/* [ic][oc / groups][kh][kw] to [oc][kh][kw][ic / groups], turned round. */
static void turn_weights(const struct sl_conv_shape *s, const float *in, float *out)
{
    size_t taps = s->kernel_h * s->kernel_w;
    for (size_t g = 0; g < s->groups; g++)
        for (size_t o = 0; o < s->group_out_c; o++)
            for (size_t t = 0; t < taps; t++)
                for (size_t c = 0; c < s->group_in_c; c++)
                    *out++ =
                        in[((g * s->group_in_c + c) * s->group_out_c + o) * taps + (taps - 1 - t)];
}

static int add_conv(struct sl_op_call *call, const struct sl_conv_shape *shape,
                    const struct sl_tensor *weight, const struct sl_tensor *bias,
                    struct sl_step *out)
{
    float *turned = sl_malloc(weight->nbytes, 1);
    if (!turned)
        return SL_ET_MEMORY_ALLOCATION_FAILED;
    turn_weights(shape, (const float *)(const void *)weight->data, turned);
    const struct sl_constants constants = {
        .weights = turned,
        .bias = bias ? (const float *)(const void *)bias->data : NULL,
        .budget = &call->method->budget,
    };
    int rc = sl_step_conv(out, call->isa, shape, &constants, &call->weights);
    sl_free(turned);
    return rc;
}

/* Input size with its zeros, output size and padding of one dimension; false if they are not valid.
 */
static bool shape_side(size_t in, size_t kernel, size_t stride, size_t pad, size_t dilation,
                       size_t more, size_t *wide, size_t *out, size_t *before)
{
    if (in == 0 || kernel == 0 || !sl_window_ok(in, 0, kernel, stride, dilation, pad) ||
        more >= (stride > dilation ? stride : dilation) || in > INT32_MAX || stride > INT32_MAX)
        return false;
    size_t extent = (kernel - 1) * dilation;
    *wide = (in - 1) * stride + 1;
    if (pad > extent || *wide + extent + more <= 2 * pad)
        return false;
    *before = extent - pad;
    *out = *wide + extent + more - 2 * pad;
    return *wide <= INT32_MAX && *out <= INT32_MAX;
}

static bool is_constant(const struct sl_tensor *tensor)
{
    return tensor->constant && tensor->data && tensor->nbytes <= tensor->room_bytes;
}

static int add_steps(struct sl_op_call *call, const struct deconv *plan,
                     const struct sl_conv_shape *shape, const struct sl_step *conv,
                     const struct sl_tensor *out, struct sl_diag *diag)
{
    static const size_t to_nchw[4] = {0, 3, 1, 2};
    const size_t out_dims[4] = {shape->batch, shape->out_h, shape->out_w,
                                shape->groups * shape->group_out_c};
    struct deconv *d = sl_op_state(call, sizeof(*d));
    size_t bytes;
    if (!d || __builtin_mul_overflow(plan->wide_h * plan->wide_w,
                                     plan->batch * plan->channels * sizeof(float), &bytes))
        return sl_op_fail(call, diag, SL_ET_MEMORY_ALLOCATION_FAILED, "no memory for its plan");
    struct sl_ref spread = sl_ref_scratch(call, bytes);
    struct sl_ref rows = sl_ref_scratch(call, out->nbytes);
    *d = *plan;
    d->spread = spread.offset;
    sl_op_own(call, "sl_spread_f32_scalar", run_spread);
    *sl_op_step(call) = *conv;
    sl_op_operands(call, spread, sl_ref_none(), rows);
    call->main_step = call->step_count - 1;
    sl_step_permute(sl_op_step(call), call->isa, 4, out_dims, to_nchw);
    sl_op_operands(call, rows, sl_ref_none(), sl_ref_tensor(out));
    return 0;
}

int sl_deconv_prepare(struct sl_op_call *call, const size_t *stride, const size_t *padding,
                      const size_t *dilation, const size_t *more, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0), *weight = sl_op_tensor(call, 1);
    const struct sl_tensor *bias = sl_op_tensor(call, 2);
    struct sl_tensor *out = sl_op_tensor(call, 9);
    size_t groups = (size_t)sl_op_int(call, 8, 1);
    struct sl_step conv;
    if (in->rank != 4 || !sl_tensor_contiguous(in) || !sl_tensor_contiguous(out) ||
        !is_constant(weight) || (bias && !is_constant(bias)))
        return sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED,
                          "a transposed convolution that is not of constant weights over NCHW is "
                          "not supported");
    struct deconv d = {.in = in,
                       .batch = (size_t)in->sizes[0],
                       .channels = (size_t)in->sizes[1],
                       .in_h = (size_t)in->sizes[2],
                       .in_w = (size_t)in->sizes[3],
                       .stride_h = stride[0],
                       .stride_w = stride[1]};
    struct sl_conv_shape s = {.batch = d.batch,
                              .groups = groups,
                              .group_in_c = d.channels / groups,
                              .group_out_c = (size_t)weight->sizes[1],
                              .kernel_h = (size_t)weight->sizes[2],
                              .kernel_w = (size_t)weight->sizes[3],
                              .stride_h = 1,
                              .stride_w = 1,
                              .dilation_h = dilation[0],
                              .dilation_w = dilation[1]};
    size_t out_c = s.group_out_c * groups;
    if (d.batch == 0 || d.channels == 0 || d.channels % groups != 0 || out_c == 0 ||
        out_c > INT32_MAX || (size_t)weight->sizes[0] != d.channels ||
        (bias && sl_tensor_count(bias) != out_c) ||
        !shape_side(d.in_h, s.kernel_h, stride[0], padding[0], dilation[0], more[0], &d.wide_h,
                    &s.out_h, &s.pad_top) ||
        !shape_side(d.in_w, s.kernel_w, stride[1], padding[1], dilation[1], more[1], &d.wide_w,
                    &s.out_w, &s.pad_left))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its shapes do not fit together");
    s.in_h = d.wide_h;
    s.in_w = d.wide_w;
    const int32_t sizes[4] = {in->sizes[0], (int32_t)out_c, (int32_t)s.out_h, (int32_t)s.out_w};
    int rc = sl_tensor_resize(out, 4, sizes, diag);
    if (rc != 0)
        return rc;
    rc = add_conv(call, &s, weight, bias, &conv);
    if (rc != 0)
        return sl_op_fail(call, diag, rc, "its weights or shapes go over a limit");
    return add_steps(call, &d, &s, &conv, out, diag);
}
