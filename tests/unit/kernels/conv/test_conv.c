/* tests/unit/kernels/conv/test_conv.c: every convolution of the list against a plain one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "kernels/conv/conv.h"
#include "kernels/cpu/isa.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"

static double element(const struct sl_conv_shape *s, const float *in, const float *w, size_t oy,
                      size_t ox, size_t o)
{
    double sum = 0;
    size_t g = o / s->group_out_c;
    for (size_t ky = 0; ky < s->kernel_h; ky++)
        for (size_t kx = 0; kx < s->kernel_w; kx++) {
            size_t y = oy * s->stride_h + ky * s->dilation_h - s->pad_top;
            size_t x = ox * s->stride_w + kx * s->dilation_w - s->pad_left;
            for (size_t i = 0; y < s->in_h && x < s->in_w && i < s->group_in_c; i++)
                sum += (double)in[((y * s->in_w + x) * s->groups + g) * s->group_in_c + i] *
                       (double)w[((o * s->kernel_h + ky) * s->kernel_w + kx) * s->group_in_c + i];
        }
    return sum;
}

static double *reference(const struct sl_conv_shape *s, const float *in, const float *w,
                         const float *bias, double min, double max)
{
    size_t out_c = s->groups * s->group_out_c,
           image = s->in_h * s->in_w * s->groups * s->group_in_c;
    double *want = calloc(s->batch * s->out_h * s->out_w * out_c, sizeof(double)), *to = want;
    for (size_t n = 0; n < s->batch; n++)
        for (size_t p = 0; p < s->out_h * s->out_w; p++)
            for (size_t o = 0; o < out_c; o++)
                *to++ = sl_case_clamp(element(s, in + n * image, w, p / s->out_w, p % s->out_w, o) +
                                          (bias ? (double)bias[o] : 0),
                                      min, max);
    return want;
}

static void check(const struct sl_conv *kernel, const struct sl_conv_shape *s, bool has_bias,
                  bool clamps, uint32_t *seed)
{
    if (kernel->fits && !kernel->fits(s))
        return;
    size_t out_c = s->groups * s->group_out_c, out_count = s->batch * s->out_h * s->out_w * out_c;
    float *in = sl_case_floats(seed, s->batch * s->in_h * s->in_w * s->groups * s->group_in_c);
    float *w = sl_case_floats(seed, out_c * s->kernel_h * s->kernel_w * s->group_in_c);
    float *bias = has_bias ? sl_case_floats(seed, out_c) : NULL;
    float *out = sl_case_constant(out_count, NAN);
    void *packed = sl_guarded_new(kernel->weights_bytes(s), 64);
    void *workspace = sl_guarded_new(kernel->workspace_bytes(s), 64);
    kernel->pack_weights(s, w, bias, packed);
    struct sl_conv_args args = {
        *s, in, packed, out, clamps ? -0.5f : -INFINITY, clamps ? 0.5f : INFINITY, workspace};
    double *want = reference(s, in, w, bias, (double)args.min, (double)args.max);
    kernel->run(&args);
    char shape[200];
    snprintf(shape, sizeof(shape),
             "in %zux%zux%zu groups %zu x %zu->%zu kernel %zux%zu stride %zux%zu dilation %zux%zu "
             "pad %zu,%zu out %zux%zu",
             s->batch, s->in_h, s->in_w, s->groups, s->group_in_c, s->group_out_c, s->kernel_h,
             s->kernel_w, s->stride_h, s->stride_w, s->dilation_h, s->dilation_w, s->pad_top,
             s->pad_left, s->out_h, s->out_w);
    sl_case_close(kernel->name, shape, out, want, out_count, 1e-5);
    free(want);
    sl_case_free(6, (void *[]){in, w, bias, out, packed, workspace});
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

static void random_shapes_equal_the_reference(void **state)
{
    (void)state;
    const struct sl_conv *kernel;
    for (size_t i = 0; (kernel = sl_conv_at(i)) != NULL; i++) {
        uint32_t seed = 5;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (int n = 0; n < 150; n++) {
#define PICK(low, high) sl_case_pick(&seed, low, high)
            struct sl_conv_shape s = {PICK(1, 2), PICK(1, 9), PICK(1, 11), 0,
                                      0,          PICK(1, 3), PICK(1, 9),  PICK(1, 21),
                                      PICK(1, 4), PICK(1, 4), PICK(1, 3),  PICK(1, 3),
                                      PICK(1, 2), PICK(1, 2), PICK(0, 4),  PICK(0, 4)};
            if (finish(&s, PICK(0, 4), PICK(0, 4)))
                check(kernel, &s, PICK(0, 1), PICK(0, 1), &seed);
#undef PICK
        }
    }
}

static void shapes_of_real_models_equal_the_reference(void **state)
{
    (void)state;
    static const struct sl_conv_shape shapes[] = {
        {1, 18, 18, 0, 0, 1, 3, 16, 3, 3, 2, 2, 1, 1, 0, 0},
        {1, 12, 12, 0, 0, 1, 3, 16, 3, 3, 1, 1, 1, 1, 1, 1},
        {1, 8, 8, 0, 0, 1, 16, 32, 3, 3, 1, 1, 1, 1, 1, 1},
        {1, 7, 7, 0, 0, 1, 32, 20, 1, 1, 1, 1, 1, 1, 0, 0},
        {1, 9, 9, 0, 0, 4, 8, 8, 5, 5, 2, 2, 1, 1, 2, 2},
        {1, 3, 3, 0, 0, 1, 40, 40, 3, 3, 1, 1, 2, 2, 2, 2},
    };
    const struct sl_conv *kernel;
    for (size_t i = 0; (kernel = sl_conv_at(i)) != NULL; i++) {
        uint32_t seed = 6;
        if ((kernel->needs & ~sl_isa_detect()) != 0)
            continue;
        for (size_t n = 0; n < sizeof(shapes) / sizeof(shapes[0]); n++) {
            struct sl_conv_shape s = shapes[n];
            assert_true(finish(&s, s.pad_top ? s.pad_top : 1, s.pad_left ? s.pad_left : 1));
            check(kernel, &s, true, true, &seed);
        }
    }
}

static void select_without_isa_is_portable(void **state)
{
    (void)state;
    struct sl_conv_shape s = {1, 4, 4, 4, 4, 1, 2, 2, 3, 3, 1, 1, 1, 1, 1, 1};
    assert_int_equal(sl_conv_select(SL_ISA_NONE, &s)->needs, SL_ISA_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_shapes_equal_the_reference),
        cmocka_unit_test(shapes_of_real_models_equal_the_reference),
        cmocka_unit_test(select_without_isa_is_portable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
