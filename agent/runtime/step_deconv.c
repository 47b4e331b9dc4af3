/* agent/runtime/step_deconv.c: transposed convolutions. Where every output pixel has one tap, a
 * product gives the results, and rows of them are put where they belong; else they are plain
 * convolutions (kernels/conv/deconv_phase.h). */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "agent/runtime/budget.h"
#include "agent/runtime/runtime.h"
#include "agent/runtime/step.h"
#include "agent/runtime/step_split.h"
#include "kernels/cpu/isa.h"

static void run_product(const struct sl_matmul *gemm, const struct sl_matmul_args *whole)
{
    struct sl_matmul_args args = *whole;
    if (!gemm->gemv) {
        gemm->run(&args);
        return;
    }
    size_t element = sl_element_bytes(gemm->element);
    args.m = 1;
    for (size_t i = 0; i < whole->m; i++) {
        gemm->run(&args);
        args.lhs = (const uint8_t *)args.lhs + args.lhs_stride * element;
        args.dst = (uint8_t *)args.dst + args.dst_stride * element;
    }
}

/* Patches of an image, [in_h][in_w][kernel_h][run], become its output rows. */
static void spread_patches(const struct sl_deconv *d, const uint8_t *patches, uint8_t *out)
{
    size_t run = d->run * sl_element_bytes(d->gemm->element), patch = d->kernel_h * run;
    for (size_t y = 0; y < d->in_h; y++, patches += d->in_w * patch)
        for (size_t ky = 0; ky < d->kernel_h; ky++)
            for (size_t x = 0; x < d->in_w; x++, out += run)
                memcpy(out, patches + x * patch + ky * run, run);
}

static void run_apart(const struct sl_step *step)
{
    const struct sl_deconv *d = &step->deconv;
    struct sl_matmul_args args = d->args;
    uint8_t *out = d->out;
    size_t element = sl_element_bytes(d->gemm->element);
    args.m = d->in_h * d->in_w; /* of a part */
    for (size_t image = 0; image < d->batch; image++) {
        run_product(d->gemm, &args);
        spread_patches(d, args.dst, out);
        args.lhs = (const uint8_t *)args.lhs + args.m * args.k * element;
        out += args.m * args.n * element;
    }
}

