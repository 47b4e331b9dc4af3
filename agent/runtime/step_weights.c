/* agent/runtime/step_weights.c: steps with packed weights: matrix products and convolutions. */
#include <math.h>

#include "agent/runtime/budget.h"
#include "agent/runtime/runtime.h"
#include "agent/runtime/step.h"
#include "common/base/error.h"

#define MAX_PRODUCT (UINT64_C(1) << 40)

void sl_weights_fini(struct sl_weights *weights)
{
    if (weights->packed)
        sl_budget_free(weights->budget, weights->packed, weights->bytes);
    *weights = (struct sl_weights){0};
}

bool sl_product_ok(const size_t *factors, size_t count)
{
    uint64_t product = 1;
    for (size_t i = 0; i < count; i++)
        if (factors[i] > MAX_PRODUCT ||
            __builtin_mul_overflow(product, factors[i] != 0 ? factors[i] : 1, &product) ||
            product > MAX_PRODUCT)
            return false;
    return true;
}

int sl_weights_settle(struct sl_weights *weights, const void *kernel, size_t bytes,
                      const struct sl_constants *constants)
{
    if (!constants->weights || weights->kernel == kernel) {
        weights->kernel = kernel;
        return 0;
    }
    sl_weights_fini(weights);
    weights->packed = sl_budget_alloc(constants->budget, bytes);
    if (!weights->packed)
        return SL_E_LIMIT;
    weights->kernel = kernel;
    weights->bytes = bytes;
    weights->budget = constants->budget;
    return 1;
}

static void run_gemm(const struct sl_step *step)
{
    step->gemm.kernel->run(&step->gemm.args);
}

int sl_step_gemm(struct sl_step *step, uint32_t isa, size_t m, size_t n, size_t k, bool transposed,
                 const struct sl_constants *constants, struct sl_weights *weights)
{
    size_t lhs[] = {m, k}, rhs[] = {n, k}, dst[] = {m, n};
    if (!sl_product_ok(lhs, 2) || !sl_product_ok(rhs, 2) || !sl_product_ok(dst, 2))
        return SL_ET_INVALID_ARGUMENT;
    const struct sl_matmul *kernel = weights->kernel;
    if (!kernel || (kernel->gemv && m > 1))
        kernel = sl_matmul_select(isa, m);
    int pack = sl_weights_settle(weights, kernel, kernel->rhs_bytes(n, k), constants);
    if (pack < 0)
        return SL_ET_MEMORY_ALLOCATION_FAILED;
    if (pack)
        kernel->pack_rhs(n, k, constants->weights, transposed, constants->bias, weights->packed);
    *step = (struct sl_step){
        .run = run_gemm,
        .kernel = kernel->name,
        .kind = SL_STEP_GEMM,
        .workspace_bytes = kernel->workspace_bytes(m, n, k),
        .gemm =
            {kernel,
             {.m = m, .n = n, .k = k, .lhs_stride = k, .rhs = weights->packed, .dst_stride = n}},
    };
    sl_step_set_clamp(step, -INFINITY, INFINITY);
    return 0;
}

static void run_conv(const struct sl_step *step)
{
    step->conv.kernel->run(&step->conv.args);
}

static bool conv_ok(const struct sl_conv_shape *s)
{
    size_t in[] = {s->batch, s->in_h, s->in_w, s->groups, s->group_in_c};
    size_t out[] = {s->batch, s->out_h, s->out_w, s->groups, s->group_out_c};
    size_t w[] = {s->groups, s->group_out_c, s->kernel_h, s->kernel_w, s->group_in_c};
    size_t patch[] = {s->out_h, s->out_w, s->kernel_h, s->kernel_w, s->group_in_c};
    return sl_product_ok(in, 5) && sl_product_ok(out, 5) && sl_product_ok(w, 5) &&
           sl_product_ok(patch, 5) &&
           sl_window_ok(s->in_h, s->out_h, s->kernel_h, s->stride_h, s->dilation_h, s->pad_top) &&
           sl_window_ok(s->in_w, s->out_w, s->kernel_w, s->stride_w, s->dilation_w, s->pad_left);
}

int sl_step_conv(struct sl_step *step, uint32_t isa, const struct sl_conv_shape *shape,
                 const struct sl_constants *constants, struct sl_weights *weights)
{
    if (!conv_ok(shape))
        return SL_ET_INVALID_ARGUMENT;
    const struct sl_conv *kernel = weights->kernel;
    if (!kernel || (kernel->fits && !kernel->fits(shape)))
        kernel = sl_conv_select(isa, shape);
    int pack = sl_weights_settle(weights, kernel, kernel->weights_bytes(shape), constants);
    if (pack < 0)
        return SL_ET_MEMORY_ALLOCATION_FAILED;
    if (pack)
        kernel->pack_weights(shape, constants->weights, constants->bias, weights->packed);
    *step = (struct sl_step){
        .run = run_conv,
        .kernel = kernel->name,
        .kind = SL_STEP_CONV,
        .workspace_bytes = kernel->workspace_bytes(shape),
        .conv = {kernel, {.shape = *shape, .weights = weights->packed}},
    };
    sl_step_set_clamp(step, -INFINITY, INFINITY);
    return 0;
}

