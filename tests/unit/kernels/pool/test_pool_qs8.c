/* tests/unit/kernels/pool/test_pool_qs8.c: every max pooling of int8 of the list against a plain
 * one. */
#include <stdio.h>

#include "kernels/cpu/isa.h"
#include "kernels/pool/pool_qs8.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"
#include "tests/support/qs8_case.h"
#include "tests/support/test.h"

/* The largest inside the window of output o, an index into [batch][out_h][out_w][channels]; -200
 * when nothing is inside. */
static int largest(const struct sl_pool_qs8_args *a, size_t o)
{
    size_t c = o % a->channels, ox = o / a->channels % a->out_w;
    size_t oy = o / a->channels / a->out_w % a->out_h;
    const int8_t *in =
        a->in + o / a->channels / a->out_w / a->out_h * a->in_h * a->in_w * a->channels;
    int most = -200;
    for (size_t ky = 0; ky < a->kernel_h; ky++)
        for (size_t kx = 0; kx < a->kernel_w; kx++) {
            size_t y = oy * a->stride_h + ky * a->dilation_h - a->pad_top;
            size_t x = ox * a->stride_w + kx * a->dilation_w - a->pad_left;
            if (y < a->in_h && x < a->in_w && in[(y * a->in_w + x) * a->channels + c] > most)
                most = in[(y * a->in_w + x) * a->channels + c];
        }
    return most;
}

static void check(const struct sl_pool_qs8 *kernel, struct sl_pool_qs8_args a, uint32_t *seed)
{
    char text[120];
    size_t count = a.batch * a.out_h * a.out_w * a.channels;
    int8_t *in = sl_case_bytes(seed, a.batch * a.in_h * a.in_w * a.channels);
    int8_t *out = sl_case_same_bytes(count, 0), *want = sl_case_same_bytes(count, 0);
    a.in = in;
    a.out = out;
    for (size_t o = 0; o < count; o++) {
        int most = largest(&a, o);
        assert_true(most >= -128); /* as the contract wants it */
        want[o] = (int8_t)(most < a.min ? a.min : most > a.max ? a.max : most);
    }
    kernel->run(&a);
    snprintf(text, sizeof(text), "%zux%zux%zu k %zux%zu s %zux%zu d %zux%zu p %zu,%zu", a.in_h,
             a.in_w, a.channels, a.kernel_h, a.kernel_w, a.stride_h, a.stride_w, a.dilation_h,
             a.dilation_w, a.pad_top, a.pad_left);
    sl_qs8_case_equal(kernel->name, text, out, want, count);
    sl_case_free(3, (void *[]){in, out, want});
}

/* A window whose padding is less than its reach, so that each has a pixel inside. */
static struct sl_pool_qs8_args random_window(uint32_t *seed)
{
    struct sl_pool_qs8_args a = {.batch = sl_case_pick(seed, 1, 2),
                                 .kernel_h = sl_case_pick(seed, 1, 3),
                                 .kernel_w = sl_case_pick(seed, 1, 3),
                                 .stride_h = sl_case_pick(seed, 1, 3),
                                 .stride_w = sl_case_pick(seed, 1, 3),
                                 .dilation_h = sl_case_pick(seed, 1, 2),
                                 .dilation_w = sl_case_pick(seed, 1, 2)};
    size_t reach_h = (a.kernel_h - 1) * a.dilation_h, reach_w = (a.kernel_w - 1) * a.dilation_w;
    a.in_h = reach_h + sl_case_pick(seed, 1, 6);
    a.in_w = reach_w + sl_case_pick(seed, 1, 6);
    a.pad_top = a.kernel_h > 1 ? sl_case_pick(seed, 0, a.dilation_h) : 0;
    a.pad_left = a.kernel_w > 1 ? sl_case_pick(seed, 0, a.dilation_w) : 0;
    a.out_h = sl_case_out_size(a.in_h, a.kernel_h, a.stride_h, a.dilation_h, 2 * a.pad_top);
    a.out_w = sl_case_out_size(a.in_w, a.kernel_w, a.stride_w, a.dilation_w, 2 * a.pad_left);
    a.min = *seed % 2 ? -128 : -60;
    a.max = *seed % 2 ? 127 : 50;
    return a;
}

TEST(every_count_of_channels_equals_the_reference)
{
    const struct sl_pool_qs8 *kernel;
    for (size_t i = 0; (kernel = sl_pool_qs8_at(i)) != NULL; i++) {
        uint32_t seed = 1;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t c = 1; c <= 140; c++) {
            struct sl_pool_qs8_args a = random_window(&seed);
            a.channels = c;
            check(kernel, a, &seed);
        }
        struct sl_pool_qs8_args wide = random_window(&seed);
        wide.channels = 1100;
        check(kernel, wide, &seed);
        wide.out_h = 0;
        check(kernel, wide, &seed);
    }
}
