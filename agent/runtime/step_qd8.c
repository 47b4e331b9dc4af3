/* agent/runtime/step_qd8.c: products whose left operand is quantised at run time, and of bfloat16.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "agent/runtime/budget.h"
#include "agent/runtime/runtime.h"
#include "agent/runtime/step.h"
#include "agent/runtime/step_split.h"

static size_t rounded(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

static size_t type_bytes(int type)
{
    return type == SL_ROWS_F32 ? 4 : type == SL_ROWS_F16 ? 2 : 1;
}

size_t sl_quantised_bytes(size_t rows, size_t k)
{
    return rounded(rows * k) + rows * sizeof(struct sl_row_params);
}

static void run_quantise(const struct sl_step *step)
{
    size_t k = step->quant.quantise.k;
    const struct sl_rows in = {
        .data = step->quant.quantise.in, .stride = k, .type = step->quant.quantise.type};
    step->quant.quantise.kernel->run(step->quant.quantise.rows, k, &in, step->quant.quantise.out, k,
                                     step->quant.quantise.params);
}

static void bind_quantise(struct sl_step *step, const struct sl_step_operands *o)
{
    size_t bytes = step->quant.quantise.rows * step->quant.quantise.k;
    step->quant.quantise.params =
        (struct sl_row_params *)(void *)((int8_t *)o->out + rounded(bytes));
}

/* Sixteen rows at least: their parameters then end with a cache line too. */
static bool axis_quantise(struct sl_step *step, uint32_t crew, struct sl_step_axis *out)
{
    size_t k = step->quant.quantise.k;
    (void)crew;
    sl_axis_of_rows(&step->quant.quantise.rows, step->quant.quantise.out, k,
                    (uint64_t)k * SL_WORK_ELEMENT, out);
    out->unit = out->unit < 16 ? 16 : out->unit;
    out->whole = true;
    sl_axis_move(out, &step->quant.quantise.in, k * type_bytes(step->quant.quantise.type));
    sl_axis_move(out, &step->quant.quantise.out, k);
    sl_axis_move(out, &step->quant.quantise.params, sizeof(struct sl_row_params));
    return true;
}

void sl_step_quantise(struct sl_step *step, uint32_t isa, int type, size_t rows, size_t k)
{
    const struct sl_quantise *kernel = sl_quantise_select(isa);
    *step = (struct sl_step){
        .run = run_quantise,
        .axis = axis_quantise,
        .kernel = kernel->name,
        .kind = SL_STEP_CONVERT,
        .places = {.a = SL_STEP_AT(quant.quantise.in), .out = SL_STEP_AT(quant.quantise.out)},
        .bind = bind_quantise,
        .quant.quantise = {.kernel = kernel, .rows = rows, .k = k, .type = type},
    };
}

static bool axis_gemm(struct sl_step *step, uint32_t crew, struct sl_step_axis *out)
{
    const struct sl_matmul_qd8 *kernel = step->quant.gemm_qd8.kernel;
    struct sl_matmul_qd8_args *a = &step->quant.gemm_qd8.args;
    size_t n_step = kernel->n_step(), bytes = type_bytes(a->dst_type);
    const struct sl_axis_product product = {
        .m = &a->m,
        .n = &a->n,
        .k = a->k,
        .m_step = kernel->m_step(),
        .n_step = n_step,
        .lhs = &a->lhs.data,
        .rhs = &a->rhs,
        .dst = &a->dst,
        .lhs_row_bytes = a->lhs.stride * type_bytes(a->lhs.type),
        .dst_row_bytes = a->dst_stride * bytes,
        .dst_bytes = bytes,
        .panel_bytes = kernel->rhs_bytes(kernel, n_step, a->k, a->group),
        .out = a->dst,
    };
    bool can = sl_axis_of_product(&product, crew, out);
    if (out->count == &a->m && a->lhs.type == SL_ROWS_QD8)
        sl_axis_move(out, &a->lhs.params, sizeof(*a->lhs.params));
    out->workspace_bytes = kernel->workspace_bytes(kernel, a->m, a->n, a->k);
    return can;
}

static void run_gemm(const struct sl_step *step)
{
    step->quant.gemm_qd8.kernel->run(step->quant.gemm_qd8.kernel, &step->quant.gemm_qd8.args);
}

/* Rows that were quantised before have their parameters behind them. */
static void bind_gemm(struct sl_step *step, const struct sl_step_operands *o)
{
    struct sl_matmul_qd8_args *args = &step->quant.gemm_qd8.args;
    if (args->lhs.type == SL_ROWS_QD8)
        args->lhs.params = (const void *)((const uint8_t *)o->a + rounded(args->m * args->k));
}

static const struct sl_matmul_qd8 *kernel_of(const struct sl_weights *weights, uint32_t isa,
                                             const struct sl_gemm_qd8 *g, size_t m)
{
    const struct sl_matmul_qd8 *kernel = weights->kernel;
    if (kernel && !(kernel->gemv && m > 1))
        return kernel;
    size_t n = g->weights.n, k = g->weights.k;
    return g->q4 ? sl_matmul_q4_select(isa, m, n, k) : sl_matmul_qd8_select(isa, m, n, k);
}

