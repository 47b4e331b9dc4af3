/* agent/runtime/step_qs8.c: products and convolutions of static int8. */
#include <stddef.h>
#include <string.h>

#include "agent/runtime/budget.h"
#include "agent/runtime/runtime.h"
#include "agent/runtime/step.h"
#include "agent/runtime/step_split.h"

/* The parameters that a kernel packs with; kept only while it packs. */
struct requant {
    struct sl_requant what;
    float *scale; /* owned */
    size_t bytes;
    struct sl_budget *budget;
};

/* XNNPACK takes scales of products below 256 only. */
static int open_requant(const struct sl_constants_qs8 *c, size_t channels, struct requant *out)
{
    size_t bytes = channels * sizeof(float);
    *out = (struct requant){.bytes = bytes, .budget = c->budget};
    out->scale = sl_budget_alloc(c->budget, bytes);
    if (!out->scale)
        return SL_ET_MEMORY_ALLOCATION_FAILED;
    for (size_t i = 0; i < channels; i++) {
        out->scale[i] = c->in.scale * c->weights_scale[c->per_channel ? i : 0] / c->out.scale;
        if (!(out->scale[i] > 0.0f && out->scale[i] < 256.0f)) {
            sl_budget_free(c->budget, out->scale, bytes);
            return SL_ET_INVALID_PROGRAM;
        }
    }
    out->what = (struct sl_requant){
        .bias = c->bias, .scale = out->scale, .in_zero = (int8_t)c->in.zero_point};
    return 0;
}

static void close_requant(struct requant *requant)
{
    sl_budget_free(requant->budget, requant->scale, requant->bytes);
}

static struct sl_requant_out requant_out(const struct sl_constants_qs8 *c)
{
    return (struct sl_requant_out){(int8_t)c->out.zero_point, c->min, c->max};
}

/* Settles on a kernel: 1 when its weights are to be packed, with *out open. */
static int settle(struct sl_weights *weights, const void *kernel, size_t bytes,
                  const struct sl_constants_qs8 *c, uint64_t form, size_t channels,
                  struct requant *out)
{
    const float scales[] = {c->in.scale, c->out.scale};
    const int32_t numbers[] = {c->in.zero_point, c->per_channel};
    form = sl_weights_form(form, scales, sizeof(scales));
    const struct sl_constants constants = {
        .weights = c->weights,
        .bias = c->bias,
        .scales = c->weights_scale,
        .form = sl_weights_form(form, numbers, sizeof(numbers)),
        .budget = c->budget,
    };
    int pack = sl_weights_settle(weights, kernel, bytes, &constants);
    if (pack < 0)
        return SL_ET_MEMORY_ALLOCATION_FAILED;
    int rc = pack ? open_requant(c, channels, out) : 0;
    if (rc != 0)
        sl_weights_fail(weights);
    return rc != 0 ? rc : pack;
}

static bool axis_gemm(struct sl_step *step, uint32_t crew, struct sl_step_axis *out)
{
    const struct sl_matmul_qs8 *kernel = step->quant.gemm.kernel;
    struct sl_matmul_qs8_args *a = &step->quant.gemm.args;
    const struct sl_axis_product product =
        SL_AXIS_PRODUCT(kernel, a, 1, 1, kernel->rhs_bytes(kernel->n_step(), a->k));
    bool can = sl_axis_of_product(&product, crew, out);
    out->workspace_bytes = kernel->workspace_bytes(a->m, a->n, a->k);
    return can;
}

static void run_gemm(const struct sl_step *step)
{
    step->quant.gemm.kernel->run(&step->quant.gemm.args);
}

int sl_step_gemm_qs8(struct sl_step *step, uint32_t isa, size_t m, size_t n, size_t k,
                     bool transposed, const struct sl_constants_qs8 *c, struct sl_weights *weights)
{
    size_t lhs[] = {m, k}, rhs[] = {n, k}, dst[] = {m, n};
    struct requant requant;
    if (!sl_product_ok(lhs, 2) || !sl_product_ok(rhs, 2) || !sl_product_ok(dst, 2))
        return SL_ET_INVALID_ARGUMENT;
    const struct sl_matmul_qs8 *kernel = weights->kernel;
    if (!kernel || (kernel->gemv && m > 1))
        kernel = sl_matmul_qs8_select(isa, m, n, k);
    const size_t sizes[] = {n, k, transposed};
    int pack = settle(weights, kernel, kernel->rhs_bytes(n, k), c,
                      sl_weights_form(SL_STEP_GEMM, sizes, sizeof(sizes)), n, &requant);
    if (pack < 0)
        return pack;
    if (pack) {
        kernel->pack_rhs(n, k, c->weights, transposed, &requant.what, weights->packed);
        close_requant(&requant);
    }
    *step = (struct sl_step){
        .run = run_gemm,
        .axis = axis_gemm,
        .kernel = kernel->name,
        .kind = SL_STEP_GEMM,
        .places = {.a = SL_STEP_AT(quant.gemm.args.lhs),
                   .out = SL_STEP_AT(quant.gemm.args.dst),
                   .pitch = SL_STEP_AT(quant.gemm.args.dst_stride),
                   .workspace = SL_STEP_AT(quant.gemm.args.workspace)},
        .workspace_bytes = kernel->workspace_bytes(m, n, k),
        .quant.gemm = {kernel,
                       {.m = m,
                        .n = n,
                        .k = k,
                        .lhs_stride = k,
                        .rhs = weights->packed,
                        .dst_stride = n,
                        .out = requant_out(c)}},
    };
    return 0;
}

