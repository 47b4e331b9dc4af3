/* agent/runtime/step_deconv_typed.h: transposed convolutions, for the elements that the including
 * file names. Where every output pixel has one tap, a product gives the results, and rows of them
 * are put where they belong; else they are plain convolutions (kernels/conv/deconv_phase.h). */

static void run_product(const struct SL_OF(sl_matmul, ) * gemm,
                        const struct SL_OF(sl_matmul, _args) * whole)
{
    struct SL_OF(sl_matmul, _args) args = *whole;
    if (!gemm->gemv) {
        gemm->run(&args);
        return;
    }
    args.m = 1;
    for (size_t i = 0; i < whole->m; i++) {
        gemm->run(&args);
        args.lhs += args.lhs_stride;
        args.dst += args.dst_stride;
    }
}

/* Patches of an image, [in_h][in_w][kernel_h][run], become its output rows. */
static void spread_patches(const struct SL_OF(sl_deconv, ) * d, const SL_FLOAT *patches,
                           SL_FLOAT *out)
{
    size_t run = d->run, patch = d->kernel_h * run;
    for (size_t y = 0; y < d->in_h; y++, patches += d->in_w * patch)
        for (size_t ky = 0; ky < d->kernel_h; ky++)
            for (size_t x = 0; x < d->in_w; x++, out += run)
                memcpy(out, patches + x * patch + ky * run, run * sizeof(SL_FLOAT));
}

static void run_apart(const struct sl_step *step)
{
    const struct SL_OF(sl_deconv, ) *d = &step->SL_PART.deconv;
    struct SL_OF(sl_matmul, _args) args = d->args;
    SL_FLOAT *out = d->out;
    args.m = d->in_h * d->in_w; /* of a part */
    for (size_t image = 0; image < d->batch; image++) {
        run_product(d->gemm, &args);
        spread_patches(d, args.dst, out);
        args.lhs += args.m * args.k;
        out += args.m * args.n;
    }
}