static int settle(struct sl_weights *weights, const void *kernel, size_t bytes,
                  const struct sl_gemm_qd8 *g, uint64_t form)
{
    const struct sl_weights_qd8 *w = &g->weights;
    const size_t numbers[] = {w->n, w->k, w->transposed, w->group, w->scale_bf16, g->q4};
    const struct sl_constants constants = {
        .weights = w->data,
        .bias = w->bias,
        .scales = w->scale,
        .form = sl_weights_form(form, numbers, sizeof(numbers)),
        .budget = g->budget,
    };
    return sl_weights_settle(weights, kernel, bytes, &constants);
}

int sl_step_gemm_qd8(struct sl_step *step, uint32_t isa, const struct sl_gemm_qd8 *g,
                     struct sl_weights *weights)
{
    size_t m = g->m, n = g->weights.n, k = g->weights.k;
    if (!sl_product_ok((size_t[]){m, k}, 2) || !sl_product_ok((size_t[]){n, k}, 2) ||
        !sl_product_ok((size_t[]){m, n}, 2))
        return SL_ET_INVALID_ARGUMENT;
    const struct sl_matmul_qd8 *kernel = kernel_of(weights, isa, g, m);
    int pack =
        settle(weights, kernel, kernel->rhs_bytes(kernel, n, k, g->weights.group), g, SL_STEP_GEMM);
    if (pack < 0)
        return SL_ET_MEMORY_ALLOCATION_FAILED;
    if (pack)
        kernel->pack_rhs(kernel, &g->weights, weights->packed);
    *step = (struct sl_step){
        .run = run_gemm,
        .axis = axis_gemm,
        .kernel = kernel->name,
        .kind = SL_STEP_GEMM,
        .places = {.a = SL_STEP_AT(quant.gemm_qd8.args.lhs.data),
                   .out = SL_STEP_AT(quant.gemm_qd8.args.dst),
                   .workspace = SL_STEP_AT(quant.gemm_qd8.args.workspace),
                   .pitch = SL_STEP_AT(quant.gemm_qd8.args.dst_stride),
                   .min = SL_STEP_AT(quant.gemm_qd8.args.min),
                   .max = SL_STEP_AT(quant.gemm_qd8.args.max)},
        .bind = bind_gemm,
        .workspace_bytes = kernel->workspace_bytes(kernel, m, n, k),
        .quant.gemm_qd8 = {kernel,
                           {.m = m,
                            .n = n,
                            .k = k,
                            .group = g->weights.group,
                            .lhs = {.stride = k, .type = g->lhs_type},
                            .rhs = weights->packed,
                            .dst_type = g->out_type,
                            .dst_stride = n}},
    };
    sl_step_set_clamp(step, -INFINITY, INFINITY);
    return 0;
}

/* The input row (or column) that tap `k` of output row `o` reads, or SIZE_MAX for none. */
static size_t source_of(bool transposed, size_t o, size_t k, size_t in, size_t stride,
                        size_t dilation, size_t pad)
{
    size_t at;
    if (transposed) {
        if (o + pad < k * dilation || (o + pad - k * dilation) % stride != 0)
            return SIZE_MAX;
        at = (o + pad - k * dilation) / stride;
    } else {
        if (o * stride + k * dilation < pad)
            return SIZE_MAX;
        at = o * stride + k * dilation - pad;
    }
    return at < in ? at : SIZE_MAX;
}

/* One row of a left operand: what output pixel (oy, ox) sees of one group; outside, the zero point.
 */
static void pack_window(const struct sl_conv_qd8 *c, const int8_t *image, int8_t zero, size_t oy,
                        size_t ox, int8_t *out)
{
    const struct sl_conv_shape *s = &c->shape;
    size_t pixel = s->groups * s->group_in_c;
    for (size_t ky = 0; ky < s->kernel_h; ky++) {
        size_t y =
            source_of(c->transposed, oy, ky, s->in_h, s->stride_h, s->dilation_h, s->pad_top);
        for (size_t kx = 0; kx < s->kernel_w; kx++, out += s->group_in_c) {
            size_t x =
                source_of(c->transposed, ox, kx, s->in_w, s->stride_w, s->dilation_w, s->pad_left);
            if (y == SIZE_MAX || x == SIZE_MAX)
                memset(out, zero, s->group_in_c);
            else
                memcpy(out, image + (y * s->in_w + x) * pixel, s->group_in_c);
        }
    }
}

static size_t patch_bytes(const struct sl_conv_shape *s)
{
    return s->kernel_h * s->kernel_w * s->group_in_c;
}

