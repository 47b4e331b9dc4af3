/* tests/unit/kernels/depthwise/test_depthwise.c: every depthwise convolution against a plain one.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/isa.h"
#include "kernels/depthwise/depthwise.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"
#include "tests/support/test.h"
#include "tests/support/window_case.h"

static double element(const struct sl_depthwise_shape *s, const float *in, const float *w,
                      size_t oy, size_t ox, size_t o)
{
    double sum = 0;
    size_t count = s->channels * s->multiplier;
    for (size_t ky = 0; ky < s->kernel_h; ky++)
        for (size_t kx = 0; kx < s->kernel_w; kx++) {
            size_t y = oy * s->stride_h + ky * s->dilation_h - s->pad_top;
            size_t x = ox * s->stride_w + kx * s->dilation_w - s->pad_left;
            if (y < s->in_h && x < s->in_w)
                sum += (double)in[(y * s->in_w + x) * s->channels + o / s->multiplier] *
                       (double)w[(ky * s->kernel_w + kx) * count + o];
        }
    return sum;
}

static double *reference(const struct sl_depthwise_shape *s, const float *in, const float *w,
                         const float *bias, double min, double max)
{
    size_t out_c = s->channels * s->multiplier, image = s->in_h * s->in_w * s->channels;
    size_t pixels = s->out_h * s->out_w, count = s->batch * pixels * out_c;
    double *want = calloc(count, sizeof(*want));
    for (size_t i = 0; i < count; i++) {
        size_t p = i / out_c % pixels, o = i % out_c;
        double sum = element(s, in + i / out_c / pixels * image, w, p / s->out_w, p % s->out_w, o);
        want[i] = sl_case_clamp(sum + (bias ? (double)bias[o] : 0), min, max);
    }
    return want;
}

static void check(const struct sl_depthwise *kernel, const struct sl_depthwise_shape *s,
                  bool has_bias, bool clamps, uint32_t *seed)
{
    if (kernel->fits && !kernel->fits(s))
        return;
    size_t out_c = s->channels * s->multiplier, out_count = s->batch * s->out_h * s->out_w * out_c;
    float *in = sl_case_floats(seed, s->batch * s->in_h * s->in_w * s->channels);
    sl_case_specials(in, s->batch * s->in_h * s->in_w * s->channels);
    float *w = sl_case_floats(seed, s->kernel_h * s->kernel_w * out_c);
    float *bias = has_bias ? sl_case_floats(seed, out_c) : NULL;
    float *out = sl_case_constant(out_count, NAN);
    void *packed = sl_guarded_new(kernel->weights_bytes(s), 64);
    void *workspace = sl_guarded_new(kernel->workspace_bytes(s), 64);
    memset(workspace, 0x55, kernel->workspace_bytes(s)); /* nothing of it is promised */
    kernel->pack_weights(s, w, bias, packed);
    struct sl_depthwise_args args = {
        *s, in, packed, out, clamps ? -0.5f : -INFINITY, clamps ? 0.5f : INFINITY, workspace};
    double *want = reference(s, in, w, bias, (double)args.min, (double)args.max);
    kernel->run(&args);
    char shape[200];
    snprintf(shape, sizeof(shape),
             "in %zux%zux%zu channels %zu x %zu kernel %zux%zu stride %zux%zu dilation %zux%zu pad "
             "%zu,%zu out %zux%zu",
             s->batch, s->in_h, s->in_w, s->channels, s->multiplier, s->kernel_h, s->kernel_w,
             s->stride_h, s->stride_w, s->dilation_h, s->dilation_w, s->pad_top, s->pad_left,
             s->out_h, s->out_w);
    sl_case_close_sums(kernel->name, shape, out, want, out_count, s->kernel_h * s->kernel_w);
    free(want);
    sl_case_free(6, (void *[]){in, w, bias, out, packed, workspace});
}

static bool finish(struct sl_depthwise_shape *s, size_t pad_bottom, size_t pad_right)
{
    s->out_h =
        sl_case_out_size(s->in_h, s->kernel_h, s->stride_h, s->dilation_h, s->pad_top + pad_bottom);
    s->out_w =
        sl_case_out_size(s->in_w, s->kernel_w, s->stride_w, s->dilation_w, s->pad_left + pad_right);
    return s->out_h > 0 && s->out_w > 0;
}

