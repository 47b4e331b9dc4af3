/* tests/unit/kernels/conv/test_conv_f16.c: every f16 convolution of the list, and transposed ones
 * by it, against the portable f32 ones, which test_conv.c holds against plain ones. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/conv/deconv.h"
#include "kernels/cpu/isa.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"
#include "tests/support/test.h"
#include "tests/support/window_case.h"

struct layer {
    struct sl_conv_shape shape;
    bool clamps, deconv;
    size_t in_count, out_count;
    uint16_t *in, *weights, *bias; /* bias may be NULL */
};

static float *in_f32(const struct layer *l, size_t weights_count, size_t bias_count)
{
    const struct sl_conv *kernel = sl_conv_select(SL_ISA_NONE, SL_F32, &l->shape);
    float *in = sl_case_widen(l->in, l->in_count), *w = sl_case_widen(l->weights, weights_count);
    float *bias = l->bias ? sl_case_widen(l->bias, bias_count) : NULL;
    float *out = sl_case_constant(l->out_count, 0);
    float *scratch = sl_case_constant(weights_count, 0);
    void *packed = sl_guarded_new(
        l->deconv ? sl_deconv_bytes(kernel, &l->shape) : kernel->weights_bytes(&l->shape), 64);
    void *space = sl_guarded_new(sl_deconv_workspace_bytes(kernel, &l->shape), 64);
    struct sl_conv_args args = {.shape = l->shape, .in = in, .weights = packed, .out = out};
    args.min = l->clamps ? -0.5f : -INFINITY;
    args.max = l->clamps ? 0.5f : INFINITY;
    args.workspace = space;
    if (l->deconv) {
        sl_deconv_pack(kernel, &l->shape, w, bias, packed, scratch);
        sl_deconv_run(kernel, &args);
    } else {
        kernel->pack_weights(&l->shape, w, bias, packed);
        kernel->run(&args);
    }
    sl_case_free(6, (void *[]){in, w, bias, packed, scratch, space});
    return out;
}

static void run_f16(const struct sl_conv *kernel, const struct layer *l, size_t weights_count,
                    uint16_t *out)
{
    const struct sl_conv_shape *s = &l->shape;
    void *packed =
        sl_guarded_new(l->deconv ? sl_deconv_bytes(kernel, s) : kernel->weights_bytes(s), 64);
    void *workspace = sl_guarded_new(
        l->deconv ? sl_deconv_workspace_bytes(kernel, s) : kernel->workspace_bytes(s), 64);
    uint16_t *scratch = sl_case_constant_halves(weights_count, 0);
    struct sl_conv_args args = {.shape = *s,
                                .in = l->in,
                                .weights = packed,
                                .out = out,
                                .min = l->clamps ? -0.5f : -INFINITY,
                                .max = l->clamps ? 0.5f : INFINITY,
                                .workspace = workspace};
    if (l->deconv) {
        sl_deconv_pack(kernel, s, l->weights, l->bias, packed, scratch);
        sl_deconv_run(kernel, &args);
    } else {
        kernel->pack_weights(s, l->weights, l->bias, packed);
        kernel->run(&args);
    }
    sl_case_free(3, (void *[]){packed, workspace, scratch});
}

static void check(const struct sl_conv *kernel, const struct sl_conv_shape *s, bool deconv,
                  int flags, uint32_t *seed)
{
    if (kernel->fits && !kernel->fits(s))
        return;
    size_t out_c = s->groups * s->group_out_c, k = s->kernel_h * s->kernel_w * s->group_in_c;
    struct layer l = {.shape = *s, .clamps = flags & 2, .deconv = deconv};
    l.in_count = s->batch * s->in_h * s->in_w * s->groups * s->group_in_c;
    l.out_count = s->batch * s->out_h * s->out_w * out_c;
    l.in = sl_case_halves(seed, l.in_count, false);
    sl_case_special_halves(l.in, l.in_count);
    l.weights = sl_case_halves(seed, out_c * k, false);
    l.bias = flags & 1 ? sl_case_halves(seed, out_c, false) : NULL;
    uint16_t *out = sl_case_constant_halves(l.out_count, 0x7e00);
    float *want = in_f32(&l, out_c * k, out_c);
    run_f16(kernel, &l, out_c * k, out);
    char shape[200];
    snprintf(shape, sizeof(shape),
             "%s in %zux%zux%zu groups %zu x %zu->%zu kernel %zux%zu stride %zux%zu dilation "
             "%zux%zu pad %zd,%zd",
             deconv ? "deconv" : "conv", s->batch, s->in_h, s->in_w, s->groups, s->group_in_c,
             s->group_out_c, s->kernel_h, s->kernel_w, s->stride_h, s->stride_w, s->dilation_h,
             s->dilation_w, s->pad_top, s->pad_left);
    double slack = (double)(k + 1) * 0x1p-23;
    if (strstr(kernel->name, "_neon")) /* adds in half precision */
        slack = 2 * sqrt((double)(k + 1)) * sl_case_half_ulp(sqrt((double)(k + 1)));
    sl_case_close_to_f32(kernel->name, shape, out, want, l.out_count, slack);
    sl_case_free(5, (void *[]){l.in, l.weights, l.bias, out, want});
}

