/* tests/unit/kernels/depthwise/test_depthwise_f16.c: every f16 depthwise convolution of the list
 * against the portable f32 one, which test_depthwise.c holds against a plain one. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/cpu/isa.h"
#include "kernels/depthwise/depthwise.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"
#include "tests/support/test.h"
#include "tests/support/window_case.h"

struct layer {
    struct sl_depthwise_shape shape;
    float min, max;
    size_t in_count, weights_count, out_c, out_count;
    uint16_t *in, *weights, *bias; /* bias may be NULL */
};

static float *in_f32(const struct layer *l)
{
    const struct sl_depthwise *kernel = sl_depthwise_select(SL_ISA_NONE, SL_F32, &l->shape);
    float *in = sl_case_widen(l->in, l->in_count), *out = sl_case_constant(l->out_count, 0);
    float *w = sl_case_widen(l->weights, l->weights_count);
    float *bias = l->bias ? sl_case_widen(l->bias, l->out_c) : NULL;
    void *packed = sl_guarded_new(kernel->weights_bytes(&l->shape), 64);
    kernel->pack_weights(&l->shape, w, bias, packed);
    struct sl_depthwise_args args = {l->shape, in, packed, out, l->min, l->max, NULL};
    kernel->run(&args);
    sl_case_free(4, (void *[]){in, w, bias, packed});
    return out;
}

static void run_f16(const struct sl_depthwise *kernel, const struct layer *l, uint16_t *out)
{
    void *packed = sl_guarded_new(kernel->weights_bytes(&l->shape), 64);
    void *workspace = sl_guarded_new(kernel->workspace_bytes(&l->shape), 64);
    memset(workspace, 0x55, kernel->workspace_bytes(&l->shape)); /* nothing of it is promised */
    kernel->pack_weights(&l->shape, l->weights, l->bias, packed);
    struct sl_depthwise_args args = {l->shape, l->in, packed, out, l->min, l->max, workspace};
    kernel->run(&args);
    sl_guarded_free(packed);
    sl_guarded_free(workspace);
}

static void check(const struct sl_depthwise *kernel, const struct sl_depthwise_shape *s,
                  bool clamps, uint32_t *seed)
{
    if (kernel->fits && !kernel->fits(s))
        return;
    struct layer l = {.shape = *s, .min = clamps ? -0.5f : -INFINITY};
    size_t taps = s->kernel_h * s->kernel_w;
    l.max = clamps ? 0.5f : INFINITY;
    l.out_c = s->channels * s->multiplier;
    l.in_count = s->batch * s->in_h * s->in_w * s->channels;
    l.weights_count = taps * l.out_c;
    l.out_count = s->batch * s->out_h * s->out_w * l.out_c;
    l.in = sl_case_halves(seed, l.in_count, false);
    sl_case_special_halves(l.in, l.in_count);
    l.weights = sl_case_halves(seed, l.weights_count, false);
    l.bias = l.in_count % 3 ? sl_case_halves(seed, l.out_c, false) : NULL;
    uint16_t *out = sl_case_constant_halves(l.out_count, 0x7e00);
    float *want = in_f32(&l);
    run_f16(kernel, &l, out);
    char shape[160];
    snprintf(shape, sizeof(shape),
             "f16, in %zux%zux%zux%zu x %zu kernel %zux%zu stride %zux%zu "
             "dilation %zux%zu pad %zu,%zu out %zux%zu",
             s->batch, s->in_h, s->in_w, s->channels, s->multiplier, s->kernel_h, s->kernel_w,
             s->stride_h, s->stride_w, s->dilation_h, s->dilation_w, s->pad_top, s->pad_left,
             s->out_h, s->out_w);
    double slack = (double)(taps + 1) * 0x1p-23, most = sqrt((double)(taps + 1));
    if (strstr(kernel->name, "_neon")) /* adds in half precision */
        slack = 2 * most * sl_case_half_ulp(most);
    sl_case_close_to_f32(kernel->name, shape, out, want, l.out_count, slack);
    sl_case_free(5, (void *[]){l.in, l.weights, l.bias, out, want});
}

