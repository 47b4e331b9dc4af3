/* tests/unit/kernels/conv/test_fold.c: summing of patches against scattering them one by one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "kernels/conv/fold.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"

enum { MAX_OUT = 4096 };

/* Adds what every input pixel's patch holds for the output pixel it falls on. */
static void scatter(const struct sl_fold_args *a, double *want)
{
    size_t channels = a->groups * a->group_out_c, taps = a->kernel_h * a->kernel_w;
    for (size_t i = 0; i < a->in_h * a->in_w * channels * taps; i++) {
        size_t o = i % a->group_out_c, kx = i / a->group_out_c % a->kernel_w;
        size_t ky = i / a->group_out_c / a->kernel_w % a->kernel_h;
        size_t g = i / a->group_out_c / taps % a->groups, p = i / channels / taps;
        size_t oy = p / a->in_w * a->stride_h + ky * a->dilation_h - a->pad_top;
        size_t ox = p % a->in_w * a->stride_w + kx * a->dilation_w - a->pad_left;
        if (oy < a->out_h && ox < a->out_w) /* wrapped when outside */
            want[(oy * a->out_w + ox) * channels + g * a->group_out_c + o] += (double)a->patches[i];
    }
}

static void check(const struct sl_fold *kernel, struct sl_fold_args a, bool bias, bool clamps)
{
    static double want[MAX_OUT];
    uint32_t seed = (uint32_t)(a.in_h * 31 + a.kernel_w);
    size_t channels = a.groups * a.group_out_c, count = a.out_h * a.out_w * channels;
    float *patches = sl_case_floats(&seed, a.in_h * a.in_w * channels * a.kernel_h * a.kernel_w);
    float *b = sl_case_floats(&seed, channels), *out = sl_case_constant(count, 77);
    assert_true(count <= MAX_OUT);
    a.patches = patches;
    a.bias = bias ? b : NULL;
    a.out = out;
    a.min = clamps ? -0.5f : -INFINITY;
    a.max = clamps ? 0.5f : INFINITY;
    for (size_t i = 0; i < count; i++)
        want[i] = bias ? (double)b[i % channels] : 0;
    scatter(&a, want);
    for (size_t i = 0; i < count; i++)
        want[i] = sl_case_clamp(want[i], (double)a.min, (double)a.max);
    kernel->run(&a);
    sl_case_close(kernel->name, "fold", out, want, count, 1e-6);
    sl_guarded_free(patches);
    sl_guarded_free(b);
    sl_guarded_free(out);
}

/* Output size of a transposed convolution. */
static size_t out_size(size_t in, size_t kernel, size_t stride, size_t dilation, size_t pads)
{
    return (in - 1) * stride + (kernel - 1) * dilation + 1 - pads;
}

static void patches_land_where_they_belong(void **state)
{
    static const size_t windows[][4] = {/* kernel, stride, dilation, pad */
                                        {1, 1, 1, 0}, {2, 2, 1, 0}, {3, 2, 1, 1}, {3, 1, 1, 1},
                                        {2, 3, 1, 0}, {3, 2, 2, 1}, {5, 2, 1, 2}};
    const struct sl_fold *kernel;
    (void)state;
    for (size_t i = 0; (kernel = sl_fold_at(i)) != NULL; i++) {
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t k = 0; k < sizeof(windows) / sizeof(windows[0]); k++)
            for (size_t groups = 1; groups < 3; groups++) {
                const size_t *w = windows[k];
                struct sl_fold_args a = {.in_h = 4,
                                         .in_w = 3,
                                         .groups = groups,
                                         .group_out_c = 5,
                                         .kernel_h = w[0],
                                         .kernel_w = w[0],
                                         .stride_h = w[1],
                                         .stride_w = w[1],
                                         .dilation_h = w[2],
                                         .dilation_w = w[2],
                                         .pad_top = w[3],
                                         .pad_left = w[3]};
                a.out_h = out_size(4, w[0], w[1], w[2], 2 * w[3]);
                a.out_w = out_size(3, w[0], w[1], w[2], 2 * w[3]) + (w[1] > 1); /* adjusted */
                check(kernel, a, true, false);
                check(kernel, a, false, true);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(patches_land_where_they_belong)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
