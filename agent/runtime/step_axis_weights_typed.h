/* agent/runtime/step_axis_weights_typed.h: along what products and convolutions with packed weights
 * may be cut (step_split.h), for the elements that the including file names. */

static bool axis_gemm(struct sl_step *step, uint32_t crew, struct sl_step_axis *out)
{
    const struct SL_OF(sl_matmul, ) *kernel = step->SL_PART.gemm.kernel;
    struct SL_OF(sl_matmul, _args) *a = &step->SL_PART.gemm.args;
    const struct sl_axis_product product =
        SL_AXIS_PRODUCT(kernel, a, sizeof(*a->lhs), kernel->rhs_bytes(kernel->n_step(), a->k));
    bool can = sl_axis_of_product(&product, crew, out);
    out->workspace_bytes = kernel->workspace_bytes(a->m, a->n, a->k);
    return can;
}

#ifndef SL_CONV_ANY /* where every kernel takes every shape */
static bool fits_conv(const struct sl_step *step)
{
    const struct SL_OF(sl_conv, ) *kernel = step->SL_PART.conv.kernel;
    return !kernel->fits || kernel->fits(&step->SL_PART.conv.args.shape);
}
#else
#define fits_conv NULL
#endif

static bool axis_conv(struct sl_step *step, uint32_t crew, struct sl_step_axis *out)
{
    const struct SL_OF(sl_conv, ) *kernel = step->SL_PART.conv.kernel;
    struct SL_OF(sl_conv, _args) *a = &step->SL_PART.conv.args;
    struct sl_conv_shape *s = &a->shape;
    size_t channels = s->groups * s->group_out_c;
    const struct sl_axis_window window =
        SL_AXIS_WINDOW(s, &a->in, s->groups * s->group_in_c, &a->out, channels,
                       channels * s->kernel_h * s->kernel_w * s->group_in_c);
    (void)crew;
    bool can = sl_axis_of_window(&window, out);
    out->workspace_bytes = kernel->workspace_bytes(s);
    out->fits = fits_conv;
    return can;
}

static bool fits_depthwise(const struct sl_step *step)
{
    const struct SL_OF(sl_depthwise, ) *kernel = step->SL_PART.depthwise.kernel;
    return !kernel->fits || kernel->fits(&step->SL_PART.depthwise.args.shape);
}

static bool axis_depthwise(struct sl_step *step, uint32_t crew, struct sl_step_axis *out)
{
    const struct SL_OF(sl_depthwise, ) *kernel = step->SL_PART.depthwise.kernel;
    struct SL_OF(sl_depthwise, _args) *a = &step->SL_PART.depthwise.args;
    struct sl_depthwise_shape *s = &a->shape;
    size_t channels = s->channels, times = step->SL_PART.depthwise.repeat.times;
    const struct sl_axis_window window = SL_AXIS_WINDOW(
        s, &a->in, channels / times, &a->out, channels, channels * s->kernel_h * s->kernel_w);
    (void)crew;
    bool can = sl_axis_of_window(&window, out);
    out->workspace_bytes = kernel->workspace_bytes(s);
    if (times > 1)
        out->workspace_bytes += sl_repeated_bytes(s, sizeof(*a->in));
    out->fits = fits_depthwise;
    return can;
}
