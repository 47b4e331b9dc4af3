/* tests/unit/kernels/conv/test_conv.c: every convolution of the list, and transposed ones by it,
 * against plain ones. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/conv/deconv.h"
#include "kernels/cpu/half.h"
#include "kernels/cpu/isa.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"
#include "tests/support/test.h"
#include "tests/support/window_case.h"

/* The filling between pixels, which must stay: no number, so that no tolerance grows by it. */
#define GAP (-INFINITY)

/* The input coordinate that tap k of output o meets, or something outside; `deconv`: transposed. */
static size_t meets(bool deconv, size_t o, size_t k, size_t stride, size_t dilation, size_t pad)
{
    if (!deconv)
        return o * stride + k * dilation - pad;
    size_t at = o + pad - k * dilation;
    return at % stride == 0 && at < 1u << 20 ? at / stride : SIZE_MAX;
}

static double element(const struct sl_conv_shape *s, bool deconv, const float *in, const float *w,
                      size_t oy, size_t ox, size_t o)
{
    double sum = 0;
    size_t g = o / s->group_out_c;
    for (size_t ky = 0; ky < s->kernel_h; ky++)
        for (size_t kx = 0; kx < s->kernel_w; kx++) {
            size_t y = meets(deconv, oy, ky, s->stride_h, s->dilation_h, s->pad_top);
            size_t x = meets(deconv, ox, kx, s->stride_w, s->dilation_w, s->pad_left);
            for (size_t i = 0; y < s->in_h && x < s->in_w && i < s->group_in_c; i++)
                sum += (double)in[((y * s->in_w + x) * s->groups + g) * s->group_in_c + i] *
                       (double)w[((o * s->kernel_h + ky) * s->kernel_w + kx) * s->group_in_c + i];
        }
    return sum;
}

/* Gaps of the output are to stay as they were. */
static double *reference(const struct sl_conv_args *a, bool deconv, const float *w,
                         const float *bias, size_t count)
{
    const struct sl_conv_shape *s = &a->shape;
    size_t out_c = s->groups * s->group_out_c,
           image = s->in_h * s->in_w * s->groups * s->group_in_c;
    const float *in = a->in;
    double *want = calloc(count, sizeof(double));
    for (size_t i = 0; i < count; i++)
        want[i] = GAP;
    for (size_t n = 0; n < s->batch; n++)
        for (size_t p = 0; p < s->out_h * s->out_w; p++)
            for (size_t o = 0; o < out_c; o++)
                want[(n * s->out_h + p / s->out_w) * a->out_row + p % s->out_w * a->out_pixel + o] =
                    sl_case_clamp(
                        element(s, deconv, in + n * image, w, p / s->out_w, p % s->out_w, o) +
                            (bias ? (double)bias[o] : 0),
                        (double)a->min, (double)a->max);
    return want;
}

static void run(const struct sl_conv *kernel, struct sl_conv_args *args, bool deconv,
                const float *w, const float *bias)
{
    const struct sl_conv_shape *s = &args->shape;
    size_t weights =
        s->groups * s->group_out_c * s->kernel_h * s->kernel_w * s->group_in_c * sizeof(float);
    void *packed =
        sl_guarded_new(deconv ? sl_deconv_bytes(kernel, s) : kernel->weights_bytes(s), 64);
    void *workspace = sl_guarded_new(
        deconv ? sl_deconv_workspace_bytes(kernel, s) : kernel->workspace_bytes(s), 64);
    float *scratch = sl_guarded_new(weights, sizeof(float));
    args->weights = packed;
    args->workspace = workspace;
    if (deconv) {
        sl_deconv_pack(kernel, s, w, bias, packed, scratch);
        sl_deconv_run(kernel, args);
    } else {
        kernel->pack_weights(s, w, bias, packed);
        kernel->run(args);
    }
    sl_case_free(3, (void *[]){packed, workspace, scratch});
}

