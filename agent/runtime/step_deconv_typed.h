/* agent/runtime/step_deconv_typed.h: transposed convolutions as products and a sum, for the
 * elements that the including file names. Where every output pixel has one tap, the products are
 * the results, and rows of them are put where they belong. */

/* Patches of one image, biases and clamp in them, become its output rows. */
static void spread_patches(const struct SL_OF(sl_fold, _args) * fold, const SL_FLOAT *patches,
                           SL_FLOAT *out)
{
    size_t run = fold->kernel_w * fold->group_out_c, patch = fold->kernel_h * run;
    for (size_t y = 0; y < fold->in_h; y++, patches += fold->in_w * patch)
        for (size_t ky = 0; ky < fold->kernel_h; ky++)
            for (size_t x = 0; x < fold->in_w; x++, out += run)
                memcpy(out, patches + x * patch + ky * run, run * sizeof(SL_FLOAT));
}

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

static void run_deconv(const struct sl_step *step)
{
    const struct SL_OF(sl_deconv, ) *d = &step->SL_PART.deconv;
    struct SL_OF(sl_matmul, _args) args = d->args;
    struct SL_OF(sl_fold, _args) fold = d->fold_args;
    size_t columns = args.n, groups = fold.groups;
    fold.out = d->out;
    if (d->apart) {
        args.min = fold.min;
        args.max = fold.max;
    }
    for (size_t image = 0; image < d->batch; image++) {
        for (size_t g = 0; g < groups; g++) {
            args.lhs = d->in + image * args.m * args.lhs_stride + g * args.k;
            args.rhs = (const uint8_t *)d->packed + g * d->group_bytes;
            args.dst = d->args.dst + g * columns;
            run_product(d->gemm, &args);
        }
        if (d->apart)
            spread_patches(&fold, fold.patches, fold.out);
        else
            d->fold->run(&fold);
        fold.out += fold.out_h * fold.out_w * groups * fold.group_out_c;
    }
}