struct sl_depthwise_shape sl_step_depthwise_shape(const struct sl_conv_shape *shape)
{
    return (struct sl_depthwise_shape){
        .batch = shape->batch,
        .in_h = shape->in_h,
        .in_w = shape->in_w,
        .out_h = shape->out_h,
        .out_w = shape->out_w,
        .channels = shape->groups,
        .multiplier = shape->group_out_c,
        .kernel_h = shape->kernel_h,
        .kernel_w = shape->kernel_w,
        .stride_h = shape->stride_h,
        .stride_w = shape->stride_w,
        .dilation_h = shape->dilation_h,
        .dilation_w = shape->dilation_w,
        .pad_top = shape->pad_top,
        .pad_left = shape->pad_left,
    };
}

static void run_depthwise(const struct sl_step *step)
{
    step->depthwise.kernel->run(&step->depthwise.args);
}

static bool depthwise_ok(const struct sl_depthwise_shape *s)
{
    size_t in[] = {s->batch, s->in_h, s->in_w, s->channels};
    size_t out[] = {s->batch, s->out_h, s->out_w, s->channels, s->multiplier};
    size_t w[] = {s->channels, s->multiplier, s->kernel_h, s->kernel_w};
    return sl_product_ok(in, 4) && sl_product_ok(out, 5) && sl_product_ok(w, 4) &&
           sl_window_ok(s->in_h, s->out_h, s->kernel_h, s->stride_h, s->dilation_h, s->pad_top) &&
           sl_window_ok(s->in_w, s->out_w, s->kernel_w, s->stride_w, s->dilation_w, s->pad_left);
}

int sl_step_depthwise(struct sl_step *step, uint32_t isa, const struct sl_depthwise_shape *shape,
                      const struct sl_constants *constants, struct sl_weights *weights)
{
    if (!depthwise_ok(shape))
        return SL_ET_INVALID_ARGUMENT;
    const struct sl_depthwise *kernel = weights->kernel;
    if (!kernel || (kernel->fits && !kernel->fits(shape)))
        kernel = sl_depthwise_select(isa, shape);
    size_t bytes = kernel->weights_bytes(shape);
    int pack = sl_weights_settle(weights, kernel, bytes, constants);
    if (pack < 0)
        return SL_ET_MEMORY_ALLOCATION_FAILED;
    if (pack > 0)
        kernel->pack_weights(shape, constants->weights, constants->bias, weights->packed);
    *step = (struct sl_step){
        .run = run_depthwise,
        .kernel = kernel->name,
        .kind = SL_STEP_DEPTHWISE,
        .workspace_bytes = kernel->workspace_bytes(shape),
        .depthwise = {kernel, {.shape = *shape, .weights = weights->packed}},
    };
    sl_step_set_clamp(step, -INFINITY, INFINITY);
    return 0;
}

static void run_pack(const struct sl_step *step)
{
    const struct sl_pack *p = &step->pack;
    if (p->gemm)
        p->gemm->pack_rhs(p->n, p->k, p->weights, p->transposed, p->bias, p->packed);
    else if (p->conv)
        p->conv->pack_weights(&p->conv_shape, p->weights, p->bias, p->packed);
    else
        p->depthwise->pack_weights(&p->depthwise_shape, p->weights, p->bias, p->packed);
}

void sl_step_pack(struct sl_step *step, const struct sl_step *of, bool transposed,
                  size_t *out_bytes)
{
    *step = (struct sl_step){.run = run_pack, .kernel = of->kernel, .kind = SL_STEP_PACK};
    struct sl_pack *p = &step->pack;
    p->transposed = transposed;
    if (of->kind == SL_STEP_GEMM) {
        p->gemm = of->gemm.kernel;
        p->n = of->gemm.args.n;
        p->k = of->gemm.args.k;
        *out_bytes = p->gemm->rhs_bytes(p->n, p->k);
    } else if (of->kind == SL_STEP_CONV) {
        p->conv = of->conv.kernel;
        p->conv_shape = of->conv.args.shape;
        *out_bytes = p->conv->weights_bytes(&p->conv_shape);
    } else {
        p->depthwise = of->depthwise.kernel;
        p->depthwise_shape = of->depthwise.args.shape;
        *out_bytes = p->depthwise->weights_bytes(&p->depthwise_shape);
    }
}
