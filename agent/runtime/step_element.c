/* agent/runtime/step_element.c: elementwise steps, reductions, pooling and resizing. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "agent/runtime/runtime.h"
#include "agent/runtime/step.h"
#include "agent/runtime/step_split.h"

static bool axis_binary(struct sl_step *step, uint32_t crew, struct sl_step_axis *out)
{
    struct sl_broadcast *b = &step->binary;
    const struct sl_axis_binary binary = SL_AXIS_BINARY(&b->plan, &b->args, b->element_bytes);
    (void)crew;
    sl_axis_of_binary(&binary, out);
    return true;
}

static void run_binary(const struct sl_step *step)
{
    step->binary.kernel->run(&step->binary.args);
}

/* How often a row is repeated that many short rows meet again and again, so that a call takes
 * several of them; 1: the operands are not such. */
static size_t row_repeats(const struct sl_broadcast *b)
{
    const struct sl_broadcast_plan *plan = &b->plan;
    size_t count = b->args.count, most = plan->dims[0] / SL_STEP_REPEAT_ROWS;
    size_t room = SL_STEP_REPEAT_ELEMENTS / count, bytes = count * b->element_bytes;
    bool second = plan->b_strides[0] == 0 && plan->a_strides[0] == bytes;
    bool first = plan->a_strides[0] == 0 && plan->b_strides[0] == bytes;
    bool fits = plan->rank == 1 && b->args.a_step == 1 && b->args.b_step == 1 && (first || second);
    most = most < room ? most : room;
    return fits && most > 1 ? most : 1;
}

static void run_together(const struct sl_step *step, size_t times)
{
    const struct sl_broadcast *b = &step->binary;
    struct sl_binary_args args = b->args;
    size_t count = args.count, bytes = count * b->element_bytes, left = b->plan.dims[0];
    bool second = b->plan.b_strides[0] == 0;
    const void *row = second ? args.b : args.a;
    const void **other = second ? &args.a : &args.b;
    _Alignas(float) uint8_t rows[SL_STEP_REPEAT_ELEMENTS * sizeof(float)];
    for (size_t i = 0; i < times; i++)
        memcpy(rows + i * bytes, row, bytes);
    *(second ? &args.b : &args.a) = rows;
    for (size_t some; left > 0; left -= some) {
        some = left < times ? left : times;
        args.count = some * count;
        b->kernel->run(&args);
        *other = (const uint8_t *)*other + some * bytes;
        args.out = (uint8_t *)args.out + some * bytes;
    }
}

static void run_broadcast(const struct sl_step *step)
{
    const struct sl_broadcast *b = &step->binary;
    struct sl_binary_args args = b->args;
    struct sl_broadcast_at at = {0};
    size_t times = row_repeats(b), bytes = args.count * b->element_bytes;
    if (times > 1) {
        run_together(step, times);
        return;
    }
    do {
        args.a = (const uint8_t *)b->args.a + at.a;
        args.b = (const uint8_t *)b->args.b + at.b;
        b->kernel->run(&args);
        args.out = (uint8_t *)args.out + bytes;
    } while (sl_broadcast_next(&b->plan, &at));
}

int sl_step_binary(struct sl_step *step, uint32_t isa, int element, int op, size_t a_rank,
                   const size_t *a_dims, size_t b_rank, const size_t *b_dims, size_t out_rank,
                   const size_t *out_dims)
{
    const struct sl_binary *kernel = sl_binary_select(isa, element, op);
    size_t bytes = sl_element_bytes(element);
    struct sl_broadcast_plan plan;
    if (!sl_broadcast_of(a_rank, a_dims, b_rank, b_dims, out_rank, out_dims, bytes, &plan)) {
        sl_step_none(step);
        return 0;
    }
    *step = (struct sl_step){
        .run = plan.rank == 0 ? run_binary : run_broadcast,
        .axis = axis_binary,
        .kernel = kernel->name,
        .kind = SL_STEP_BINARY,
        .places = {.a = SL_STEP_AT(binary.args.a),
                   .b = SL_STEP_AT(binary.args.b),
                   .out = SL_STEP_AT(binary.args.out),
                   .min = SL_STEP_AT(binary.args.min),
                   .max = SL_STEP_AT(binary.args.max)},
        .binary = {kernel,
                   {.count = plan.count, .a_step = plan.a_step, .b_step = plan.b_step},
                   plan,
                   bytes},
    };
    sl_step_set_clamp(step, -INFINITY, INFINITY);
    return 0;
}

static bool axis_unary(struct sl_step *step, uint32_t crew, struct sl_step_axis *out)
{
    const struct sl_unary *kernel = step->unary.kernel;
    size_t element = sl_element_bytes(kernel->element);
    (void)crew;
    sl_axis_of_elements(&step->unary.count, step->unary.out, element,
                        kernel->op == SL_UNARY_CLAMP ? SL_WORK_ELEMENT : SL_WORK_FUNCTION, out);
    sl_axis_move(out, &step->unary.in, element);
    sl_axis_move(out, &step->unary.out, element);
    return true;
}

static void run_unary(const struct sl_step *step)
{
    step->unary.kernel->run(step->unary.count, step->unary.in, step->unary.out, step->unary.a,
                            step->unary.b);
}

