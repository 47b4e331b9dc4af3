/* agent/runtime/step_convert.c: conversions between types, and products of bfloat16. */
#include <math.h>
#include <stddef.h>

#include "agent/runtime/budget.h"
#include "agent/runtime/runtime.h"
#include "agent/runtime/step.h"
#include "agent/runtime/step_split.h"

static size_t in_bytes(int op)
{
    return op == SL_CONVERT_F16_F32 || op == SL_CONVERT_BF16_F32 || op == SL_CONVERT_QS8_F32   ? 4
           : op == SL_CONVERT_F32_F16 || op == SL_CONVERT_F32_BF16 || op == SL_CONVERT_QS8_F16 ? 2
                                                                                               : 1;
}

static size_t out_bytes(int op)
{
    return op == SL_CONVERT_F32_F16 || op == SL_CONVERT_F32_BF16 || op == SL_CONVERT_F32_QS8   ? 4
           : op == SL_CONVERT_F16_F32 || op == SL_CONVERT_BF16_F32 || op == SL_CONVERT_F16_QS8 ? 2
                                                                                               : 1;
}

static bool axis_convert(struct sl_step *step, uint32_t crew, struct sl_step_axis *out)
{
    struct sl_convert_args *a = &step->quant.convert.args;
    int op = step->quant.convert.kernel->op;
    (void)crew;
    sl_axis_of_elements(&a->count, a->out, out_bytes(op), SL_WORK_ELEMENT, out);
    sl_axis_move(out, &a->in, in_bytes(op));
    sl_axis_move(out, &a->out, out_bytes(op));
    return true;
}

static void run_convert(const struct sl_step *step)
{
    step->quant.convert.kernel->run(&step->quant.convert.args);
}

void sl_step_convert(struct sl_step *step, uint32_t isa, int op, size_t count, struct sl_quant in,
                     struct sl_quant out)
{
    const struct sl_convert *kernel = sl_convert_select(isa, op);
    *step = (struct sl_step){
        .run = run_convert,
        .axis = axis_convert,
        .kernel = kernel->name,
        .kind = SL_STEP_CONVERT,
        .places = {.a = SL_STEP_AT(quant.convert.args.in),
                   .out = SL_STEP_AT(quant.convert.args.out)},
        .quant.convert = {kernel,
                          {.count = count,
                           .in_scale = in.scale,
                           .out_scale = out.scale,
                           .in_zero = in.zero_point,
                           .out_zero = out.zero_point}},
    };
}

static bool axis_gemm(struct sl_step *step, uint32_t crew, struct sl_step_axis *out)
{
    const struct sl_matmul_bf16 *kernel = step->quant.gemm_bf16.kernel;
    struct sl_matmul_bf16_args *a = &step->quant.gemm_bf16.args;
    const struct sl_axis_product product =
        SL_AXIS_PRODUCT(kernel, a, a->lhs_is_f32 ? sizeof(float) : sizeof(uint16_t),
                        kernel->rhs_bytes(kernel->n_step(), a->k));
    bool can = sl_axis_of_product(&product, crew, out);
    out->workspace_bytes = kernel->workspace_bytes(a->m, a->n, a->k);
    return can;
}

static void run_gemm(const struct sl_step *step)
{
    step->quant.gemm_bf16.kernel->run(&step->quant.gemm_bf16.args);
}

/* bfloat16 weights, a bias of f32. */
static int pack_gemm(const struct sl_matmul_bf16 *kernel, size_t n, size_t k, bool transposed,
                     const struct sl_constants *constants, struct sl_weights *weights)
{
    struct sl_constants bias = {.weights = constants->bias,
                                .weights_type = constants->bias_type,
                                .isa = constants->isa,
                                .budget = constants->budget};
    struct sl_taken taken = {0}, taken_bias = {0};
    int rc = sl_constants_take(constants, SL_STEP_BF16, n * k, 0, &taken);
    if (rc == 0 && constants->bias)
        rc = sl_constants_take(&bias, SL_STEP_F32, n, 0, &taken_bias);
    if (rc == 0)
        kernel->pack_rhs(n, k, taken.weights, transposed, taken_bias.weights, weights->packed);
    sl_constants_drop(constants, &taken_bias);
    sl_constants_drop(constants, &taken);
    return rc;
}

int sl_step_gemm_bf16(struct sl_step *step, uint32_t isa, size_t m, size_t n, size_t k,
                      bool transposed, const struct sl_constants *constants,
                      struct sl_weights *weights)
{
    if (!sl_product_ok((size_t[]){m, k}, 2) || !sl_product_ok((size_t[]){n, k}, 2) ||
        !sl_product_ok((size_t[]){m, n}, 2))
        return SL_ET_INVALID_ARGUMENT;
    const struct sl_matmul_bf16 *kernel = weights->kernel;
    if (!kernel || (kernel->gemv && m > 1))
        kernel = sl_matmul_bf16_select(isa, m);
    const size_t sizes[] = {n, k, transposed};
    struct sl_constants formed = *constants;
    formed.form = sl_weights_form(SL_STEP_GEMM, sizes, sizeof(sizes));
    int pack = sl_weights_settle(weights, kernel, kernel->rhs_bytes(n, k), &formed);
    int rc = pack < 0 ? SL_ET_MEMORY_ALLOCATION_FAILED : 0;
    if (pack > 0)
        rc = pack_gemm(kernel, n, k, transposed, constants, weights);
    if (rc != 0) {
        sl_weights_fail(weights);
        return rc;
    }
    *step = (struct sl_step){
        .run = run_gemm,
        .axis = axis_gemm,
        .kernel = kernel->name,
        .kind = SL_STEP_GEMM,
        .places = {.a = SL_STEP_AT(quant.gemm_bf16.args.lhs),
                   .out = SL_STEP_AT(quant.gemm_bf16.args.dst),
                   .workspace = SL_STEP_AT(quant.gemm_bf16.args.workspace),
                   .min = SL_STEP_AT(quant.gemm_bf16.args.min),
                   .max = SL_STEP_AT(quant.gemm_bf16.args.max)},
        .workspace_bytes = kernel->workspace_bytes(m, n, k),
        .quant.gemm_bf16 =
            {kernel,
             {.m = m, .n = n, .k = k, .lhs_stride = k, .rhs = weights->packed, .dst_stride = n}},
    };
    sl_step_set_clamp(step, -INFINITY, INFINITY);
    return 0;
}