static bool axis_conv(struct sl_step *step, uint32_t crew, struct sl_step_axis *out)
{
    struct sl_conv_qs8_args *a = &step->quant.conv.args;
    struct sl_axis_window window = SL_AXIS_CONV(&a->shape, 1, &a->in, &a->out);
    window.out_row_bytes = a->out_row;
    (void)crew;
    bool can = sl_axis_of_window(&window, out);
    out->workspace_bytes = step->quant.conv.kernel->workspace_bytes(&a->shape);
    return can;
}

static void run_conv(const struct sl_step *step)
{
    step->quant.conv.kernel->run(&step->quant.conv.args);
}

static void run_deconv(const struct sl_step *step)
{
    sl_deconv_qs8_run(step->quant.conv.kernel, &step->quant.conv.args);
}

static void set_conv(struct sl_step *step, const struct sl_conv_qs8 *kernel,
                     const struct sl_conv_shape *shape, const struct sl_constants_qs8 *c,
                     const struct sl_weights *weights)
{
    *step = (struct sl_step){
        .run = run_conv,
        .axis = axis_conv,
        .kernel = kernel->name,
        .kind = SL_STEP_CONV,
        .places = {.a = SL_STEP_AT(quant.conv.args.in),
                   .out = SL_STEP_AT(quant.conv.args.out),
                   .workspace = SL_STEP_AT(quant.conv.args.workspace)},
        .quant.conv = {kernel,
                       {.shape = *shape,
                        .in_zero = (int8_t)c->in.zero_point,
                        .weights = weights->packed,
                        .out_quant = requant_out(c)}},
    };
    sl_conv_qs8_dense(&step->quant.conv.args);
}

int sl_step_conv_qs8(struct sl_step *step, uint32_t isa, const struct sl_conv_shape *shape,
                     const struct sl_constants_qs8 *c, struct sl_weights *weights)
{
    struct requant requant;
    if (!sl_conv_ok(shape))
        return SL_ET_INVALID_ARGUMENT;
    const struct sl_conv_qs8 *kernel = weights->kernel;
    if (!kernel)
        kernel = sl_conv_qs8_select(isa, shape);
    int pack = settle(weights, kernel, kernel->weights_bytes(shape), c,
                      sl_weights_form(SL_STEP_CONV, shape, sizeof(*shape)),
                      shape->groups * shape->group_out_c, &requant);
    if (pack < 0)
        return pack;
    if (pack) {
        kernel->pack_weights(shape, c->weights, &requant.what, weights->packed);
        close_requant(&requant);
    }
    set_conv(step, kernel, shape, c, weights);
    step->places.pitch = SL_STEP_AT(quant.conv.args.out_pixel);
    step->places.row = SL_STEP_AT(quant.conv.args.out_row);
    step->places.image = SL_STEP_AT(quant.conv.args.out_image);
    step->workspace_bytes = kernel->workspace_bytes(shape);
    return 0;
}

/* `scratch_bytes` is one for each weight. */
static int pack_deconv(const struct sl_conv_qs8 *kernel, const struct sl_conv_shape *shape,
                       const struct sl_constants_qs8 *c, const struct requant *requant,
                       struct sl_weights *weights)
{
    size_t scratch_bytes =
        shape->kernel_h * shape->kernel_w * shape->group_in_c * shape->groups * shape->group_out_c;
    int8_t *scratch = sl_budget_alloc(c->budget, scratch_bytes);
    if (!scratch)
        return SL_ET_MEMORY_ALLOCATION_FAILED;
    sl_deconv_qs8_pack(kernel, shape, c->weights, &requant->what, weights->packed, scratch);
    sl_budget_free(c->budget, scratch, scratch_bytes);
    return 0;
}