#define PICK(low, high) sl_case_pick(&seed, low, high)

TEST(random_shapes_equal_the_reference)
{
    const struct sl_depthwise *kernel;
    SL_EACH (kernel, depthwise, SL_F32) {
        uint32_t seed = 7;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (int n = 0; n < 150; n++) {
            struct sl_depthwise_shape s = {PICK(1, 2), PICK(1, 9),  PICK(1, 11), 0,
                                           0,          PICK(1, 40), PICK(1, 3),  PICK(1, 5),
                                           PICK(1, 5), PICK(1, 3),  PICK(1, 3),  PICK(1, 2),
                                           PICK(1, 2), PICK(0, 5),  PICK(0, 5)};
            if (finish(&s, PICK(0, 5), PICK(0, 5)))
                check(kernel, &s, PICK(0, 1), PICK(0, 1), &seed);
        }
    }
}

/* Multiplier 1, no dilation, 3x3, 5x5 or 7x7, stride 1 or 2: most of the depthwise layers there
 * are. */
TEST(square_windows_equal_the_reference)
{
    const struct sl_depthwise *kernel;
    SL_EACH (kernel, depthwise, SL_F32) {
        uint32_t seed = 8;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (int n = 0; n < 300; n++) {
            size_t stride = PICK(1, 2), size = (size_t[]){3, 5, 7}[n % 3];
            struct sl_depthwise_shape s = {
                PICK(1, 2), PICK(1, 14), PICK(1, 18), 0, 0, PICK(1, 40), 1,         size,
                size,       stride,      stride,      1, 1, PICK(0, 3),  PICK(0, 3)};
            if (finish(&s, PICK(0, 3), PICK(0, 3)))
                check(kernel, &s, PICK(0, 1), PICK(0, 1), &seed);
        }
    }
}

/* As many channels as a vector has elements, of one length or another. */
TEST(one_vector_of_channels_equals_the_reference)
{
    const struct sl_depthwise *kernel;
    SL_EACH (kernel, depthwise, SL_F32) {
        uint32_t seed = 9;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (int n = 0; n < 200; n++) {
            struct sl_depthwise_shape s = {
                PICK(1, 2), PICK(1, 12), PICK(1, 14), 0, 0, (size_t)4 << n % 5, 1,         3,
                3,          2,           2,           1, 1, PICK(0, 1),         PICK(0, 1)};
            if (finish(&s, PICK(0, 1), PICK(0, 1)))
                check(kernel, &s, PICK(0, 1), PICK(0, 1), &seed);
        }
    }
}

TEST(channels_up_to_two_blocks_equal_the_reference)
{
    SL_CASE_DEPTHWISE_SIZED(depthwise, kernel->element == SL_F32, 4,
                            check(kernel, &shape, size % 3 != 0, size % 2 != 0, &seed));
}

/* Pixels of 4 to 32 bytes go by even and odd columns at stride 2. */
TEST(wide_images_of_few_channels_equal_the_reference)
{
    const struct sl_depthwise *kernel;
    SL_EACH (kernel, depthwise, SL_F32) {
        uint32_t seed = 10;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t n = 0; n < 15; n++) {
            struct sl_depthwise_shape s = {
                1, PICK(3, 11), 60 + PICK(0, 90), 0, 0, (size_t)1 << n % 4, 1, 3, 3, 2, 2, 1,
                1, n % 2,       n / 2 % 3};
            if (finish(&s, PICK(0, 2), PICK(0, 2)))
                check(kernel, &s, PICK(0, 1), PICK(0, 1), &seed);
        }
    }
}

TEST(select_without_isa_is_portable)
{
    struct sl_depthwise_shape s = {1, 4, 4, 4, 4, 2, 1, 3, 3, 1, 1, 1, 1, 1, 1};
    assert_int_equal(sl_depthwise_select(SL_ISA_NONE, SL_F32, &s)->needs, SL_ISA_NONE);
}