/* `gap` elements lie between the output's pixels and rows. */
static void check(const struct sl_conv *kernel, const struct sl_conv_shape *s, bool deconv,
                  size_t gap, int flags, uint32_t *seed)
{
    if (kernel->fits && !kernel->fits(s))
        return;
    bool clamps = flags & 1, has_bias = flags & 2;
    size_t out_c = s->groups * s->group_out_c;
    float *in = sl_case_floats(seed, s->batch * s->in_h * s->in_w * s->groups * s->group_in_c);
    sl_case_specials(in, s->batch * s->in_h * s->in_w * s->groups * s->group_in_c);
    float *w = sl_case_floats(seed, out_c * s->kernel_h * s->kernel_w * s->group_in_c);
    float *bias = has_bias ? sl_case_floats(seed, out_c) : NULL;
    struct sl_conv_args args = {.shape = *s,
                                .in = in,
                                .min = clamps ? -0.5f : -INFINITY,
                                .max = clamps ? 0.5f : INFINITY,
                                .out_pixel = out_c + gap,
                                .out_row = s->out_w * (out_c + gap) + gap};
    size_t count = s->batch * s->out_h * args.out_row;
    double *want = reference(&args, deconv, w, bias, count);
    float *out = sl_case_constant(count, GAP);
    args.out = out;
    if (gap == 0)
        args.out_pixel = args.out_row = 0;
    run(kernel, &args, deconv, w, bias);
    char shape[220];
    snprintf(shape, sizeof(shape),
             "%s in %zux%zux%zu groups %zu x %zu->%zu kernel %zux%zu stride %zux%zu dilation "
             "%zux%zu pad %zd,%zd out %zux%zu gap %zu",
             deconv ? "deconv" : "conv", s->batch, s->in_h, s->in_w, s->groups, s->group_in_c,
             s->group_out_c, s->kernel_h, s->kernel_w, s->stride_h, s->stride_w, s->dilation_h,
             s->dilation_w, s->pad_top, s->pad_left, s->out_h, s->out_w, gap);
    sl_case_close_sums(kernel->name, shape, out, want, count,
                       s->kernel_h * s->kernel_w * s->group_in_c);
    free(want);
    sl_case_free(4, (void *[]){in, w, bias, out});
}

/* Fills in the output's size; the pads of bottom and right are the given ones. */
static bool finish(struct sl_conv_shape *s, size_t pad_bottom, size_t pad_right)
{
    s->out_h =
        sl_case_out_size(s->in_h, s->kernel_h, s->stride_h, s->dilation_h, s->pad_top + pad_bottom);
    s->out_w =
        sl_case_out_size(s->in_w, s->kernel_w, s->stride_w, s->dilation_w, s->pad_left + pad_right);
    return s->out_h > 0 && s->out_w > 0;
}

static struct sl_conv_shape random_shape(uint32_t *seed)
{
#define PICK(low, high) sl_case_pick(seed, low, high)
    return (struct sl_conv_shape){PICK(1, 2), PICK(1, 9), PICK(1, 11), 0,
                                  0,          PICK(1, 3), PICK(1, 9),  PICK(1, 21),
                                  PICK(1, 4), PICK(1, 4), PICK(1, 3),  PICK(1, 3),
                                  PICK(1, 2), PICK(1, 2), PICK(0, 4),  PICK(0, 4)};
#undef PICK
}

TEST(random_shapes_equal_the_reference)
{
    const struct sl_conv *kernel;
    SL_EACH (kernel, conv, SL_F32) {
        uint32_t seed = 5;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (int n = 0; n < 150; n++) {
            struct sl_conv_shape s = random_shape(&seed);
            if (!finish(&s, sl_case_pick(&seed, 0, 4), sl_case_pick(&seed, 0, 4)))
                continue;
            if (n % 5 == 0) /* begins inside, even past the end */
                s.pad_left = (size_t)0 - sl_case_pick(&seed, 0, 4);
            if (n % 7 == 0)
                s.pad_top = (size_t)0 - sl_case_pick(&seed, 0, 4);
            check(kernel, &s, false, n % 3 ? 0 : sl_case_pick(&seed, 1, 5), n, &seed);
        }
    }
}

TEST(sizes_up_to_two_blocks_equal_the_reference)
{
    SL_CASE_CONV_SIZED(conv, kernel->element == SL_F32,
                       check(kernel, &shape, false, size % 3, (int)size, &seed));
}

