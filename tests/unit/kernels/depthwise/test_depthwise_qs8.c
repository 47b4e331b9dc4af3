/* tests/unit/kernels/depthwise/test_depthwise_qs8.c: every static int8 depthwise convolution of the
 * list against a plain one, to the bit. */
#include <stdio.h>
#include <string.h>

#include "kernels/cpu/isa.h"
#include "kernels/depthwise/depthwise_qs8.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"
#include "tests/support/qs8_case.h"
#include "tests/support/test.h"
#include "tests/support/window_case.h"

static void reference(const struct sl_depthwise_qs8_args *a, const struct sl_qs8_case *layer,
                      const int8_t *weights, int8_t *want)
{
    const struct sl_depthwise_shape *s = &a->shape;
    size_t count = s->channels * s->multiplier, outputs = s->batch * s->out_h * s->out_w;
    for (size_t o = 0; o < outputs * count; o++) {
        size_t c = o % count, ox = o / count % s->out_w, oy = o / count / s->out_w % s->out_h;
        const int8_t *in =
            a->in + o / count / s->out_w / s->out_h * s->in_h * s->in_w * s->channels;
        int64_t sum = 0;
        for (size_t t = 0; t < s->kernel_h * s->kernel_w; t++) {
            size_t y = oy * s->stride_h + t / s->kernel_w * s->dilation_h - s->pad_top;
            size_t x = ox * s->stride_w + t % s->kernel_w * s->dilation_w - s->pad_left;
            if (y < s->in_h && x < s->in_w)
                sum += (in[(y * s->in_w + x) * s->channels + c / s->multiplier] - a->in_zero) *
                       weights[t * count + c];
        }
        want[o] = sl_qs8_case_value(layer, c, sum);
    }
}

static void check(const struct sl_depthwise_qs8 *kernel, const struct sl_depthwise_shape *s,
                  uint32_t *seed)
{
    char text[160];
    if (kernel->fits && !kernel->fits(s))
        return;
    size_t count = s->channels * s->multiplier, taps = s->kernel_h * s->kernel_w;
    struct sl_qs8_case layer = sl_qs8_case_new(seed, count, taps);
    int8_t *in = sl_case_bytes(seed, s->batch * s->in_h * s->in_w * s->channels);
    int8_t *weights = sl_case_bytes(seed, taps * count);
    size_t out_count = s->batch * s->out_h * s->out_w * count;
    int8_t *want = sl_case_same_bytes(out_count, 0), *out = sl_case_same_bytes(out_count, 0);
    void *packed = sl_guarded_new(kernel->weights_bytes(s), 64);
    void *workspace = sl_guarded_new(kernel->workspace_bytes(s), 64);
    memset(workspace, 0x55, kernel->workspace_bytes(s)); /* nothing of it is promised */
    const struct sl_depthwise_qs8_args a = {*s,        in,       layer.requant.in_zero, packed, out,
                                            layer.out, workspace};
    reference(&a, &layer, weights, want);
    kernel->pack_weights(s, weights, &layer.requant, packed);
    kernel->run(&a);
    snprintf(text, sizeof(text),
             "in %zux%zux%zu out %zux%zu x%zu k %zux%zu s %zux%zu d %zux%zu p %zu,%zu", s->in_h,
             s->in_w, s->channels, s->out_h, s->out_w, s->multiplier, s->kernel_h, s->kernel_w,
             s->stride_h, s->stride_w, s->dilation_h, s->dilation_w, s->pad_top, s->pad_left);
    sl_qs8_case_equal(kernel->name, text, out, want, out_count);
    sl_case_free(6, (void *[]){in, weights, want, out, packed, workspace});
    sl_qs8_case_free(&layer);
}