static size_t rounded(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

/* Whether every output pixel is one tap's, in order. */
static bool is_apart(const struct sl_conv_shape *s)
{
    return s->groups == 1 && s->dilation_h == 1 && s->dilation_w == 1 &&
           s->stride_h == s->kernel_h && s->stride_w == s->kernel_w && s->pad_top == 0 &&
           s->pad_left == 0 && s->out_h == s->in_h * s->kernel_h &&
           s->out_w == s->in_w * s->kernel_w;
}

static uint64_t deconv_form(int kind, const struct sl_constants *constants,
                            const struct sl_conv_shape *s)
{
    return sl_weights_form((uint64_t)kind | (uint64_t)constants->planar << 32, s, sizeof(*s));
}

/* Planar weights are [groups][ic][oc][taps]; packing takes [groups][oc][taps][ic]. */
static int turn_deconv(const struct sl_conv_shape *s, const struct sl_constants *constants,
                       struct sl_taken *taken)
{
    static const size_t perm[4] = {0, 2, 3, 1};
    const size_t dims[4] = {s->groups, s->group_in_c, s->group_out_c, s->kernel_h * s->kernel_w};
    return constants->planar ? sl_constants_turn(constants, sizeof(SL_FLOAT), dims, perm, taken)
                             : 0;
}

/* Packs the weights with their taps outermost, so that patches are runs of channels; the bias, or
 * NULL, is added to every tap. */
static int pack_apart(const struct SL_OF(sl_matmul, ) * kernel, const struct sl_conv_shape *s,
                      const struct sl_constants *constants, const struct sl_taken *taken,
                      void *packed)
{
    const SL_FLOAT *weights = taken->weights, *bias = taken->bias;
    size_t taps = s->kernel_h * s->kernel_w, oc = s->group_out_c, ic = s->group_in_c;
    size_t bytes = taps * oc * (ic + 1) * sizeof(SL_FLOAT);
    SL_FLOAT *turned = sl_budget_alloc(constants->budget, bytes);
    if (!turned)
        return SL_ET_MEMORY_ALLOCATION_FAILED;
    SL_FLOAT *biases = turned + taps * oc * ic;
    for (size_t o = 0; o < oc; o++)
        for (size_t t = 0; t < taps; t++)
            memcpy(turned + (t * oc + o) * ic, weights + (o * taps + t) * ic,
                   ic * sizeof(SL_FLOAT));
    for (size_t t = 0; bias && t < taps; t++)
        memcpy(biases + t * oc, bias, oc * sizeof(SL_FLOAT));
    kernel->pack_rhs(taps * oc, ic, turned, false, bias ? biases : NULL, packed);
    sl_budget_free(constants->budget, turned, bytes);
    return 0;
}

/* XNNPACK multiplies row by row here, which shows in sums of halves; those in f32 do not. */
static const struct SL_OF(sl_matmul, ) *
    apart_kernel(const struct sl_weights *weights, uint32_t isa, size_t m)
{
    const struct SL_OF(sl_matmul, ) *kernel = weights->kernel;
    if (SL_FLOAT_TYPE == SL_STEP_F16 && (isa & SL_ISA_SME2) == 0)
        return SL_OF(sl_matmul, _select)(isa, 1);
    return kernel && (!kernel->gemv || m <= 1) ? kernel : SL_OF(sl_matmul, _select)(isa, m);
}

/* The patches come first in the workspace. */
static void place_apart(struct sl_step *step, void *workspace)
{
    struct SL_OF(sl_matmul, _args) *args = &step->SL_PART.deconv.args;
    args->dst = workspace;
    args->workspace = (uint8_t *)workspace + rounded(args->m * args->n * sizeof(SL_FLOAT));
}

static void bind_apart(struct sl_step *step, const struct sl_step_operands *o)
{
    step->SL_PART.deconv.args.lhs = o->a;
    step->SL_PART.deconv.out = o->out;
    place_apart(step, o->workspace);
}

/* Each row of the input makes rows of the output that no other does. */
static bool axis_apart(struct sl_step *step, uint32_t crew, struct sl_step_axis *out)
{
    struct SL_OF(sl_deconv, ) *d = &step->SL_PART.deconv;
    size_t row = d->in_w * d->args.n * sizeof(SL_FLOAT);
    (void)crew;
    if (d->batch != 1)
        return false;
    sl_axis_of_rows(&d->in_h, d->out, row, (uint64_t)d->in_w * d->args.n * d->args.k, out);
    sl_axis_move(out, &d->args.lhs, d->in_w * d->args.k * sizeof(SL_FLOAT));
    sl_axis_move(out, &d->out, row);
    out->workspace_bytes = step->workspace_bytes;
    out->set_workspace = place_apart;
    return true;
}

static int step_apart(struct sl_step *step, uint32_t isa, const struct sl_conv_shape *s,
                      const struct sl_constants *constants, struct sl_weights *weights)
{
    size_t m = s->in_h * s->in_w, k = s->group_in_c, n = s->kernel_h * s->kernel_w * s->group_out_c;
    const struct SL_OF(sl_matmul, ) *kernel = apart_kernel(weights, isa, m);
    struct sl_taken taken;
    int rc = settle(weights, kernel, kernel->rhs_bytes(n, k), constants,
                    deconv_form(SL_STEP_BATCH_GEMM, constants, s), n * k, s->group_out_c, &taken);
    if (rc == 0 && taken.weights)
        rc = turn_deconv(s, constants, &taken);
    if (rc == 0 && taken.weights)
        rc = pack_apart(kernel, s, constants, &taken, weights->packed);
    sl_constants_drop(constants, &taken);
    if (rc != 0) {
        sl_weights_fail(weights);
        return rc;
    }
    *step = (struct sl_step){
        .run = run_apart,
        .axis = axis_apart,
        .kernel = kernel->name,
        .kind = SL_STEP_DECONV,
        .workspace_bytes = rounded(m * n * sizeof(SL_FLOAT)) + kernel->workspace_bytes(m, n, k),
        .bind = bind_apart,
        .places = {.min = SL_AT(deconv.args.min), .max = SL_AT(deconv.args.max)},
        .SL_PART.deconv = {.gemm = kernel,
                           .args = {.m = m,
                                    .n = n,
                                    .k = k,
                                    .lhs_stride = k,
                                    .rhs = weights->packed,
                                    .dst_stride = n},
                           .batch = s->batch,
                           .in_h = s->in_h,
                           .in_w = s->in_w,
                           .kernel_h = s->kernel_h,
                           .run = s->kernel_w * s->group_out_c},
    };
    sl_step_set_clamp(step, -INFINITY, INFINITY);
    return 0;
}

static void run_phases(const struct sl_step *step)
{
    SL_OF(sl_deconv, _run)(step->SL_PART.conv.kernel, &step->SL_PART.conv.args);
}

static int pack_phases(const struct SL_OF(sl_conv, ) * kernel, const struct sl_conv_shape *s,
                       const struct sl_constants *constants, const struct sl_taken *taken,
                       size_t count, void *packed)
{
    SL_FLOAT *scratch = sl_budget_alloc(constants->budget, count * sizeof(SL_FLOAT));
    if (!scratch)
        return SL_ET_MEMORY_ALLOCATION_FAILED;
    SL_OF(sl_deconv, _pack)(kernel, s, taken->weights, taken->bias, packed, scratch);
    sl_budget_free(constants->budget, scratch, count * sizeof(SL_FLOAT));
    return 0;
}

int SL_OF(sl_step_deconv, )(struct sl_step *step, uint32_t isa, const struct sl_conv_shape *shape,
                            const struct sl_constants *constants, struct sl_weights *weights)
{
    if (!sl_deconv_ok(shape))
        return SL_ET_INVALID_ARGUMENT;
    if (is_apart(shape))
        return step_apart(step, isa, shape, constants, weights);
    const struct SL_OF(sl_conv, ) *kernel = weights->kernel;
    if (!kernel)
        kernel = SL_OF(sl_conv, _select)(isa, shape);
    struct sl_taken taken;
    size_t channels = shape->groups * shape->group_out_c;
    size_t count = channels * shape->kernel_h * shape->kernel_w * shape->group_in_c;
    int rc = settle(weights, kernel, SL_OF(sl_deconv, _bytes)(kernel, shape), constants,
                    deconv_form(SL_STEP_DECONV, constants, shape), count, channels, &taken);
    if (rc == 0 && taken.weights)
        rc = turn_deconv(shape, constants, &taken);
    if (rc == 0 && taken.weights)
        rc = pack_phases(kernel, shape, constants, &taken, count, weights->packed);
    sl_constants_drop(constants, &taken);
    if (rc != 0) {
        sl_weights_fail(weights);
        return rc;
    }
    *step = (struct sl_step){
        .run = run_phases,
        .kernel = kernel->name,
        .kind = SL_STEP_DECONV,
        .workspace_bytes = SL_OF(sl_deconv, _workspace_bytes)(kernel, shape),
        .places = SL_PLACES(conv, in, weights, out),
        .SL_PART.conv = {kernel, {.shape = *shape, .weights = weights->packed}},
    };
    sl_step_set_clamp(step, -INFINITY, INFINITY);
    return 0;
}