/* Sizes of the output are whatever they are: they need not follow from the others. */
TEST(random_transposed_shapes_equal_the_reference)
{
    const struct sl_conv *kernel;
    SL_EACH (kernel, conv, SL_F32) {
        uint32_t seed = 6;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (int n = 0; n < 120; n++) {
            struct sl_conv_shape s = random_shape(&seed);
            s.out_h = sl_case_pick(&seed, 0, 14);
            s.out_w = sl_case_pick(&seed, 0, 14);
            check(kernel, &s, true, n % 5 ? 0 : sl_case_pick(&seed, 1, 5), n, &seed);
        }
        const struct sl_conv_shape usual[] = {
            {1, 14, 9, 27, 17, 1, 6, 8, 3, 3, 2, 2, 1, 1, 1, 1},
            {2, 5, 67, 10, 134, 1, 4, 3, 4, 4, 2, 2, 1, 1, 1, 1}, /* rows of 67 a phase */
            {1, 3, 70, 6, 138, 1, 3, 5, 2, 2, 2, 2, 1, 1, 0, 1},
            {1, 1, 40, 1, 80, 1, 8, 6, 1, 4, 1, 2, 1, 1, 0, 1}, /* in one dimension */
        };
        for (size_t n = 0; n < sizeof(usual) / sizeof(usual[0]); n++)
            check(kernel, &usual[n], true, 0, (int)n, &seed);
    }
}

/* A group for each channel, as kernels that go by channels take them. */
TEST(as_many_groups_as_channels_equal_the_reference)
{
    const struct sl_conv *kernel;
    SL_EACH (kernel, conv, SL_F32) {
        uint32_t seed = 8;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (int n = 0; n < 60; n++) {
            struct sl_conv_shape s = random_shape(&seed);
            s.groups = sl_case_pick(&seed, 8, 90);
            s.group_in_c = s.group_out_c = 1;
            if (finish(&s, sl_case_pick(&seed, 0, 4), sl_case_pick(&seed, 0, 4))) {
                if (n % 5 == 0)
                    s.pad_left = (size_t)0 - sl_case_pick(&seed, 0, 4);
                if (n % 7 == 0)
                    s.pad_top = (size_t)0 - sl_case_pick(&seed, 0, 12);
                check(kernel, &s, false, n % 3 ? 0 : sl_case_pick(&seed, 1, 5), n, &seed);
            }
            s.pad_left = sl_case_pick(&seed, 0, 6);
            s.out_h = sl_case_pick(&seed, 0, 14);
            s.out_w = sl_case_pick(&seed, 0, 14);
            check(kernel, &s, true, n % 5 ? 0 : sl_case_pick(&seed, 1, 5), n, &seed);
        }
        const struct sl_conv_shape large = {1, 40, 40, 80, 80, 64, 1, 1, 4, 4, 2, 2, 1, 1, 1, 1};
        check(kernel, &large, true, 0, 3, &seed);
        assert_true(!kernel->fits || kernel->fits(&large));
    }
}

TEST(shapes_of_real_models_equal_the_reference)
{
    static const struct sl_conv_shape shapes[] = {
        {1, 18, 18, 0, 0, 1, 3, 16, 3, 3, 2, 2, 1, 1, 0, 0},
        {1, 12, 12, 0, 0, 1, 3, 16, 3, 3, 1, 1, 1, 1, 1, 1},
        {1, 8, 8, 0, 0, 1, 16, 32, 3, 3, 1, 1, 1, 1, 1, 1},
        {1, 7, 7, 0, 0, 1, 32, 20, 1, 1, 1, 1, 1, 1, 0, 0},
        {1, 9, 9, 0, 0, 4, 8, 8, 5, 5, 2, 2, 1, 1, 2, 2},
        {1, 3, 3, 0, 0, 1, 40, 40, 3, 3, 1, 1, 2, 2, 2, 2},
    };
    const struct sl_conv *kernel;
    SL_EACH (kernel, conv, SL_F32) {
        uint32_t seed = 6;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t n = 0; n < sizeof(shapes) / sizeof(shapes[0]); n++) {
            struct sl_conv_shape s = shapes[n];
            assert_true(finish(&s, s.pad_top ? s.pad_top : 1, s.pad_left ? s.pad_left : 1));
            check(kernel, &s, false, 0, 3, &seed);
        }
    }
}

