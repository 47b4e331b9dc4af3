/* agent/runtime/step_conv.c: convolutions with packed weights, and packing them at run time. */
#include <math.h>
#include <stddef.h>

#include "agent/runtime/budget.h"
#include "agent/runtime/runtime.h"
#include "agent/runtime/step.h"
#include "agent/runtime/step_split.h"

static bool fits_conv(const struct sl_step *step)
{
    const struct sl_conv *kernel = step->conv.kernel;
    return !kernel->fits || kernel->fits(&step->conv.args.shape);
}

static bool axis_conv(struct sl_step *step, uint32_t crew, struct sl_step_axis *out)
{
    const struct sl_conv *kernel = step->conv.kernel;
    struct sl_conv_args *a = &step->conv.args;
    size_t element = sl_element_bytes(kernel->element);
    struct sl_axis_window window = SL_AXIS_CONV(&a->shape, element, &a->in, &a->out);
    window.out_row_bytes = a->out_row * element;
    (void)crew;
    bool can = sl_axis_of_window(&window, out);
    out->workspace_bytes = kernel->workspace_bytes(&a->shape);
    out->fits = fits_conv;
    return can;
}

static bool fits_depthwise(const struct sl_step *step)
{
    const struct sl_depthwise *kernel = step->depthwise.kernel;
    return !kernel->fits || kernel->fits(&step->depthwise.args.shape);
}

static bool axis_depthwise(struct sl_step *step, uint32_t crew, struct sl_step_axis *out)
{
    const struct sl_depthwise *kernel = step->depthwise.kernel;
    struct sl_depthwise_args *a = &step->depthwise.args;
    size_t element = sl_element_bytes(kernel->element), times = step->depthwise.repeat.times;
    const struct sl_axis_window window =
        SL_AXIS_DEPTHWISE(&a->shape, element, times, &a->in, &a->out);
    (void)crew;
    bool can = sl_axis_of_window(&window, out);
    out->workspace_bytes = kernel->workspace_bytes(&a->shape);
    if (times > 1)
        out->workspace_bytes += sl_repeated_bytes(&a->shape, element);
    out->fits = fits_depthwise;
    return can;
}

static void run_conv(const struct sl_step *step)
{
    step->conv.kernel->run(&step->conv.args);
}

/* By way of other memory: halves are gathered before they are widened, or panels are turned. */
static int pack_twice(const struct sl_conv *kernel, const struct sl_conv_shape *s,
                      const struct sl_constants *constants, const struct sl_taken *taken,
                      void *packed)
{
    size_t bytes = kernel->weights_bytes(s);
    void *scratch = sl_budget_alloc(constants->budget, bytes);
    if (!scratch)
        return SL_ET_MEMORY_ALLOCATION_FAILED;
    if (constants->as_is) {
        kernel->pack_halves(s, taken->weights, taken->bias, constants->planar, scratch, packed);
    } else {
        kernel->pack_weights(s, taken->weights, taken->bias, scratch);
        kernel->turn_packed(s, scratch, packed);
    }
    sl_budget_free(constants->budget, scratch, bytes);
    return 0;
}

/* Planar weights are turned, before they are packed or after. */
static int pack_conv(const struct sl_conv *kernel, const struct sl_conv_shape *s,
                     const struct sl_constants *constants, struct sl_taken *taken, void *packed)
{
    static const size_t perm[4] = {0, 1, 3, 2};
    size_t taps = s->kernel_h * s->kernel_w;
    bool turns = constants->planar && taps > 1 && s->group_in_c > 1;
    if (constants->as_is || (turns && kernel->turn_packed))
        return pack_twice(kernel, s, constants, taken, packed);
    const size_t dims[4] = {1, s->groups * s->group_out_c, s->group_in_c, taps};
    int rc =
        turns ? sl_constants_turn(constants, sl_element_bytes(kernel->element), dims, perm, taken)
              : 0;
    if (rc == 0)
        kernel->pack_weights(s, taken->weights, taken->bias, packed);
    return rc;
}

