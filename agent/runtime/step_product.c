/* agent/runtime/step_product.c: matrix products, of constant weights and of two activations. */
#include <math.h>
#include <stddef.h>

#include "agent/runtime/runtime.h"
#include "agent/runtime/step.h"
#include "agent/runtime/step_split.h"

/* Products of bfloat16 give f32. */
static size_t dst_bytes(const struct sl_matmul *kernel)
{
    return sl_element_bytes(kernel->element == SL_BF16 ? SL_F32 : kernel->element);
}

static bool axis_gemm(struct sl_step *step, uint32_t crew, struct sl_step_axis *out)
{
    const struct sl_matmul *kernel = step->gemm.kernel;
    struct sl_matmul_args *a = &step->gemm.args;
    const struct sl_axis_product product =
        SL_AXIS_PRODUCT(kernel, a, sl_element_bytes(kernel->element), dst_bytes(kernel),
                        kernel->rhs_bytes(kernel->n_step(), a->k));
    bool can = sl_axis_of_product(&product, crew, out);
    out->workspace_bytes = kernel->workspace_bytes(a->m, a->n, a->k);
    return can;
}

static void run_gemm(const struct sl_step *step)
{
    step->gemm.kernel->run(&step->gemm.args);
}

int sl_step_gemm(struct sl_step *step, uint32_t isa, int element, size_t m, size_t n, size_t k,
                 bool transposed, const struct sl_constants *constants, struct sl_weights *weights)
{
    size_t lhs[] = {m, k}, rhs[] = {n, k}, dst[] = {m, n};
    if (!sl_product_ok(lhs, 2) || !sl_product_ok(rhs, 2) || !sl_product_ok(dst, 2))
        return SL_ET_INVALID_ARGUMENT;
    const struct sl_matmul *kernel = weights->kernel;
    if (!kernel || (kernel->gemv && m > 1))
        kernel = sl_matmul_select(isa, element, m, n, k);
    struct sl_taken taken;
    const size_t sizes[] = {n, k, transposed};
    int rc = sl_weights_take(weights, kernel, kernel->rhs_bytes(n, k), constants, element,
                             sl_weights_form(SL_STEP_GEMM, sizes, sizeof(sizes)), n * k, n, &taken);
    if (rc != 0)
        return rc;
    if (taken.weights)
        kernel->pack_rhs(n, k, taken.weights, transposed, taken.bias, weights->packed);
    sl_constants_drop(constants, &taken);
    *step = (struct sl_step){
        .run = run_gemm,
        .axis = axis_gemm,
        .kernel = kernel->name,
        .kind = SL_STEP_GEMM,
        .workspace_bytes = kernel->workspace_bytes(m, n, k),
        .places = SL_STEP_PLACES(gemm, lhs, rhs, dst),
        .gemm =
            {kernel,
             {.m = m, .n = n, .k = k, .lhs_stride = k, .rhs = weights->packed, .dst_stride = n}},
    };
    step->places.pitch = SL_STEP_AT(gemm.args.dst_stride);
    sl_step_set_clamp(step, -INFINITY, INFINITY);
    return 0;
}

static void move_batch_workspace(struct sl_step *step, void *workspace)
{
    struct sl_batch_gemm *g = &step->batch_gemm;
    g->args.workspace =
        (uint8_t *)workspace + ((const uint8_t *)g->args.workspace - (const uint8_t *)g->packed);
    g->args.rhs = g->packed = workspace;
}

/* By the outermost dimension of products that has several; a single product by its rows. */
static bool axis_batch_gemm(struct sl_step *step, uint32_t crew, struct sl_step_axis *out)
{
    struct sl_batch_gemm *g = &step->batch_gemm;
    struct sl_matmul_args *a = &g->args;
    size_t element = sl_element_bytes(g->kernel->element), d = 0, inner = a->m * a->n;
    (void)crew;
    while (d < g->rank && g->dims[d] == 1)
        d++;
    for (size_t i = d + 1; i < g->rank; i++)
        inner *= g->dims[i];
    if (d < g->rank) {
        sl_axis_of_rows(&g->dims[d], g->out, inner * element, (uint64_t)inner * a->k, out);
        sl_axis_move(out, &g->a, g->a_strides[d]);
        sl_axis_move(out, &g->b, g->b_strides[d]);
        sl_axis_move(out, &g->out, inner * element);
    } else {
        sl_axis_of_rows(&a->m, g->out, a->n * element, (uint64_t)a->n * a->k, out);
        out->unit *= g->kernel->m_step();
        out->chunks = 1; /* each packs the right matrix for itself */
        sl_axis_move(out, &g->a, a->lhs_stride * element);
        sl_axis_move(out, &g->out, a->n * element);
    }
    out->set_workspace = move_batch_workspace;
    out->workspace_bytes = ((g->kernel->rhs_bytes(a->n, a->k) + 63) & ~(size_t)63) +
                           g->kernel->workspace_bytes(a->m, a->n, a->k);
    return true;
}