static size_t out_of(size_t in, size_t kernel, size_t stride, size_t dilation, size_t pads)
{
    return sl_case_out_size(in, kernel, stride, dilation, pads);
}

/* A square window of `side`; of any sides and dilation, if that is 0. */
static void check_random(const struct sl_depthwise *kernel, uint32_t *seed, size_t side)
{
    struct sl_depthwise_shape s = {.batch = sl_case_pick(seed, 1, 2), .multiplier = 1};
    s.in_h = sl_case_pick(seed, 1, 12);
    s.in_w = sl_case_pick(seed, 1, 14);
    if (side == 5 && s.in_w % 3 == 0) /* blocks side by side that lie inside */
        s.in_w += 12;
    size_t more = side == 3 && s.in_w % 4 == 0 ? 3 : 1; /* three vectors of 2048 bits */
    s.channels = sl_case_pick(seed, 1, side ? more * 150 : 40);
    if (side == 3 && s.in_w % 4 == 1) /* a vector of some length */
        s.channels = (size_t)8 << sl_case_pick(seed, 0, 4);
    s.multiplier = sl_case_pick(seed, 0, 5) ? 1 : 3;
    s.kernel_h = side ? side : sl_case_pick(seed, 1, 5);
    s.kernel_w = side ? side : sl_case_pick(seed, 1, 5);
    s.stride_h = sl_case_pick(seed, 1, side ? 2 : 3);
    s.stride_w = side ? s.stride_h : sl_case_pick(seed, 1, 3);
    s.dilation_h = side ? 1 : sl_case_pick(seed, 1, 2);
    s.dilation_w = side ? 1 : sl_case_pick(seed, 1, 2);
    s.pad_top = sl_case_pick(seed, 0, side ? side / 2 : 3);
    s.pad_left = sl_case_pick(seed, 0, side ? side / 2 : 3);
    size_t pad_h = s.pad_top + sl_case_pick(seed, 0, side ? side / 2 : 3);
    size_t pad_w = s.pad_left + sl_case_pick(seed, 0, side ? side / 2 : 3);
    s.out_h = out_of(s.in_h, s.kernel_h, s.stride_h, s.dilation_h, pad_h);
    s.out_w = out_of(s.in_w, s.kernel_w, s.stride_w, s.dilation_w, pad_w);
    if (s.out_h * s.out_w > 0)
        check(kernel, &s, s.in_h & 1, seed);
}

TEST(random_windows_equal_f32)
{
    const struct sl_depthwise *kernel;
    SL_EACH (kernel, depthwise, SL_F16) {
        uint32_t seed = 4;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t n = 0; n < 320; n++)
            check_random(kernel, &seed, (size_t[]){0, 3, 5, 7}[n % 4]);
    }
}

TEST(channels_up_to_two_blocks_equal_f32)
{
    SL_CASE_DEPTHWISE_SIZED(depthwise, kernel->element == SL_F16, 8,
                            check(kernel, &shape, size % 2 != 0, &seed));
}

/* Pixels of 2 to 32 bytes of wide images go by even and odd columns at stride 2. */
TEST(wide_images_of_few_channels_equal_f32)
{
    const struct sl_depthwise *kernel;
    SL_EACH (kernel, depthwise, SL_F16) {
        uint32_t seed = 6;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t n = 0; n < 15; n++) {
            struct sl_depthwise_shape s = {1,
                                           sl_case_pick(&seed, 3, 11),
                                           60 + sl_case_pick(&seed, 0, 90),
                                           0,
                                           0,
                                           0,
                                           1,
                                           3,
                                           3,
                                           2,
                                           2,
                                           1,
                                           1,
                                           n % 2,
                                           n / 2 % 3};
            s.channels = (size_t)1 << n % 5;
            s.out_h = out_of(s.in_h, 3, 2, 1, s.pad_top + n % 3);
            s.out_w = out_of(s.in_w, 3, 2, 1, s.pad_left + n / 3 % 3);
            check(kernel, &s, n & 1, &seed);
        }
    }
}
