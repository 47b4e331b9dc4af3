/* agent/runtime/step_qs8_element.c: elementwise steps, means and pooling of static int8.
 */
#include <stddef.h>

#include "agent/runtime/runtime.h"
#include "agent/runtime/step.h"
#include "agent/runtime/step_split.h"

static bool axis_pool(struct sl_step *step, uint32_t crew, struct sl_step_axis *out)
{
    struct sl_pool_qs8_args *a = &step->quant.pool.args;
    const struct sl_axis_window window =
        SL_AXIS_WINDOW(a, sizeof(*a->in), &a->in, a->channels, &a->out, a->channels,
                       a->channels * a->kernel_h * a->kernel_w * SL_WORK_TAP);
    (void)crew;
    return sl_axis_of_window(&window, out);
}

static void run_pool(const struct sl_step *step)
{
    step->quant.pool.kernel->run(&step->quant.pool.args);
}

int sl_step_pool_qs8(struct sl_step *step, uint32_t isa, const struct sl_pool_args *shape,
                     int8_t min, int8_t max)
{
    const struct sl_pool_qs8 *kernel = sl_pool_qs8_select(isa);
    if (!sl_pool_ok(shape))
        return SL_ET_INVALID_ARGUMENT;
    *step = (struct sl_step){
        .run = run_pool,
        .axis = axis_pool,
        .kernel = kernel->name,
        .kind = SL_STEP_POOL,
        .places = {.a = SL_STEP_AT(quant.pool.args.in), .out = SL_STEP_AT(quant.pool.args.out)},
        .quant.pool = {kernel, {SL_POOL_WINDOW(shape), .min = min, .max = max}},
    };
    return 0;
}

static bool axis_binary(struct sl_step *step, uint32_t crew, struct sl_step_axis *out)
{
    struct sl_broadcast_qs8 *b = &step->quant.binary;
    const struct sl_axis_binary binary = SL_AXIS_BINARY(&b->plan, &b->args, 1);
    (void)crew;
    sl_axis_of_binary(&binary, out);
    return true;
}

static void run_binary(const struct sl_step *step)
{
    const struct sl_broadcast_qs8 *b = &step->quant.binary;
    struct sl_binary_qs8_args args = b->args;
    struct sl_broadcast_at at = {0};
    for (bool more = true; more; more = sl_broadcast_next(&b->plan, &at)) {
        args.b = b->args.b + at.b;
        args.a = b->args.a + at.a;
        b->kernel->run(&args);
        args.out += args.count;
    }
}

int sl_step_binary_qs8(struct sl_step *step, uint32_t isa, int op,
                       const struct sl_broadcast_plan *plan, const struct sl_quant quants[3])
{
    struct sl_binary_qs8_plan scales;
    const struct sl_quant_scale a = {quants[0].scale, quants[0].zero_point};
    const struct sl_quant_scale b = {quants[1].scale, quants[1].zero_point};
    if (sl_binary_qs8_prepare(op, a, b, quants[2].scale, &scales) != 0)
        return SL_ET_INVALID_PROGRAM;
    const struct sl_binary_qs8 *kernel = sl_binary_qs8_select(isa, op);
    *step = (struct sl_step){
        .run = run_binary,
        .axis = axis_binary,
        .kernel = kernel->name,
        .kind = SL_STEP_BINARY,
        .places = {.a = SL_STEP_AT(quant.binary.args.a),
                   .b = SL_STEP_AT(quant.binary.args.b),
                   .out = SL_STEP_AT(quant.binary.args.out)},
        .quant.binary = {kernel,
                         {.count = plan->count,
                          .a_step = plan->a_step,
                          .b_step = plan->b_step,
                          .plan = scales,
                          .out_quant = {(int8_t)quants[2].zero_point, -128, 127}},
                         *plan},
    };
    return 0;
}

static bool axis_mean(struct sl_step *step, uint32_t crew, struct sl_step_axis *out)
{
    struct sl_mean_qs8_args *a = &step->quant.mean.args;
    (void)crew;
    if (a->inner == 0)
        return false;
    sl_axis_of_rows(&a->outer, a->out, a->inner, (uint64_t)a->reduced * a->inner * SL_WORK_ELEMENT,
                    out);
    sl_axis_move(out, &a->in, a->reduced * a->inner);
    sl_axis_move(out, &a->out, a->inner);
    out->workspace_bytes = step->workspace_bytes;
    return true;
}

static void run_mean(const struct sl_step *step)
{
    step->quant.mean.kernel->run(&step->quant.mean.args);
}

int sl_step_mean_qs8(struct sl_step *step, uint32_t isa, size_t outer, size_t reduced, size_t inner,
                     const struct sl_quant quants[2])
{
    const struct sl_mean_qs8 *kernel = sl_mean_qs8_select(isa);
    const float ratio = quants[0].scale / quants[1].scale;
    if (reduced == 0 || reduced >= (size_t)1 << 24)
        return SL_ET_INVALID_ARGUMENT;
    if (!(ratio < 0x1p64f)) /* sums times it stay finite, and so their differences numbers */
        return SL_ET_INVALID_PROGRAM;
    *step = (struct sl_step){
        .run = run_mean,
        .axis = axis_mean,
        .kernel = kernel->name,
        .kind = SL_STEP_REDUCE,
        .places = {.a = SL_STEP_AT(quant.mean.args.in),
                   .out = SL_STEP_AT(quant.mean.args.out),
                   .workspace = SL_STEP_AT(quant.mean.args.workspace)},
        .workspace_bytes = kernel->workspace_bytes(inner),
        .quant.mean = {kernel,
                       {.outer = outer,
                        .reduced = reduced,
                        .inner = inner,
                        .scale = ratio * (1.0f / (float)reduced),
                        .in_zero = (int8_t)quants[0].zero_point,
                        .out_quant = {(int8_t)quants[1].zero_point, -128, 127}}},
    };
    return 0;
}

static bool axis_unary(struct sl_step *step, uint32_t crew, struct sl_step_axis *out)
{
    struct sl_unary_qs8_args *a = &step->quant.unary.args;
    (void)crew;
    sl_axis_of_elements(&a->count, a->out, sizeof(*a->out), SL_WORK_ELEMENT, out);
    sl_axis_move(out, &a->in, sizeof(*a->in));
    sl_axis_move(out, &a->out, sizeof(*a->out));
    return true;
}

static void run_unary(const struct sl_step *step)
{
    struct sl_unary_qs8_args args = step->quant.unary.args;
    args.table = step->quant.unary.table;
    step->quant.unary.kernel->run(&args);
}

static void set_unary(struct sl_step *step, uint32_t isa, int op,
                      const struct sl_unary_qs8_args *args)
{
    const struct sl_unary_qs8 *kernel = sl_unary_qs8_select(isa, op);
    *step = (struct sl_step){
        .run = run_unary,
        .axis = axis_unary,
        .kernel = kernel->name,
        .kind = SL_STEP_UNARY,
        .places = {.a = SL_STEP_AT(quant.unary.args.in), .out = SL_STEP_AT(quant.unary.args.out)},
        .quant.unary = {kernel, *args, {0}},
    };
}

void sl_step_clamp_qs8(struct sl_step *step, uint32_t isa, size_t count, int8_t min, int8_t max)
{
    set_unary(step, isa, SL_UNARY_QS8_CLAMP,
              &(struct sl_unary_qs8_args){.count = count, .min = min, .max = max});
}

void sl_step_table_qs8(struct sl_step *step, uint32_t isa, size_t count)
{
    set_unary(step, isa, SL_UNARY_QS8_TABLE, &(struct sl_unary_qs8_args){.count = count});
}
