/* agent/runtime/step_element_typed.h: elementwise steps, reductions and pooling, for the elements
 * that the including file names. */
static void run_binary(const struct sl_step *step)
{
    step->SL_PART.binary.kernel->run(&step->SL_PART.binary.args);
}

/* How often a row is repeated that many short rows meet again and again, so that a call takes
 * several of them; 1: the operands are not such. */
static size_t row_repeats(const struct SL_OF(sl_broadcast, ) * b)
{
    const struct sl_broadcast_plan *plan = &b->plan;
    size_t count = b->args.count, most = plan->dims[0] / SL_STEP_REPEAT_ROWS;
    size_t room = SL_STEP_REPEAT_ELEMENTS / count;
    bool second = plan->b_strides[0] == 0 && plan->a_strides[0] == count;
    bool first = plan->a_strides[0] == 0 && plan->b_strides[0] == count;
    bool fits = plan->rank == 1 && b->args.a_step == 1 && b->args.b_step == 1 && (first || second);
    most = most < room ? most : room;
    return fits && most > 1 ? most : 1;
}

static void run_together(const struct sl_step *step, size_t times)
{
    const struct SL_OF(sl_broadcast, ) *b = &step->SL_PART.binary;
    struct SL_OF(sl_binary, _args) args = b->args;
    size_t count = args.count, left = b->plan.dims[0];
    bool second = b->plan.b_strides[0] == 0;
    const SL_FLOAT *row = second ? args.b : args.a;
    SL_FLOAT rows[SL_STEP_REPEAT_ELEMENTS];
    for (size_t i = 0; i < times; i++)
        memcpy(rows + i * count, row, count * sizeof(*row));
    if (second)
        args.b = rows;
    else
        args.a = rows;
    for (size_t some; left > 0; left -= some, args.out += args.count) {
        some = left < times ? left : times;
        args.count = some * count;
        b->kernel->run(&args);
        if (second)
            args.a += args.count;
        else
            args.b += args.count;
    }
}

static void run_broadcast(const struct sl_step *step)
{
    const struct SL_OF(sl_broadcast, ) *b = &step->SL_PART.binary;
    struct SL_OF(sl_binary, _args) args = b->args;
    struct sl_broadcast_at at = {0};
    size_t times = row_repeats(b);
    if (times > 1) {
        run_together(step, times);
        return;
    }
    do {
        args.a = b->args.a + at.a;
        args.b = b->args.b + at.b;
        b->kernel->run(&args);
        args.out += args.count;
    } while (sl_broadcast_next(&b->plan, &at));
}

int SL_OF(sl_step_binary, )(struct sl_step *step, uint32_t isa, int op, size_t a_rank,
                            const size_t *a_dims, size_t b_rank, const size_t *b_dims,
                            size_t out_rank, const size_t *out_dims)
{
    const struct SL_OF(sl_binary, ) *kernel = SL_OF(sl_binary, _select)(isa, op);
    struct sl_broadcast_plan plan;
    if (!sl_broadcast_of(a_rank, a_dims, b_rank, b_dims, out_rank, out_dims, &plan)) {
        sl_step_none(step);
        return 0;
    }
    *step = (struct sl_step){
        .run = plan.rank == 0 ? run_binary : run_broadcast,
        .axis = axis_binary,
        .kernel = kernel->name,
        .kind = SL_STEP_BINARY,
        .places = {.a = SL_AT(binary.args.a),
                   .b = SL_AT(binary.args.b),
                   .out = SL_AT(binary.args.out),
                   .min = SL_AT(binary.args.min),
                   .max = SL_AT(binary.args.max)},
        .SL_PART.binary = {kernel,
                           {.count = plan.count, .a_step = plan.a_step, .b_step = plan.b_step},
                           plan},
    };
    sl_step_set_clamp(step, -INFINITY, INFINITY);
    return 0;
}

static void run_unary(const struct sl_step *step)
{
    step->SL_PART.unary.kernel->run(step->SL_PART.unary.count, step->SL_PART.unary.in,
                                    step->SL_PART.unary.out, step->SL_PART.unary.a,
                                    step->SL_PART.unary.b);
}

void SL_OF(sl_step_unary, )(struct sl_step *step, uint32_t isa, int op, size_t count, float a,
                            float b)
{
    const struct SL_OF(sl_unary, ) *kernel = SL_OF(sl_unary, _select)(isa, op);
    *step = (struct sl_step){
        .run = run_unary,
        .axis = axis_unary,
        .kernel = kernel->name,
        .kind = SL_STEP_UNARY,
        .places = {.a = SL_AT(unary.in), .out = SL_AT(unary.out)},
        .SL_PART.unary = {.kernel = kernel, .count = count, .a = a, .b = b},
    };
}

static void run_reduce(const struct sl_step *step)
{
    step->SL_PART.reduce.kernel->run(&step->SL_PART.reduce.args);
}

void SL_OF(sl_step_reduce, )(struct sl_step *step, uint32_t isa, int op, size_t outer,
                             size_t reduced, size_t inner)
{
    const struct SL_OF(sl_reduce, ) *kernel = SL_OF(sl_reduce, _select)(isa, op);
    *step = (struct sl_step){
        .run = run_reduce,
        .axis = axis_reduce,
        .kernel = kernel->name,
        .kind = SL_STEP_REDUCE,
        .places = {.a = SL_AT(reduce.args.in), .out = SL_AT(reduce.args.out)},
        .SL_PART.reduce = {kernel, {.outer = outer, .reduced = reduced, .inner = inner}},
    };
    step->SL_PART.reduce.args.scale = reduced != 0 ? 1.0f / (float)reduced : __builtin_nanf("");
}

static void run_pool(const struct sl_step *step)
{
    step->SL_PART.pool.kernel->run(&step->SL_PART.pool.args);
}

int SL_OF(sl_step_pool, )(struct sl_step *step, uint32_t isa, const struct sl_pool_args *shape)
{
    if (!sl_pool_ok(shape))
        return SL_ET_INVALID_ARGUMENT;
    const struct SL_OF(sl_pool, ) *kernel = SL_OF(sl_pool, _select)(isa, shape->op);
    *step = (struct sl_step){
        .run = run_pool,
        .axis = axis_pool,
        .kernel = kernel->name,
        .kind = SL_STEP_POOL,
        .places = {.a = SL_AT(pool.args.in),
                   .out = SL_AT(pool.args.out),
                   .min = SL_AT(pool.args.min),
                   .max = SL_AT(pool.args.max)},
        .SL_PART.pool = {kernel, {.op = shape->op, SL_POOL_WINDOW(shape)}},
    };
    sl_step_set_clamp(step, -INFINITY, INFINITY);
    return 0;
}