static bool finish(struct sl_conv_shape *s, size_t pad_bottom, size_t pad_right)
{
    size_t pads_h = s->pad_top + pad_bottom, pads_w = s->pad_left + pad_right;
    s->out_h = sl_case_out_size(s->in_h, s->kernel_h, s->stride_h, s->dilation_h, pads_h);
    s->out_w = sl_case_out_size(s->in_w, s->kernel_w, s->stride_w, s->dilation_w, pads_w);
    return s->out_h * s->out_w > 0;
}

static size_t pick(uint32_t *seed, size_t low, size_t high)
{
    return sl_case_pick(seed, low, high);
}

static struct sl_conv_shape random_shape(uint32_t *seed)
{
    struct sl_conv_shape s = {.batch = pick(seed, 1, 2), .groups = pick(seed, 1, 3)};
    s.in_h = pick(seed, 1, 9);
    s.in_w = pick(seed, 1, 11);
    s.group_in_c = pick(seed, 1, 9);
    s.group_out_c = pick(seed, 1, 21);
    s.kernel_h = pick(seed, 1, 4);
    s.kernel_w = pick(seed, 1, 4);
    s.stride_h = pick(seed, 1, 3);
    s.stride_w = pick(seed, 1, 3);
    s.dilation_h = pick(seed, 1, 2);
    s.dilation_w = pick(seed, 1, 2);
    s.pad_top = pick(seed, 0, 4);
    s.pad_left = pick(seed, 0, 4);
    return s;
}

TEST(random_windows_equal_f32)
{
    const struct sl_conv *kernel;
    SL_EACH (kernel, conv, SL_F16) {
        uint32_t seed = 5;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (int n = 0; n < 120; n++) {
            struct sl_conv_shape s = random_shape(&seed);
            if (finish(&s, pick(&seed, 0, 4), pick(&seed, 0, 4)))
                check(kernel, &s, false, n, &seed);
        }
    }
}

TEST(sizes_up_to_two_blocks_equal_f32)
{
    SL_CASE_CONV_SIZED(conv, kernel->element == SL_F16,
                       check(kernel, &shape, false, (int)size, &seed));
}

TEST(random_transposed_windows_equal_f32)
{
    const struct sl_conv *kernel;
    SL_EACH (kernel, conv, SL_F16) {
        uint32_t seed = 7;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (int n = 0; n < 80; n++) {
            struct sl_conv_shape s = random_shape(&seed);
            s.out_h = pick(&seed, 0, 14);
            s.out_w = pick(&seed, 0, 14);
            check(kernel, &s, true, n, &seed);
        }
        for (int n = 0; n < 40; n++) {
            struct sl_conv_shape s = random_shape(&seed);
            s.groups = pick(&seed, 8, 150);
            s.group_in_c = s.group_out_c = 1;
            if (finish(&s, pick(&seed, 0, 4), pick(&seed, 0, 4)))
                check(kernel, &s, false, n, &seed);
            s.out_h = pick(&seed, 0, 14);
            s.out_w = pick(&seed, 0, 14);
            check(kernel, &s, true, n, &seed);
        }
        struct sl_conv_shape wide = {1, 4, 66, 8, 132, 1, 5, 7, 4, 4, 2, 2, 1, 1, 1, 1};
        check(kernel, &wide, true, 3, &seed);
    }
}

/* First layers, whole vectors of channels, more output channels than a block of columns. */
TEST(layers_of_models_equal_f32)
{
    static const struct sl_conv_shape shapes[] = {
        {1, 19, 19, 0, 0, 1, 3, 16, 3, 3, 2, 2, 1, 1, 1, 1},
        {1, 8, 8, 0, 0, 1, 32, 70, 3, 3, 1, 1, 1, 1, 1, 1},
        {1, 9, 7, 0, 0, 1, 67, 20, 1, 1, 1, 1, 1, 1, 0, 0},
        {2, 5, 5, 0, 0, 2, 13, 33, 3, 3, 1, 1, 2, 2, 2, 2},
    };
    const struct sl_conv *kernel;
    SL_EACH (kernel, conv, SL_F16) {
        uint32_t seed = 6;
        for (size_t n = 0; n < sizeof(shapes) / sizeof(shapes[0]); n++) {
            struct sl_conv_shape s = shapes[n];
            if (sl_case_may_run(kernel->name, kernel->needs) && finish(&s, s.pad_top, s.pad_left))
                check(kernel, &s, false, 3, &seed);
        }
    }
}

TEST(select_without_isa_is_portable)
{
    struct sl_conv_shape s = {1, 4, 4, 4, 4, 1, 2, 2, 3, 3, 1, 1, 1, 1, 1, 1};
    assert_int_equal(sl_conv_select(SL_ISA_NONE, SL_F16, &s)->needs, SL_ISA_NONE);
}
