/* agent/runtime/step_deconv.c: transposed convolutions as products and a sum, and resizing. */
#include <math.h>
#include <string.h>

#include "agent/runtime/budget.h"
#include "agent/runtime/runtime.h"
#include "agent/runtime/step.h"
#include "common/base/error.h"

static size_t rounded(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

static void run_deconv(const struct sl_step *step)
{
    const struct sl_deconv *d = &step->deconv;
    struct sl_matmul_args args = d->args;
    struct sl_fold_args fold = d->fold_args;
    size_t columns = args.n, groups = fold.groups;
    fold.out = d->out;
    for (size_t image = 0; image < d->batch; image++) {
        for (size_t g = 0; g < groups; g++) {
            args.lhs = d->in + image * args.m * args.lhs_stride + g * args.k;
            args.rhs = (const uint8_t *)d->packed + g * d->group_bytes;
            args.dst = d->args.dst + g * columns;
            d->gemm->run(&args);
        }
        d->fold->run(&fold);
        fold.out += fold.out_h * fold.out_w * groups * fold.group_out_c;
    }
}

static bool deconv_ok(const struct sl_conv_shape *s)
{
    size_t in[] = {s->batch, s->in_h, s->in_w, s->groups, s->group_in_c};
    size_t out[] = {s->batch, s->out_h, s->out_w, s->groups, s->group_out_c};
    size_t patches[] = {s->in_h, s->in_w, s->groups, s->group_out_c, s->kernel_h, s->kernel_w};
    size_t w[] = {s->groups, s->group_out_c, s->kernel_h, s->kernel_w, s->group_in_c};
    return sl_product_ok(in, 5) && sl_product_ok(out, 5) && sl_product_ok(patches, 6) &&
           sl_product_ok(w, 5) &&
           sl_window_ok(s->out_h, s->in_h, s->kernel_h, s->stride_h, s->dilation_h, s->pad_top) &&
           sl_window_ok(s->out_w, s->in_w, s->kernel_w, s->stride_w, s->dilation_w, s->pad_left);
}

/* Packs each group with its taps outermost, so that patches are runs of channels. */
static int pack_groups(const struct sl_matmul *kernel, const struct sl_conv_shape *s,
                       const struct sl_constants *constants, uint8_t *packed, size_t group_bytes)
{
    size_t taps = s->kernel_h * s->kernel_w, oc = s->group_out_c, ic = s->group_in_c;
    size_t bytes = taps * oc * ic * sizeof(float);
    float *turned = sl_budget_alloc(constants->budget, bytes);
    if (!turned)
        return SL_ET_MEMORY_ALLOCATION_FAILED;
    for (size_t g = 0; g < s->groups; g++) {
        for (size_t o = 0; o < oc; o++)
            for (size_t t = 0; t < taps; t++)
                memcpy(turned + (t * oc + o) * ic,
                       constants->weights + ((g * oc + o) * taps + t) * ic, ic * sizeof(float));
        kernel->pack_rhs(taps * oc, ic, turned, false, NULL, packed + g * group_bytes);
    }
    sl_budget_free(constants->budget, turned, bytes);
    return 0;
}

static void shape_deconv(struct sl_deconv *d, const struct sl_conv_shape *s, size_t columns)
{
    d->args = (struct sl_matmul_args){.m = s->in_h * s->in_w,
                                      .n = columns,
                                      .k = s->group_in_c,
                                      .lhs_stride = s->groups * s->group_in_c,
                                      .dst_stride = s->groups * columns,
                                      .min = -INFINITY,
                                      .max = INFINITY};
    d->fold_args = (struct sl_fold_args){
        .in_h = s->in_h,
        .in_w = s->in_w,
        .out_h = s->out_h,
        .out_w = s->out_w,
        .groups = s->groups,
        .group_out_c = s->group_out_c,
        .kernel_h = s->kernel_h,
        .kernel_w = s->kernel_w,
        .stride_h = s->stride_h,
        .stride_w = s->stride_w,
        .dilation_h = s->dilation_h,
        .dilation_w = s->dilation_w,
        .pad_top = s->pad_top,
        .pad_left = s->pad_left,
    };
}

int sl_step_deconv(struct sl_step *step, uint32_t isa, const struct sl_conv_shape *shape,
                   const struct sl_constants *constants, struct sl_weights *weights)
{
    if (!deconv_ok(shape))
        return SL_ET_INVALID_ARGUMENT;
    size_t m = shape->in_h * shape->in_w, k = shape->group_in_c;
    size_t n = shape->kernel_h * shape->kernel_w * shape->group_out_c;
    const struct sl_matmul *kernel = weights->kernel;
    if (!kernel || (kernel->gemv && m > 1))
        kernel = sl_matmul_select(isa, m);
    size_t group_bytes = rounded(kernel->rhs_bytes(n, k)), bytes;
    if (__builtin_mul_overflow(group_bytes, shape->groups, &bytes))
        return SL_ET_INVALID_ARGUMENT;
    int pack = sl_weights_settle(weights, kernel, bytes, constants);
    if (pack < 0 ||
        (pack > 0 && pack_groups(kernel, shape, constants, weights->packed, group_bytes) != 0)) {
        sl_weights_fini(weights); /* whole or not at all */
        return SL_ET_MEMORY_ALLOCATION_FAILED;
    }
    size_t patches = rounded(m * n * shape->groups * sizeof(float));
    *step = (struct sl_step){
        .run = run_deconv,
        .kernel = kernel->name,
        .kind = SL_STEP_DECONV,
        .workspace_bytes = patches + kernel->workspace_bytes(m, n, k),
        .deconv = {.gemm = kernel,
                   .fold = sl_fold_select(isa),
                   .batch = shape->batch,
                   .group_bytes = group_bytes,
                   .packed = weights->packed},
    };
    shape_deconv(&step->deconv, shape, n);
    step->deconv.fold_args.bias = constants->bias;
    sl_step_set_clamp(step, -INFINITY, INFINITY);
    return 0;
}

static void run_resize(const struct sl_step *step)
{
    step->resize.kernel->run(&step->resize.args);
}

void sl_step_resize(struct sl_step *step, uint32_t isa, const struct sl_resize_args *shape)
{
    const struct sl_resize *kernel = sl_resize_select(isa);
    *step = (struct sl_step){.run = run_resize,
                             .kernel = kernel->name,
                             .kind = SL_STEP_RESIZE,
                             .resize = {kernel, *shape}};
}