int sl_step_deconv_qs8(struct sl_step *step, uint32_t isa, const struct sl_conv_shape *shape,
                       const struct sl_constants_qs8 *c, struct sl_weights *weights)
{
    struct requant requant;
    if (!sl_deconv_ok(shape))
        return SL_ET_INVALID_ARGUMENT;
    const struct sl_conv_qs8 *kernel = weights->kernel;
    if (!kernel)
        kernel = sl_conv_qs8_select(isa, shape);
    int pack = settle(weights, kernel, sl_deconv_qs8_bytes(kernel, shape), c,
                      sl_weights_form(SL_STEP_DECONV, shape, sizeof(*shape)),
                      shape->groups * shape->group_out_c, &requant);
    if (pack < 0)
        return pack;
    if (pack) {
        int rc = pack_deconv(kernel, shape, c, &requant, weights);
        close_requant(&requant);
        if (rc != 0) {
            sl_weights_fail(weights);
            return rc;
        }
    }
    set_conv(step, kernel, shape, c, weights);
    step->run = run_deconv;
    step->axis = NULL; /* its windows are not a convolution's */
    step->kind = SL_STEP_DECONV;
    step->workspace_bytes = sl_deconv_qs8_workspace_bytes(kernel, shape);
    return 0;
}

static bool fits_depthwise(const struct sl_step *step)
{
    const struct sl_depthwise_qs8 *kernel = step->quant.depthwise.kernel;
    return !kernel->fits || kernel->fits(&step->quant.depthwise.args.shape);
}

static bool axis_depthwise(struct sl_step *step, uint32_t crew, struct sl_step_axis *out)
{
    struct sl_depthwise_qs8_args *a = &step->quant.depthwise.args;
    size_t times = step->quant.depthwise.repeat.times;
    const struct sl_axis_window window = SL_AXIS_DEPTHWISE(&a->shape, 1, times, &a->in, &a->out);
    (void)crew;
    bool can = sl_axis_of_window(&window, out);
    out->workspace_bytes = step->quant.depthwise.kernel->workspace_bytes(&a->shape);
    if (times > 1)
        out->workspace_bytes += sl_repeated_bytes(&a->shape, 1);
    out->fits = fits_depthwise;
    return can;
}

static void run_depthwise(const struct sl_step *step)
{
    step->quant.depthwise.kernel->run(&step->quant.depthwise.args);
}

/* As run_repeated() of floats. */
static void run_repeated(const struct sl_step *step)
{
    struct sl_depthwise_qs8_args args = step->quant.depthwise.args;
    const struct sl_step_repeat *repeat = &step->quant.depthwise.repeat;
    size_t bytes = sl_repeated_bytes(&args.shape, 1), count = args.shape.channels;
    count *= args.shape.batch * args.shape.in_h * args.shape.in_w;
    repeat->kernel->run(count / repeat->times, 1, repeat->times, args.in, args.workspace);
    args.in = args.workspace;
    args.workspace = (uint8_t *)args.workspace + bytes;
    step->quant.depthwise.kernel->run(&args);
}

int sl_step_depthwise_qs8(struct sl_step *step, uint32_t isa,
                          const struct sl_depthwise_shape *serialized,
                          const struct sl_constants_qs8 *c, struct sl_weights *weights)
{
    struct requant requant;
    if (!sl_depthwise_ok(serialized))
        return SL_ET_INVALID_ARGUMENT;
    const struct sl_depthwise_shape wide = sl_depthwise_widen(serialized), *shape = &wide;
    size_t times = serialized->multiplier;
    const struct sl_depthwise_qs8 *kernel = weights->kernel;
    if (!kernel || (kernel->fits && !kernel->fits(shape)))
        kernel = sl_depthwise_qs8_select(isa, shape);
    int pack = settle(weights, kernel, kernel->weights_bytes(shape), c,
                      sl_weights_form(SL_STEP_DEPTHWISE, shape, sizeof(*shape)), shape->channels,
                      &requant);
    if (pack < 0)
        return pack;
    if (pack) {
        kernel->pack_weights(shape, c->weights, &requant.what, weights->packed);
        close_requant(&requant);
    }
    *step = (struct sl_step){
        .run = times > 1 ? run_repeated : run_depthwise,
        .axis = axis_depthwise,
        .kernel = kernel->name,
        .kind = SL_STEP_DEPTHWISE,
        .places = {.a = SL_STEP_AT(quant.depthwise.args.in),
                   .out = SL_STEP_AT(quant.depthwise.args.out),
                   .workspace = SL_STEP_AT(quant.depthwise.args.workspace)},
        .workspace_bytes = kernel->workspace_bytes(shape),
        .quant.depthwise = {kernel,
                            {.shape = *shape,
                             .in_zero = (int8_t)c->in.zero_point,
                             .weights = weights->packed,
                             .out_quant = requant_out(c)},
                            {sl_repeat_select(isa), times}},
    };
    if (times > 1)
        step->workspace_bytes += sl_repeated_bytes(shape, 1);
    return 0;
}