void sl_step_unary(struct sl_step *step, uint32_t isa, int element, int op, size_t count, float a,
                   float b)
{
    const struct sl_unary *kernel = sl_unary_select(isa, element, op);
    *step = (struct sl_step){
        .run = run_unary,
        .axis = axis_unary,
        .kernel = kernel->name,
        .kind = SL_STEP_UNARY,
        .places = {.a = SL_STEP_AT(unary.in), .out = SL_STEP_AT(unary.out)},
        .unary = {.kernel = kernel, .count = count, .a = a, .b = b},
    };
}

void sl_step_clamp(struct sl_step *step, uint32_t isa, size_t count, float min, float max)
{
    sl_step_unary(step, isa, SL_F32, SL_UNARY_CLAMP, count, min, max);
}

static bool axis_reduce(struct sl_step *step, uint32_t crew, struct sl_step_axis *out)
{
    struct sl_reduce_args *a = &step->reduce.args;
    const struct sl_reduce *kernel = step->reduce.kernel;
    bool folds = sl_reduce_folds(kernel->op);
    size_t element = sl_element_bytes(kernel->element);
    size_t row = a->reduced * a->inner * element, out_row = folds ? a->inner * element : row;
    (void)crew;
    if (row == 0)
        return false;
    sl_axis_of_rows(&a->outer, a->out, out_row,
                    (uint64_t)a->reduced * a->inner * (folds ? SL_WORK_ELEMENT : SL_WORK_FUNCTION),
                    out);
    sl_axis_move(out, &a->in, row);
    sl_axis_move(out, &a->out, out_row);
    if (!folds && a->mean) { /* three outputs that begin with a line: units of all end with one */
        if (((uintptr_t)a->out | (uintptr_t)a->mean | (uintptr_t)a->rstd) % 64 != 0)
            return false;
        while (out->unit * element % 64 != 0)
            out->unit *= 2;
        sl_axis_move(out, &a->mean, element);
        sl_axis_move(out, &a->rstd, element);
    }
    return true;
}

static void run_reduce(const struct sl_step *step)
{
    step->reduce.kernel->run(&step->reduce.args);
}

void sl_step_reduce(struct sl_step *step, uint32_t isa, int element, int op, size_t outer,
                    size_t reduced, size_t inner)
{
    const struct sl_reduce *kernel = sl_reduce_select(isa, element, op);
    *step = (struct sl_step){
        .run = run_reduce,
        .axis = axis_reduce,
        .kernel = kernel->name,
        .kind = SL_STEP_REDUCE,
        .places = {.a = SL_STEP_AT(reduce.args.in), .out = SL_STEP_AT(reduce.args.out)},
        .reduce = {kernel, {.outer = outer, .reduced = reduced, .inner = inner}},
    };
    step->reduce.args.scale = reduced != 0 ? 1.0f / (float)reduced : __builtin_nanf("");
}

static bool axis_pool(struct sl_step *step, uint32_t crew, struct sl_step_axis *out)
{
    struct sl_pool_args *a = &step->pool.args;
    const struct sl_axis_window window =
        SL_AXIS_WINDOW(a, sl_element_bytes(step->pool.kernel->element), &a->in, a->channels,
                       &a->out, a->channels, a->channels * a->kernel_h * a->kernel_w * SL_WORK_TAP);
    (void)crew;
    return sl_axis_of_window(&window, out);
}

static void run_pool(const struct sl_step *step)
{
    step->pool.kernel->run(&step->pool.args);
}

int sl_step_pool(struct sl_step *step, uint32_t isa, int element, const struct sl_pool_args *shape)
{
    if (!sl_pool_ok(shape))
        return SL_ET_INVALID_ARGUMENT;
    const struct sl_pool *kernel = sl_pool_select(isa, element, shape->op);
    *step = (struct sl_step){
        .run = run_pool,
        .axis = axis_pool,
        .kernel = kernel->name,
        .kind = SL_STEP_POOL,
        .places = {.a = SL_STEP_AT(pool.args.in),
                   .out = SL_STEP_AT(pool.args.out),
                   .min = SL_STEP_AT(pool.args.min),
                   .max = SL_STEP_AT(pool.args.max)},
        .pool = {kernel, *shape},
    };
    sl_step_set_clamp(step, -INFINITY, INFINITY);
    return 0;
}

static bool axis_resize(struct sl_step *step, uint32_t crew, struct sl_step_axis *out)
{
    struct sl_resize_args *a = &step->resize.args;
    size_t element = sl_element_bytes(step->resize.kernel->element);
    size_t in = a->in_h * a->in_w * a->channels, to = a->out_h * a->out_w * a->channels;
    (void)crew;
    sl_axis_of_rows(&a->batch, a->out, to * element, (uint64_t)to * SL_WORK_FUNCTION, out);
    sl_axis_move(out, &a->in, in * element);
    sl_axis_move(out, &a->out, to * element);
    return true;
}

static void run_resize(const struct sl_step *step)
{
    step->resize.kernel->run(&step->resize.args);
}

void sl_step_resize(struct sl_step *step, uint32_t isa, int element,
                    const struct sl_resize_args *shape)
{
    const struct sl_resize *kernel = sl_resize_select(isa, element);
    *step = (struct sl_step){
        .run = run_resize,
        .axis = axis_resize,
        .kernel = kernel->name,
        .kind = SL_STEP_RESIZE,
        .places = {.a = SL_STEP_AT(resize.args.in), .out = SL_STEP_AT(resize.args.out)},
        .resize = {kernel, *shape},
    };
}
