/* tests/unit/kernels/pool/test_pool.c: every pooling of the list against a plain one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/cpu/isa.h"
#include "kernels/pool/pool.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"
#include "tests/support/test.h"

/* Sets *out_valid to the number of pixels of the window that lie inside. */
static double element(const struct sl_pool_args *a, const float *in, size_t oy, size_t ox, size_t c,
                      size_t *out_valid)
{
    double max = (double)-INFINITY, sum = 0;
    bool nan = false;
    *out_valid = 0;
    for (size_t t = 0; t < a->kernel_h * a->kernel_w; t++) {
        size_t y = oy * a->stride_h + t / a->kernel_w * a->dilation_h - a->pad_top;
        size_t x = ox * a->stride_w + t % a->kernel_w * a->dilation_w - a->pad_left;
        if (y >= a->in_h || x >= a->in_w)
            continue;
        double v = (double)in[(y * a->in_w + x) * a->channels + c];
        nan = nan || isnan(v);
        max = v > max ? v : max;
        sum += v;
        ++*out_valid;
    }
    double y = a->op == SL_POOL_MAX ? max : sum / (double)*out_valid;
    return nan ? (double)NAN : sl_case_clamp(y, (double)a->min, (double)a->max);
}

/* NULL when a window has no valid pixel, which the contract forbids. */
static double *reference(const struct sl_pool_args *a)
{
    const float *in = a->in;
    size_t pixels = a->out_h * a->out_w, valid, image = a->in_h * a->in_w * a->channels;
    double *want = calloc(a->batch * pixels * a->channels, sizeof(double)), *to = want;
    for (size_t n = 0; n < a->batch; n++)
        for (size_t p = 0; p < pixels; p++)
            for (size_t c = 0; c < a->channels; c++) {
                *to++ = element(a, in + n * image, p / a->out_w, p % a->out_w, c, &valid);
                if (valid == 0) {
                    free(want);
                    return NULL;
                }
            }
    return want;
}

static void check(const struct sl_pool *kernel, struct sl_pool_args a, float *in)
{
    size_t count = a.batch * a.out_h * a.out_w * a.channels;
    a.in = in;
    a.op = kernel->op;
    double *want = reference(&a);
    if (!want)
        return;
    a.out = sl_case_constant(count, 77);
    kernel->run(&a);
    char shape[160];
    snprintf(
        shape, sizeof(shape),
        "in %zux%zux%zux%zu kernel %zux%zu stride %zux%zu dilation %zux%zu pad %zu,%zu out %zux%zu",
        a.batch, a.in_h, a.in_w, a.channels, a.kernel_h, a.kernel_w, a.stride_h, a.stride_w,
        a.dilation_h, a.dilation_w, a.pad_top, a.pad_left, a.out_h, a.out_w);
    sl_case_close(kernel->name, shape, a.out, want, count, 1e-6);
    free(want);
    sl_guarded_free(a.out);
}

static void check_random(const struct sl_pool *kernel, uint32_t *seed)
{
#define PICK(low, high) sl_case_pick(seed, low, high)
    size_t square = PICK(0, 2); /* 0: anything; else windows that do not overlap, of 2 or 3 */
    size_t k = square + 1;
    bool clamps = PICK(0, 1);
    struct sl_pool_args a = {.batch = PICK(1, 2),
                             .in_h = PICK(1, 12),
                             .in_w = PICK(1, 12),
                             .channels = PICK(1, PICK(0, 9) ? 40 : 530),
                             .kernel_h = square ? k : PICK(1, 5),
                             .kernel_w = square ? k : PICK(1, 5),
                             .stride_h = square ? k : PICK(1, 3),
                             .stride_w = square ? k : PICK(1, 3),
                             .dilation_h = square ? 1 : PICK(1, 2),
                             .dilation_w = square ? 1 : PICK(1, 2),
                             .pad_top = PICK(0, 2),
                             .pad_left = PICK(0, 2),
                             .min = clamps ? -0.2f : -INFINITY,
                             .max = clamps ? 0.4f : INFINITY};
    a.out_h =
        sl_case_out_size(a.in_h, a.kernel_h, a.stride_h, a.dilation_h, a.pad_top + PICK(0, 2));
    a.out_w =
        sl_case_out_size(a.in_w, a.kernel_w, a.stride_w, a.dilation_w, a.pad_left + PICK(0, 2));
    if (a.out_h == 0 || a.out_w == 0)
        return;
    size_t count = a.batch * a.in_h * a.in_w * a.channels;
    float *in = sl_case_floats(seed, count);
    if (PICK(0, 3) == 0)
        in[PICK(0, count - 1)] = NAN;
    check(kernel, a, in);
    sl_guarded_free(in);
#undef PICK
}

TEST(random_windows_equal_the_reference)
{
    const struct sl_pool *kernel;
    SL_EACH (kernel, pool, SL_F32) {
        uint32_t seed = 9;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (int n = 0; n < 300; n++)
            check_random(kernel, &seed);
    }
}

/* Rows of windows of 2 at stride 2, `channels` being whole vectors at some length of them. */
static void check_halving(const struct sl_pool *kernel, size_t channels, size_t out_w,
                          uint32_t *seed)
{
    bool clamps = out_w % 4 == 0;
    struct sl_pool_args a = {.batch = 2,
                             .in_h = 5,
                             .in_w = 2 * out_w + out_w % 3 / 2,
                             .out_h = 2,
                             .out_w = out_w,
                             .channels = channels,
                             .kernel_h = 2,
                             .kernel_w = 2,
                             .stride_h = 2,
                             .stride_w = 2,
                             .dilation_h = 1,
                             .dilation_w = 1,
                             .min = clamps ? -0.2f : -INFINITY,
                             .max = clamps ? 0.4f : INFINITY};
    float *in = sl_case_floats(seed, a.batch * a.in_h * a.in_w * channels);
    in[channels] = NAN;
    check(kernel, a, in);
    sl_guarded_free(in);
}

TEST(halvings_of_whole_vectors_of_channels_equal_the_reference)
{
    const struct sl_pool *kernel;
    uint32_t seed = 10;
    SL_EACH (kernel, pool, SL_F32)
        for (size_t channels = 4; channels <= 128; channels *= 2)
            for (size_t out_w = 1; out_w < 10; out_w++)
                if (sl_case_may_run(kernel->name, kernel->needs))
                    check_halving(kernel, channels, out_w, &seed);
}

TEST(halvings_of_long_rows_of_few_channels_equal_the_reference)
{
    const struct sl_pool *kernel;
    uint32_t seed = 11;
    SL_EACH (kernel, pool, SL_F32)
        for (size_t n = 0; n < 63; n++)
            if (sl_case_may_run(kernel->name, kernel->needs))
                check_halving(kernel, (size_t[]){1, 2, 3, 5, 8, 12, 19, 24, 33}[n % 9],
                              (size_t[]){4, 6, 9, 12, 16, 23, 68}[n % 7], &seed);
}

TEST(select_gives_the_operator_asked_for)
{
    assert_int_equal(sl_pool_select(SL_ISA_NONE, SL_F32, SL_POOL_AVERAGE)->op, SL_POOL_AVERAGE);
    assert_int_equal(sl_pool_select(sl_isa_detect(), SL_F32, SL_POOL_MAX)->op, SL_POOL_MAX);
}