int sl_step_conv(struct sl_step *step, uint32_t isa, int element, const struct sl_conv_shape *shape,
                 const struct sl_constants *of, struct sl_weights *weights)
{
    if (!sl_conv_ok(shape))
        return SL_ET_INVALID_ARGUMENT;
    const struct sl_conv *kernel = weights->kernel;
    if (!kernel || (kernel->fits && !kernel->fits(shape)))
        kernel = sl_conv_select(isa, element, shape);
    struct sl_taken taken;
    struct sl_constants constants = *of;
    constants.as_is = kernel->pack_halves && of->weights_type == SL_F16;
    size_t channels = shape->groups * shape->group_out_c;
    size_t count = channels * shape->kernel_h * shape->kernel_w * shape->group_in_c;
    int rc = sl_weights_take(
        weights, kernel, kernel->weights_bytes(shape), &constants, element,
        sl_weights_form(SL_STEP_CONV | (uint64_t)of->planar << 32, shape, sizeof(*shape)), count,
        channels, &taken);
    if (rc == 0 && taken.weights)
        rc = pack_conv(kernel, shape, &constants, &taken, weights->packed);
    sl_constants_drop(&constants, &taken);
    if (rc != 0) {
        sl_weights_fail(weights);
        return rc;
    }
    *step = (struct sl_step){
        .run = run_conv,
        .axis = axis_conv,
        .kernel = kernel->name,
        .kind = SL_STEP_CONV,
        .workspace_bytes = kernel->workspace_bytes(shape),
        .places = SL_STEP_PLACES(conv, in, weights, out),
        .conv = {kernel, {.shape = *shape, .weights = weights->packed}},
    };
    sl_conv_strides(shape, &step->conv.args.out_pixel, &step->conv.args.out_row);
    step->places.pitch = SL_STEP_AT(conv.args.out_pixel);
    step->places.row = SL_STEP_AT(conv.args.out_row);
    sl_step_set_clamp(step, -INFINITY, INFINITY);
    return 0;
}

static void run_depthwise(const struct sl_step *step)
{
    step->depthwise.kernel->run(&step->depthwise.args);
}

/* With a multiplier every input is repeated; then it is a convolution without. */
static void run_repeated(const struct sl_step *step)
{
    struct sl_depthwise_args args = step->depthwise.args;
    const struct sl_step_repeat *repeat = &step->depthwise.repeat;
    const struct sl_depthwise_shape *s = &args.shape;
    size_t count = s->batch * s->in_h * s->in_w * s->channels;
    size_t element = sl_element_bytes(step->depthwise.kernel->element);
    repeat->kernel->run(count / repeat->times, element, repeat->times, args.in, args.workspace);
    args.in = args.workspace;
    args.workspace = (uint8_t *)args.workspace + sl_repeated_bytes(s, element);
    step->depthwise.kernel->run(&args);
}

/* Planar weights are [channels][taps]. */
static int pack_depthwise(const struct sl_depthwise *kernel, const struct sl_depthwise_shape *s,
                          const struct sl_constants *constants, struct sl_taken *taken,
                          void *packed)
{
    static const size_t perm[4] = {0, 1, 3, 2};
    const size_t dims[4] = {1, 1, s->channels, s->kernel_h * s->kernel_w};
    int rc = constants->planar ? sl_constants_turn(constants, sl_element_bytes(kernel->element),
                                                   dims, perm, taken)
                               : 0;
    if (rc == 0)
        kernel->pack_weights(s, taken->weights, taken->bias, packed);
    return rc;
}

int sl_step_depthwise(struct sl_step *step, uint32_t isa, int element,
                      const struct sl_depthwise_shape *serialized,
                      const struct sl_constants *constants, struct sl_weights *weights)
{
    if (!sl_depthwise_ok(serialized))
        return SL_ET_INVALID_ARGUMENT;
    const struct sl_depthwise_shape wide = sl_depthwise_widen(serialized), *shape = &wide;
    const struct sl_depthwise *kernel = weights->kernel;
    if (!kernel || (kernel->fits && !kernel->fits(shape)))
        kernel = sl_depthwise_select(isa, element, shape);
    struct sl_taken taken;
    size_t channels = shape->channels, times = serialized->multiplier;
    size_t count = channels * shape->kernel_h * shape->kernel_w;
    int rc = sl_weights_take(weights, kernel, kernel->weights_bytes(shape), constants, element,
                             sl_weights_form(SL_STEP_DEPTHWISE | (uint64_t)constants->planar << 32,
                                             shape, sizeof(*shape)),
                             count, channels, &taken);
    if (rc == 0 && taken.weights)
        rc = pack_depthwise(kernel, shape, constants, &taken, weights->packed);
    sl_constants_drop(constants, &taken);
    if (rc != 0) {
        sl_weights_fail(weights);
        return rc;
    }
    *step = (struct sl_step){
        .run = times > 1 ? run_repeated : run_depthwise,
        .axis = axis_depthwise,
        .kernel = kernel->name,
        .kind = SL_STEP_DEPTHWISE,
        .workspace_bytes = kernel->workspace_bytes(shape),
        .places = SL_STEP_PLACES(depthwise, in, weights, out),
        .depthwise = {kernel,
                      {.shape = *shape, .weights = weights->packed},
                      {sl_repeat_select(isa), times}},
    };
    if (times > 1)
        step->workspace_bytes += sl_repeated_bytes(shape, sl_element_bytes(element));
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
    *step = (struct sl_step){
        .run = run_pack,
        .kernel = of->kernel,
        .kind = SL_STEP_PACK,
        .places = {.a = SL_STEP_AT(pack.weights),
                   .b = SL_STEP_AT(pack.bias),
                   .out = SL_STEP_AT(pack.packed)},
    };
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
