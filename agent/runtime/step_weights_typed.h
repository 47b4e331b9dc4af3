/* agent/runtime/step_weights_typed.h: matrix products and convolutions with packed weights, for the
 * elements that the including file names. */

/* Settles on a kernel; where its weights are to be packed, taken->weights has them. */
static int settle(struct sl_weights *weights, const void *kernel, size_t bytes,
                  const struct sl_constants *of, uint64_t form, size_t count, size_t biases,
                  struct sl_taken *taken)
{
    struct sl_constants constants = *of;
    constants.form = form;
    *taken = (struct sl_taken){0};
    int pack = sl_weights_settle(weights, kernel, bytes, &constants);
    int rc = pack < 0 ? SL_ET_MEMORY_ALLOCATION_FAILED : 0;
    if (pack > 0)
        rc = sl_constants_take(&constants, SL_FLOAT_TYPE, count, biases, taken);
    if (rc != 0)
        sl_weights_fail(weights);
    return rc;
}

static void run_gemm(const struct sl_step *step)
{
    step->SL_PART.gemm.kernel->run(&step->SL_PART.gemm.args);
}

int SL_OF(sl_step_gemm, )(struct sl_step *step, uint32_t isa, size_t m, size_t n, size_t k,
                          bool transposed, const struct sl_constants *constants,
                          struct sl_weights *weights)
{
    size_t lhs[] = {m, k}, rhs[] = {n, k}, dst[] = {m, n};
    if (!sl_product_ok(lhs, 2) || !sl_product_ok(rhs, 2) || !sl_product_ok(dst, 2))
        return SL_ET_INVALID_ARGUMENT;
    const struct SL_OF(sl_matmul, ) *kernel = weights->kernel;
    if (!kernel || (kernel->gemv && m > 1))
        kernel = SL_OF(sl_matmul, _select)(isa, m);
    struct sl_taken taken;
    const size_t sizes[] = {n, k, transposed};
    int rc = settle(weights, kernel, kernel->rhs_bytes(n, k), constants,
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
        .places = SL_PLACES(gemm, lhs, rhs, dst),
        .SL_PART.gemm =
            {kernel,
             {.m = m, .n = n, .k = k, .lhs_stride = k, .rhs = weights->packed, .dst_stride = n}},
    };
    sl_step_set_clamp(step, -INFINITY, INFINITY);
    return 0;
}

static void run_conv(const struct sl_step *step)
{
    step->SL_PART.conv.kernel->run(&step->SL_PART.conv.args);
}

/* By way of other memory: halves are gathered before they are widened, or panels are turned. */
static int pack_twice(const struct SL_OF(sl_conv, ) * kernel, const struct sl_conv_shape *s,
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
static int pack_conv(const struct SL_OF(sl_conv, ) * kernel, const struct sl_conv_shape *s,
                     const struct sl_constants *constants, struct sl_taken *taken, void *packed)
{
    static const size_t perm[4] = {0, 1, 3, 2};
    size_t taps = s->kernel_h * s->kernel_w;
    bool turns = constants->planar && taps > 1 && s->group_in_c > 1;
    if (constants->as_is || (turns && kernel->turn_packed))
        return pack_twice(kernel, s, constants, taken, packed);
    const size_t dims[4] = {1, s->groups * s->group_out_c, s->group_in_c, taps};
    int rc = turns ? sl_constants_turn(constants, sizeof(SL_FLOAT), dims, perm, taken) : 0;
    if (rc == 0)
        kernel->pack_weights(s, taken->weights, taken->bias, packed);
    return rc;
}

int SL_OF(sl_step_conv, )(struct sl_step *step, uint32_t isa, const struct sl_conv_shape *shape,
                          const struct sl_constants *of, struct sl_weights *weights)
{
    if (!sl_conv_ok(shape))
        return SL_ET_INVALID_ARGUMENT;
    const struct SL_OF(sl_conv, ) *kernel = weights->kernel;
    if (!kernel || (kernel->fits && !kernel->fits(shape)))
        kernel = SL_OF(sl_conv, _select)(isa, shape);
    struct sl_taken taken;
    struct sl_constants constants = *of;
    constants.as_is = kernel->pack_halves && of->weights_type == SL_STEP_F16;
    size_t channels = shape->groups * shape->group_out_c;
    size_t count = channels * shape->kernel_h * shape->kernel_w * shape->group_in_c;
    int rc =
        settle(weights, kernel, kernel->weights_bytes(shape), &constants,
               sl_weights_form(SL_STEP_CONV | (uint64_t)of->planar << 32, shape, sizeof(*shape)),
               count, channels, &taken);
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
        .places = SL_PLACES(conv, in, weights, out),
        .SL_PART.conv = {kernel, {.shape = *shape, .weights = weights->packed}},
    };
    sl_step_set_clamp(step, -INFINITY, INFINITY);
    return 0;
}