TEST(usual_windows_and_channels_equal_the_reference)
{
    const struct sl_depthwise_qs8 *kernel;
    for (size_t i = 0; (kernel = sl_depthwise_qs8_at(i)) != NULL; i++) {
        uint32_t seed = 1;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t c = 1; c <= 70; c++) {
            size_t k = 3 + c % 3 * (c % 5 == 0), stride = 1 + c % 2, h = 4 + c % 6;
            size_t out_h = sl_case_out_size(h, k, stride, 1, 2 * (k / 2));
            struct sl_depthwise_shape s = {
                1,      h, 7, out_h, sl_case_out_size(7, k, stride, 1, 2 * (k / 2)),
                c,      1, k, k,     stride,
                stride, 1, 1, k / 2, k / 2};
            check(kernel, &s, &seed);
        }
        struct sl_depthwise_shape wide = {1, 6, 5, 6, 5, 300, 1, 3, 3, 1, 1, 1, 1, 1, 1};
        check(kernel, &wide, &seed);
    }
}

TEST(random_shapes_equal_the_reference)
{
    const struct sl_depthwise_qs8 *kernel;
    for (size_t i = 0; (kernel = sl_depthwise_qs8_at(i)) != NULL; i++) {
        uint32_t seed = 2;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (int n = 0; n < 120; n++) {
            struct sl_depthwise_shape s = {
                sl_case_pick(&seed, 1, 2), sl_case_pick(&seed, 1, 9), sl_case_pick(&seed, 1, 9),
                sl_case_pick(&seed, 0, 7), sl_case_pick(&seed, 0, 7), sl_case_pick(&seed, 1, 40),
                sl_case_pick(&seed, 1, 3), sl_case_pick(&seed, 1, 7), sl_case_pick(&seed, 1, 7),
                sl_case_pick(&seed, 1, 3), sl_case_pick(&seed, 1, 3), sl_case_pick(&seed, 1, 2),
                sl_case_pick(&seed, 1, 2), sl_case_pick(&seed, 0, 4), sl_case_pick(&seed, 0, 4)};
            s.multiplier = n % 3 ? 1 : s.multiplier;
            if (n % 4 == 0)
                s.kernel_h = s.kernel_w = 3;
            check(kernel, &s, &seed);
        }
    }
}

TEST(channels_up_to_two_blocks_equal_the_reference)
{
    SL_CASE_DEPTHWISE_SIZED(depthwise_qs8, true, 16, check(kernel, &shape, &seed));
}

/* Three rows of one and two columns, with every stride: windows that are narrower than their steps.
 */
TEST(narrow_windows_with_strides_equal_the_reference)
{
    const struct sl_depthwise_qs8 *kernel;
    for (size_t i = 0; (kernel = sl_depthwise_qs8_at(i)) != NULL; i++) {
        uint32_t seed = 3;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t n = 0; n < 12; n++) {
            size_t k = 1 + n % 3, stride = 1 + n / 3, out_w = sl_case_out_size(19, k, stride, 1, 0);
            struct sl_depthwise_shape s = {1, 7, 19, 5, out_w, 18, 1, 3, k, 1, stride, 1, 1, 0, 0};
            check(kernel, &s, &seed);
        }
    }
}

/* Pixels of 1 to 32 bytes are dealt by vectors: short rows, and of more than eight long vectors. */
TEST(dealt_rows_equal_the_reference)
{
    const struct sl_depthwise_qs8 *kernel;
    for (size_t i = 0; (kernel = sl_depthwise_qs8_at(i)) != NULL; i++) {
        uint32_t seed = 5;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t n = 0; n < 36; n++) {
            size_t c = (size_t)1 << n % 6, k = n / 6 % 2 ? 5 : 3, pad = n / 3 % 3;
            size_t in_w = sl_case_pick(&seed, 5, 12) + (n < 24 ? 70 : 2100) / c;
            struct sl_depthwise_shape s = {1,
                                           5,
                                           in_w,
                                           sl_case_out_size(5, k, 2, 1, 2),
                                           sl_case_out_size(in_w, k, 2, 1, pad),
                                           c,
                                           1,
                                           k,
                                           k,
                                           2,
                                           2,
                                           1,
                                           1,
                                           1,
                                           pad};
            check(kernel, &s, &seed);
        }
    }
}