/* Patches, then a parameter for each of them, then the product's own workspace. */
static void run_group(const struct sl_conv_qd8 *c, const int8_t *image,
                      const struct sl_row_params *params, size_t group, uint8_t *out)
{
    const struct sl_conv_shape *s = &c->shape;
    size_t m = s->out_h * s->out_w, k = patch_bytes(s), n = s->group_out_c;
    int8_t *patches = (int8_t *)c->workspace;
    struct sl_row_params *rows = (void *)(c->workspace + rounded(m * k));
    for (size_t i = 0; i < m; i++) {
        pack_window(c, image + group * s->group_in_c, (int8_t)params->zero_point, i / s->out_w,
                    i % s->out_w, patches + i * k);
        rows[i] = *params;
    }
    const struct sl_matmul_qd8_args args = {
        .m = m,
        .n = n,
        .k = k,
        .lhs = {patches, k, SL_ROWS_QD8, rows},
        .rhs = (const uint8_t *)c->packed + group * c->group_bytes,
        .dst = out + group * n * type_bytes(c->out_type),
        .dst_type = c->out_type,
        .dst_stride = s->groups * n,
        .min = c->min,
        .max = c->max,
        .workspace = c->workspace + rounded(sl_quantised_bytes(m, k)),
    };
    c->kernel->run(c->kernel, &args);
}

static void run_conv(const struct sl_step *step)
{
    const struct sl_conv_qd8 *c = &step->quant.conv_qd8;
    const struct sl_conv_shape *s = &c->shape;
    size_t in = s->in_h * s->in_w * s->groups * s->group_in_c;
    size_t out = s->out_h * s->out_w * s->groups * s->group_out_c * type_bytes(c->out_type);
    const struct sl_row_params *params =
        (const void *)((const uint8_t *)c->in + rounded(s->batch * in));
    for (size_t image = 0; image < s->batch; image++)
        for (size_t group = 0; group < s->groups; group++)
            run_group(c, (const int8_t *)c->in + image * in, params + image, group,
                      (uint8_t *)c->out + image * out);
}

static void pack_groups(const struct sl_matmul_qd8 *kernel, const struct sl_conv_shape *s,
                        const struct sl_gemm_qd8 *g, uint8_t *packed, size_t group_bytes)
{
    struct sl_weights_qd8 part = g->weights;
    for (size_t i = 0; i < s->groups; i++) {
        kernel->pack_rhs(kernel, &part, packed + i * group_bytes);
        part.data = (const int8_t *)part.data + part.n * part.k;
        part.scale = (const float *)part.scale + part.n;
        part.bias = part.bias ? part.bias + part.n : NULL;
    }
}

int sl_step_conv_qd8(struct sl_step *step, uint32_t isa, const struct sl_conv_shape *shape,
                     bool transposed, const struct sl_gemm_qd8 *gemm, struct sl_weights *weights)
{
    struct sl_gemm_qd8 g = *gemm;
    size_t m = shape->out_h * shape->out_w, k = patch_bytes(shape), n = shape->group_out_c;
    if (transposed ? !sl_deconv_ok(shape) : !sl_conv_ok(shape))
        return SL_ET_INVALID_ARGUMENT;
    if (!sl_product_ok((size_t[]){m, k}, 2) || !sl_product_ok((size_t[]){m, n}, 2))
        return SL_ET_INVALID_ARGUMENT;
    const struct sl_matmul_qd8 *kernel = kernel_of(weights, isa, &g, m);
    size_t group_bytes = rounded(kernel->rhs_bytes(kernel, n, k, 0)), bytes;
    if (__builtin_mul_overflow(group_bytes, shape->groups, &bytes))
        return SL_ET_INVALID_ARGUMENT;
    g.weights.n = n;
    g.weights.k = k;
    int pack =
        settle(weights, kernel, bytes, &g,
               sl_weights_form(transposed ? SL_STEP_DECONV : SL_STEP_CONV, shape, sizeof(*shape)));
    if (pack < 0)
        return SL_ET_MEMORY_ALLOCATION_FAILED;
    if (pack)
        pack_groups(kernel, shape, &g, weights->packed, group_bytes);
    *step = (struct sl_step){
        .run = run_conv,
        .kernel = kernel->name,
        .kind = transposed ? SL_STEP_DECONV : SL_STEP_CONV,
        .places = {.a = SL_STEP_AT(quant.conv_qd8.in),
                   .out = SL_STEP_AT(quant.conv_qd8.out),
                   .workspace = SL_STEP_AT(quant.conv_qd8.workspace),
                   .min = SL_STEP_AT(quant.conv_qd8.min),
                   .max = SL_STEP_AT(quant.conv_qd8.max)},
        .workspace_bytes =
            rounded(sl_quantised_bytes(m, k)) + kernel->workspace_bytes(kernel, m, n, k),
        .quant.conv_qd8 = {.kernel = kernel,
                           .shape = *shape,
                           .transposed = transposed,
                           .out_type = g.out_type,
                           .group_bytes = group_bytes,
                           .packed = weights->packed},
    };
    sl_step_set_clamp(step, -INFINITY, INFINITY);
    return 0;
}