static void run_depthwise(const struct sl_step *step)
{
    step->SL_PART.depthwise.kernel->run(&step->SL_PART.depthwise.args);
}

/* With a multiplier every input is repeated; then it is a convolution without. */
static void run_repeated(const struct sl_step *step)
{
    struct SL_OF(sl_depthwise, _args) args = step->SL_PART.depthwise.args;
    const struct sl_step_repeat *repeat = &step->SL_PART.depthwise.repeat;
    const struct sl_depthwise_shape *s = &args.shape;
    size_t count = s->batch * s->in_h * s->in_w * s->channels;
    SL_FLOAT *wide = args.workspace;
    repeat->kernel->run(count / repeat->times, sizeof(SL_FLOAT), repeat->times, args.in, wide);
    args.in = wide;
    args.workspace = (uint8_t *)args.workspace + sl_repeated_bytes(s, sizeof(SL_FLOAT));
    step->SL_PART.depthwise.kernel->run(&args);
}

/* Planar weights are [channels][taps]. */
static int pack_depthwise(const struct SL_OF(sl_depthwise, ) * kernel,
                          const struct sl_depthwise_shape *s, const struct sl_constants *constants,
                          struct sl_taken *taken, void *packed)
{
    static const size_t perm[4] = {0, 1, 3, 2};
    const size_t dims[4] = {1, 1, s->channels, s->kernel_h * s->kernel_w};
    int rc =
        constants->planar ? sl_constants_turn(constants, sizeof(SL_FLOAT), dims, perm, taken) : 0;
    if (rc == 0)
        kernel->pack_weights(s, taken->weights, taken->bias, packed);
    return rc;
}

int SL_OF(sl_step_depthwise, )(struct sl_step *step, uint32_t isa,
                               const struct sl_depthwise_shape *serialized,
                               const struct sl_constants *constants, struct sl_weights *weights)
{
    if (!sl_depthwise_ok(serialized))
        return SL_ET_INVALID_ARGUMENT;
    const struct sl_depthwise_shape wide = sl_depthwise_widen(serialized), *shape = &wide;
    const struct SL_OF(sl_depthwise, ) *kernel = weights->kernel;
    if (!kernel || (kernel->fits && !kernel->fits(shape)))
        kernel = SL_OF(sl_depthwise, _select)(isa, shape);
    struct sl_taken taken;
    size_t channels = shape->channels, times = serialized->multiplier;
    size_t count = channels * shape->kernel_h * shape->kernel_w;
    int rc = settle(weights, kernel, kernel->weights_bytes(shape), constants,
                    sl_weights_form(SL_STEP_DEPTHWISE | (uint64_t)constants->planar << 32, shape,
                                    sizeof(*shape)),
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
        .places = SL_PLACES(depthwise, in, weights, out),
        .SL_PART.depthwise = {kernel,
                              {.shape = *shape, .weights = weights->packed},
                              {sl_repeat_select(isa), times}},
    };
    if (times > 1)
        step->workspace_bytes += sl_repeated_bytes(shape, sizeof(SL_FLOAT));
    sl_step_set_clamp(step, -INFINITY, INFINITY);
    return 0;
}

static void run_pack(const struct sl_step *step)
{
    const struct SL_OF(sl_pack, ) *p = &step->SL_PART.pack;
    if (p->gemm)
        p->gemm->pack_rhs(p->n, p->k, p->weights, p->transposed, p->bias, p->packed);
    else if (p->conv)
        p->conv->pack_weights(&p->conv_shape, p->weights, p->bias, p->packed);
    else
        p->depthwise->pack_weights(&p->depthwise_shape, p->weights, p->bias, p->packed);
}

void SL_OF(sl_step_pack, )(struct sl_step *step, const struct sl_step *of, bool transposed,
                           size_t *out_bytes)
{
    *step = (struct sl_step){
        .run = run_pack,
        .kernel = of->kernel,
        .kind = SL_STEP_PACK,
        .places = {.a = SL_AT(pack.weights), .b = SL_AT(pack.bias), .out = SL_AT(pack.packed)},
    };
    struct SL_OF(sl_pack, ) *p = &step->SL_PART.pack;
    p->transposed = transposed;
    if (of->kind == SL_STEP_GEMM) {
        p->gemm = of->SL_PART.gemm.kernel;
        p->n = of->SL_PART.gemm.args.n;
        p->k = of->SL_PART.gemm.args.k;
        *out_bytes = p->gemm->rhs_bytes(p->n, p->k);
    } else if (of->kind == SL_STEP_CONV) {
        p->conv = of->SL_PART.conv.kernel;
        p->conv_shape = of->SL_PART.conv.args.shape;
        *out_bytes = p->conv->weights_bytes(&p->conv_shape);
    } else {
        p->depthwise = of->SL_PART.depthwise.kernel;
        p->depthwise_shape = of->SL_PART.depthwise.args.shape;
        *out_bytes = p->depthwise->weights_bytes(&p->depthwise_shape);
    }
}