static void run_pair(const struct sl_batch_gemm *g, struct sl_matmul_args *args, const void *a,
                     const void *b, bool pack)
{
    if (pack)
        g->kernel->pack_rhs(args->n, args->k, b, !g->transposed, NULL, g->packed);
    args->lhs = a;
    g->kernel->run(args);
    args->dst = (uint8_t *)args->dst + g->dst_bytes;
}

/* Packs a right matrix again only when it is another than before. */
static void run_batch_gemm(const struct sl_step *step)
{
    const struct sl_batch_gemm *g = &step->batch_gemm;
    struct sl_matmul_args args = g->args;
    size_t at[SL_STEP_MAX_RANK] = {0}, a_offset = 0, b_offset = 0, last = SIZE_MAX;
    args.dst = g->out;
    for (;;) {
        run_pair(g, &args, (const uint8_t *)g->a + a_offset, (const uint8_t *)g->b + b_offset,
                 b_offset != last);
        last = b_offset;
        size_t d = g->rank;
        for (; d > 0; d--) {
            a_offset += g->a_strides[d - 1];
            b_offset += g->b_strides[d - 1];
            if (++at[d - 1] < g->dims[d - 1])
                break;
            a_offset -= g->a_strides[d - 1] * at[d - 1];
            b_offset -= g->b_strides[d - 1] * at[d - 1];
            at[d - 1] = 0;
        }
        if (d == 0)
            return;
    }
}

/* The packed matrix comes first in the workspace. */
static void bind_batch_gemm(struct sl_step *step, const struct sl_step_operands *o)
{
    struct sl_batch_gemm *g = &step->batch_gemm;
    size_t packed = g->kernel->rhs_bytes(g->args.n, g->args.k);
    g->a = o->a;
    g->b = o->b;
    g->out = o->out;
    g->packed = o->workspace;
    g->args.rhs = o->workspace;
    g->args.workspace = (uint8_t *)o->workspace + ((packed + 63) & ~(size_t)63);
}

/* Outer dimensions, innermost last; a dimension of one has stride 0. */
static void set_outer(struct sl_batch_gemm *g, const struct sl_batch_shape *s)
{
    size_t rank = s->a_rank > s->b_rank ? s->a_rank : s->b_rank;
    size_t element = sl_element_bytes(g->kernel->element);
    size_t a_stride = g->args.m * g->args.k * element, b_stride = g->args.n * g->args.k * element;
    g->rank = rank - 2;
    for (size_t i = 3; i <= rank; i++) { /* from the end */
        size_t a = i <= s->a_rank ? s->a_dims[s->a_rank - i] : 1;
        size_t b = i <= s->b_rank ? s->b_dims[s->b_rank - i] : 1;
        g->dims[rank - i] = a == 1 ? b : a;
        g->a_strides[rank - i] = a == 1 ? 0 : a_stride;
        g->b_strides[rank - i] = b == 1 ? 0 : b_stride;
        a_stride *= a;
        b_stride *= b;
    }
}

int sl_step_batch_gemm(struct sl_step *step, uint32_t isa, int element,
                       const struct sl_batch_shape *shape)
{
    const size_t *a = shape->a_dims + shape->a_rank - 2, *b = shape->b_dims + shape->b_rank - 2;
    size_t m = a[0], k = a[1], n = b[shape->transposed ? 0 : 1];
    if (!sl_product_ok((size_t[]){m, k}, 2) || !sl_product_ok((size_t[]){n, k}, 2) ||
        !sl_product_ok((size_t[]){m, n}, 2) || m == 0 || n == 0 || k == 0)
        return SL_ET_INVALID_ARGUMENT;
    const struct sl_matmul *kernel = sl_matmul_select(isa, element, m, n, k);
    *step = (struct sl_step){
        .run = run_batch_gemm,
        .axis = axis_batch_gemm,
        .kernel = kernel->name,
        .kind = SL_STEP_BATCH_GEMM,
        .workspace_bytes =
            ((kernel->rhs_bytes(n, k) + 63) & ~(size_t)63) + kernel->workspace_bytes(m, n, k),
        .bind = bind_batch_gemm,
        .places = {.min = SL_STEP_AT(batch_gemm.args.min), .max = SL_STEP_AT(batch_gemm.args.max)},
        .batch_gemm = {.kernel = kernel,
                       .args = {.m = m, .n = n, .k = k, .lhs_stride = k, .dst_stride = n},
                       .transposed = shape->transposed,
                       .dst_bytes = m * n * dst_bytes(kernel)},
    };
    set_outer(&step->batch_gemm, shape);
    sl_step_set_clamp(step, -INFINITY, INFINITY);
    return 0;
}
