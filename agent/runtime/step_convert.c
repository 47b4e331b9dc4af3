/* agent/runtime/step_convert.c: conversions between types. */
#include <stddef.h>

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