static size_t rounded(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

/* Packs each group with its taps outermost, so that patches are runs of channels; `bias`, of all
 * groups or NULL, is added to every tap. */
static int pack_groups(const struct SL_OF(sl_matmul, ) * kernel, const struct sl_conv_shape *s,
                       const struct sl_constants *constants, const SL_FLOAT *weights,
                       const SL_FLOAT *bias, uint8_t *packed, size_t group_bytes)
{
    size_t taps = s->kernel_h * s->kernel_w, oc = s->group_out_c, ic = s->group_in_c;
    size_t bytes = taps * oc * (ic + 1) * sizeof(SL_FLOAT);
    SL_FLOAT *turned = sl_budget_alloc(constants->budget, bytes);
    if (!turned)
        return SL_ET_MEMORY_ALLOCATION_FAILED;
    SL_FLOAT *biases = bias ? turned + taps * oc * ic : NULL;
    for (size_t g = 0; g < s->groups; g++) {
        for (size_t o = 0; o < oc; o++)
            for (size_t t = 0; t < taps; t++)
                memcpy(turned + (t * oc + o) * ic, weights + ((g * oc + o) * taps + t) * ic,
                       ic * sizeof(SL_FLOAT));
        for (size_t t = 0; bias && t < taps; t++)
            memcpy(biases + t * oc, bias + g * oc, oc * sizeof(SL_FLOAT));
        kernel->pack_rhs(taps * oc, ic, turned, false, biases, packed + g * group_bytes);
    }
    sl_budget_free(constants->budget, turned, bytes);
    return 0;
}

/* Whether every output pixel is one tap's, in order. */
static bool is_apart(const struct sl_conv_shape *s)
{
    return s->groups == 1 && s->dilation_h == 1 && s->dilation_w == 1 &&
           s->stride_h == s->kernel_h && s->stride_w == s->kernel_w && s->pad_top == 0 &&
           s->pad_left == 0 && s->out_h == s->in_h * s->kernel_h &&
           s->out_w == s->in_w * s->kernel_w;
}

/* XNNPACK multiplies row by row here, which shows in sums of halves; those in f32 do not. */
static const struct SL_OF(sl_matmul, ) *
    deconv_kernel(const struct sl_weights *weights, uint32_t isa, size_t m, bool apart)
{
    const struct SL_OF(sl_matmul, ) *kernel = weights->kernel;
    bool by_rows = apart && SL_FLOAT_TYPE == SL_STEP_F16 && (isa & SL_ISA_SME2) == 0;
    if (by_rows)
        return SL_OF(sl_matmul, _select)(isa, 1);
    return kernel && (!kernel->gemv || m <= 1) ? kernel : SL_OF(sl_matmul, _select)(isa, m);
}

static void shape_deconv(struct SL_OF(sl_deconv, ) * d, const struct sl_conv_shape *s,
                         size_t columns)
{
    d->args = (struct SL_OF(sl_matmul, _args)){.m = s->in_h * s->in_w,
                                               .n = columns,
                                               .k = s->group_in_c,
                                               .lhs_stride = s->groups * s->group_in_c,
                                               .dst_stride = s->groups * columns,
                                               .min = -INFINITY,
                                               .max = INFINITY};
    d->fold_args = (struct SL_OF(sl_fold, _args)){
        .in_h = s->in_h,
        .in_w = s->in_w,
        .out_h = s->out_h,
        .out_w = s->out_w,
        .groups = s->groups,
        .group_out_c = s->group_out_c,
        .kernel_h = s->kernel_h,
        .kernel_w = s->kernel_w,
        .stride_h = s->stride_h,
        .stride_w = s->stride_w,
        .dilation_h = s->dilation_h,
        .dilation_w = s->dilation_w,
        .pad_top = s->pad_top,
        .pad_left = s->pad_left,
    };
}

/* The patches come first in the workspace. */
static void bind_deconv(struct sl_step *step, const struct sl_step_operands *o)
{
    struct SL_OF(sl_deconv, ) *d = &step->SL_PART.deconv;
    size_t patches = d->args.m * d->args.dst_stride * sizeof(SL_FLOAT);
    d->in = o->a;
    d->out = o->out;
    d->args.dst = o->workspace;
    d->fold_args.patches = o->workspace;
    d->args.workspace = (uint8_t *)o->workspace + rounded(patches);
}

int SL_OF(sl_step_deconv, )(struct sl_step *step, uint32_t isa, const struct sl_conv_shape *shape,
                            const struct sl_constants *constants, struct sl_weights *weights)
{
    if (!sl_deconv_ok(shape))
        return SL_ET_INVALID_ARGUMENT;
    size_t m = shape->in_h * shape->in_w, k = shape->group_in_c;
    size_t n = shape->kernel_h * shape->kernel_w * shape->group_out_c;
    bool apart = is_apart(shape);
    const struct SL_OF(sl_matmul, ) *kernel = deconv_kernel(weights, isa, m, apart);
    size_t group_bytes = rounded(kernel->rhs_bytes(n, k)), bytes;
    size_t channels = shape->groups * shape->group_out_c;
    if (__builtin_mul_overflow(group_bytes, shape->groups, &bytes))
        return SL_ET_INVALID_ARGUMENT;
    struct sl_taken taken;
    int rc = settle(weights, kernel, bytes + channels * sizeof(SL_FLOAT), constants,
                    n * k * shape->groups, channels, &taken);
    if (rc == 0 && taken.weights)
        rc = pack_groups(kernel, shape, constants, taken.weights, apart ? taken.bias : NULL,
                         weights->packed, group_bytes);
    if (rc == 0 && taken.bias)
        memcpy((uint8_t *)weights->packed + bytes, taken.bias, channels * sizeof(SL_FLOAT));
    sl_constants_drop(constants, &taken);
    if (rc != 0) {
        sl_weights_fini(weights);
        return rc;
    }
    size_t patches = rounded(m * n * shape->groups * sizeof(SL_FLOAT));
    *step = (struct sl_step){
        .run = run_deconv,
        .kernel = kernel->name,
        .kind = SL_STEP_DECONV,
        .workspace_bytes = patches + kernel->workspace_bytes(m, n, k),
        .bind = bind_deconv,
        .places = {.min = SL_AT(deconv.fold_args.min), .max = SL_AT(deconv.fold_args.max)},
        .SL_PART.deconv = {.gemm = kernel,
                           .fold = SL_OF(sl_fold, _select)(isa),
                           .batch = shape->batch,
                           .apart = apart,
                           .group_bytes = group_bytes,
                           .packed = weights->packed},
    };
    shape_deconv(&step->SL_PART.deconv, shape, n);
    if (constants->bias)
        step->SL_PART.deconv.fold_args.bias =
            (const SL_FLOAT *)(const void *)((const uint8_t *)weights->packed + bytes);
    sl_step_set_clamp(step, -INFINITY, INFINITY);
    return 0;
}