static size_t rounded(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

/* True if every output pixel is one tap's, in order. */
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
static int turn_deconv(const struct sl_conv_shape *s, int element,
                       const struct sl_constants *constants, struct sl_taken *taken)
{
    static const size_t perm[4] = {0, 2, 3, 1};
    const size_t dims[4] = {s->groups, s->group_in_c, s->group_out_c, s->kernel_h * s->kernel_w};
    return constants->planar
               ? sl_constants_turn(constants, sl_element_bytes(element), dims, perm, taken)
               : 0;
}

/* Packs the weights with their taps outermost, so that patches are runs of channels; the bias, or
 * NULL, is added to every tap. */
static int pack_apart(const struct sl_matmul *kernel, const struct sl_conv_shape *s,
                      const struct sl_constants *constants, const struct sl_taken *taken,
                      void *packed)
{
    const uint8_t *weights = taken->weights, *bias = taken->bias;
    size_t element = sl_element_bytes(kernel->element);
    size_t taps = s->kernel_h * s->kernel_w, oc = s->group_out_c, ic = s->group_in_c;
    size_t bytes = taps * oc * (ic + 1) * element, line = ic * element;
    uint8_t *turned = sl_budget_alloc(constants->budget, bytes);
    if (!turned)
        return SL_ET_MEMORY_ALLOCATION_FAILED;
    uint8_t *biases = turned + taps * oc * line;
    for (size_t o = 0; o < oc; o++)
        for (size_t t = 0; t < taps; t++)
            memcpy(turned + (t * oc + o) * line, weights + (o * taps + t) * line, line);
    for (size_t t = 0; bias && t < taps; t++)
        memcpy(biases + t * oc * element, bias, oc * element);
    kernel->pack_rhs(taps * oc, ic, turned, false, bias ? biases : NULL, packed);
    sl_budget_free(constants->budget, turned, bytes);
    return 0;
}

/* XNNPACK multiplies row by row here, which shows in sums of halves; those in f32 do not. */
static const struct sl_matmul *apart_kernel(const struct sl_weights *weights, uint32_t isa,
                                            int element, size_t m, size_t n, size_t k)
{
    const struct sl_matmul *kernel = weights->kernel;
    if (element == SL_F16 && (isa & SL_ISA_SME2) == 0)
        return sl_matmul_select(isa, element, 1, n, k);
    return kernel && (!kernel->gemv || m <= 1) ? kernel : sl_matmul_select(isa, element, m, n, k);
}

/* The patches come first in the workspace. */
static void place_apart(struct sl_step *step, void *workspace)
{
    struct sl_matmul_args *args = &step->deconv.args;
    args->dst = workspace;
    size_t element = sl_element_bytes(step->deconv.gemm->element);
    args->workspace = (uint8_t *)workspace + rounded(args->m * args->n * element);
}

static void bind_apart(struct sl_step *step, const struct sl_step_operands *o)
{
    step->deconv.args.lhs = o->a;
    step->deconv.out = o->out;
    place_apart(step, o->workspace);
}

/* Each row of the input makes rows of the output that no other does. */
static bool axis_apart(struct sl_step *step, uint32_t crew, struct sl_step_axis *out)
{
    struct sl_deconv *d = &step->deconv;
    size_t element = sl_element_bytes(d->gemm->element), row = d->in_w * d->args.n * element;
    (void)crew;
    if (d->batch != 1)
        return false;
    sl_axis_of_rows(&d->in_h, d->out, row, (uint64_t)d->in_w * d->args.n * d->args.k, out);
    sl_axis_move(out, &d->args.lhs, d->in_w * d->args.k * element);
    sl_axis_move(out, &d->out, row);
    out->workspace_bytes = step->workspace_bytes;
    out->set_workspace = place_apart;
    return true;
}

static int step_apart(struct sl_step *step, uint32_t isa, int element,
                      const struct sl_conv_shape *s, const struct sl_constants *constants,
                      struct sl_weights *weights)
{
    size_t m = s->in_h * s->in_w, k = s->group_in_c, n = s->kernel_h * s->kernel_w * s->group_out_c;
    const struct sl_matmul *kernel = apart_kernel(weights, isa, element, m, n, k);
    struct sl_taken taken;
    int rc = sl_weights_take(weights, kernel, kernel->rhs_bytes(n, k), constants, element,
                             deconv_form(SL_STEP_BATCH_GEMM, constants, s), n * k, s->group_out_c,
                             &taken);
    if (rc == 0 && taken.weights)
        rc = turn_deconv(s, element, constants, &taken);
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
        .workspace_bytes =
            rounded(m * n * sl_element_bytes(element)) + kernel->workspace_bytes(m, n, k),
        .bind = bind_apart,
        .places = {.min = SL_STEP_AT(deconv.args.min), .max = SL_STEP_AT(deconv.args.max)},
        .deconv = {.gemm = kernel,
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
    sl_deconv_run(step->conv.kernel, &step->conv.args);
}

static int pack_phases(const struct sl_conv *kernel, const struct sl_conv_shape *s,
                       const struct sl_constants *constants, const struct sl_taken *taken,
                       size_t count, void *packed)
{
    size_t bytes = count * sl_element_bytes(kernel->element);
    void *scratch = sl_budget_alloc(constants->budget, bytes);
    if (!scratch)
        return SL_ET_MEMORY_ALLOCATION_FAILED;
    sl_deconv_pack(kernel, s, taken->weights, taken->bias, packed, scratch);
    sl_budget_free(constants->budget, scratch, bytes);
    return 0;
}

int sl_step_deconv(struct sl_step *step, uint32_t isa, int element,
                   const struct sl_conv_shape *shape, const struct sl_constants *constants,
                   struct sl_weights *weights)
{
    if (!sl_deconv_ok(shape))
        return SL_ET_INVALID_ARGUMENT;
    if (is_apart(shape))
        return step_apart(step, isa, element, shape, constants, weights);
    const struct sl_conv *kernel = weights->kernel;
    if (!kernel)
        kernel = sl_conv_select(isa, element, shape);
    struct sl_taken taken;
    size_t channels = shape->groups * shape->group_out_c;
    size_t count = channels * shape->kernel_h * shape->kernel_w * shape->group_in_c;
    int rc =
        sl_weights_take(weights, kernel, sl_deconv_bytes(kernel, shape), constants, element,
                        deconv_form(SL_STEP_DECONV, constants, shape), count, channels, &taken);
    if (rc == 0 && taken.weights)
        rc = turn_deconv(shape, element, constants, &taken);
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
        .workspace_bytes = sl_deconv_workspace_bytes(kernel, shape),
        .places = SL_STEP_PLACES(conv, in, weights, out),
        .conv = {kernel, {.shape = *shape, .weights = weights->packed}},
    };
    sl_step_set_clamp(step, -INFINITY, INFINITY);
    return 0;
}