/* `from` [out][in][taps] to [out][taps][in]. */
static float *turned(const struct sl_conv_shape *s, const float *from)
{
    size_t taps = s->kernel_h * s->kernel_w, k = taps * s->group_in_c;
    size_t count = s->groups * s->group_out_c * k;
    float *to = sl_case_constant(count, 0);
    for (size_t at = 0; at < count; at++)
        to[at / k * k + at % taps * s->group_in_c + at % k / taps] = from[at];
    return to;
}

static void check_turned(const struct sl_conv *kernel, const struct sl_conv_shape *s, bool biased,
                         uint32_t *seed)
{
    size_t channels = s->groups * s->group_out_c, bytes = kernel->weights_bytes(s);
    float *w = sl_case_floats(seed, channels * s->kernel_h * s->kernel_w * s->group_in_c);
    float *bias = biased ? sl_case_floats(seed, channels) : NULL, *own = turned(s, w);
    void *packed = sl_guarded_new(bytes, 64), *scratch = sl_guarded_new(bytes, 64);
    void *want = sl_guarded_new(bytes, 64);
    kernel->pack_weights(s, own, bias, want);
    kernel->pack_weights(s, w, bias, scratch);
    kernel->turn_packed(s, scratch, packed);
    assert_memory_equal(packed, want, bytes);
    sl_case_free(6, (void *[]){w, bias, own, packed, scratch, want});
}

TEST(packs_turned_afterwards_equal_packs_of_turned_weights)
{
    const struct sl_conv *kernel;
    SL_EACH (kernel, conv, SL_F32) {
        uint32_t seed = 7;
        if (!sl_case_may_run(kernel->name, kernel->needs) || !kernel->turn_packed)
            continue;
        for (int n = 0; n < 60; n++) {
            struct sl_conv_shape s = random_shape(&seed);
            s.group_out_c = sl_case_pick(&seed, 1, n % 2 ? 21 : 150);
            check_turned(kernel, &s, n % 3 != 0, &seed);
        }
    }
}

static void check_halves(const struct sl_conv *kernel, const struct sl_conv_shape *s, bool planar,
                         bool biased, uint32_t *seed)
{
    size_t channels = s->groups * s->group_out_c, bytes = kernel->weights_bytes(s);
    size_t count = channels * s->kernel_h * s->kernel_w * s->group_in_c;
    float *wide = sl_case_floats(seed, count),
          *bias = biased ? sl_case_floats(seed, channels) : NULL;
    uint16_t *halves = sl_guarded_new(count * sizeof(*halves), 2);
    for (size_t i = 0; i < count; i++) {
        halves[i] = sl_half_from_float(wide[i]);
        wide[i] = sl_half_to_float(halves[i]);
    }
    float *own = turned(s, wide);
    void *packed = sl_guarded_new(bytes, 64), *scratch = sl_guarded_new(bytes / 2, 64);
    void *want = sl_guarded_new(bytes, 64);
    kernel->pack_weights(s, planar ? own : wide, bias, want);
    kernel->pack_halves(s, halves, bias, planar, scratch, packed);
    assert_memory_equal(packed, want, bytes);
    sl_case_free(7, (void *[]){wide, bias, halves, own, packed, scratch, want});
}

TEST(packs_of_halves_equal_packs_of_the_same_in_f32)
{
    const struct sl_conv *kernel;
    SL_EACH (kernel, conv, SL_F32) {
        uint32_t seed = 9;
        if (!sl_case_may_run(kernel->name, kernel->needs) || !kernel->pack_halves)
            continue;
        for (int n = 0; n < 60; n++) {
            struct sl_conv_shape s = random_shape(&seed);
            s.group_out_c = sl_case_pick(&seed, 1, n % 2 ? 21 : 150);
            check_halves(kernel, &s, n % 2 == 0, n % 3 != 0, &seed);
        }
    }
}

TEST(select_without_isa_is_portable)
{
    struct sl_conv_shape s = {1, 4, 4, 4, 4, 1, 2, 2, 3, 3, 1, 1, 1, 1, 1, 1};
    assert_int_equal(sl_conv_select(SL_ISA_NONE, SL_F32, &s)->needs, SL_ISA_NONE);
}
