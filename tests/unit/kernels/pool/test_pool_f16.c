/* tests/unit/kernels/pool/test_pool_f16.c: every f16 pooling of the list against the portable f32
 * one. */
#include <math.h>
#include <stdio.h>

#include "kernels/cpu/isa.h"
#include "kernels/pool/pool.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"
#include "tests/support/test.h"

static void check(const struct sl_pool *kernel, struct sl_pool_args a, uint32_t *seed)
{
    size_t in_count = a.batch * a.in_h * a.in_w * a.channels;
    size_t out_count = a.batch * a.out_h * a.out_w * a.channels;
    uint16_t *in = sl_case_halves(seed, in_count, false);
    uint16_t *out = sl_case_constant_halves(out_count, 0x7777);
    if (in_count > 40)
        in[in_count / 2] = 0x7e00; /* a NaN wins */
    float *wide = sl_case_widen(in, in_count), *want = sl_case_constant(out_count, 0);
    a.in = in;
    a.out = out;
    kernel->run(&a);
    struct sl_pool_args f32 = {.op = a.op, .batch = a.batch, .channels = a.channels, .in = wide};
    f32.in_h = a.in_h, f32.in_w = a.in_w, f32.out_h = a.out_h, f32.out_w = a.out_w;
    f32.kernel_h = a.kernel_h, f32.kernel_w = a.kernel_w, f32.out = want;
    f32.stride_h = a.stride_h, f32.stride_w = a.stride_w, f32.min = a.min, f32.max = a.max;
    f32.dilation_h = a.dilation_h, f32.dilation_w = a.dilation_w;
    f32.pad_top = a.pad_top, f32.pad_left = a.pad_left;
    sl_pool_select(SL_ISA_NONE, SL_F32, a.op)->run(&f32);
    char shape[96];
    snprintf(shape, sizeof(shape), "in %zux%zux%zu kernel %zux%zu stride %zux%zu pad %zu,%zu",
             a.in_h, a.in_w, a.channels, a.kernel_h, a.kernel_w, a.stride_h, a.stride_w, a.pad_top,
             a.pad_left);
    sl_case_close_to_f32(kernel->name, shape, out, want, out_count, 0x1p-22);
    sl_case_free(4, (void *[]){in, out, wide, want});
}

static void check_random(const struct sl_pool *kernel, uint32_t *seed, int n)
{
    struct sl_pool_args a = {.op = kernel->op, .batch = sl_case_pick(seed, 1, 2)};
    a.kernel_h = n % 2 ? 2 : sl_case_pick(seed, 1, 4);
    a.kernel_w = n % 2 ? 2 : sl_case_pick(seed, 1, 4);
    a.dilation_h = n % 2 ? 1 : sl_case_pick(seed, 1, 2);
    a.dilation_w = n % 2 ? 1 : sl_case_pick(seed, 1, 2);
    a.stride_h = sl_case_pick(seed, 1, 3);
    a.stride_w = sl_case_pick(seed, 1, 3);
    a.pad_top = sl_case_pick(seed, 0, a.kernel_h - 1);
    a.pad_left = sl_case_pick(seed, 0, a.kernel_w - 1);
    a.in_h = sl_case_pick(seed, a.kernel_h * a.dilation_h, 9);
    a.in_w = sl_case_pick(seed, a.kernel_w * a.dilation_w, 11);
    a.channels = sl_case_pick(seed, 1, 200);
    a.out_h = sl_case_out_size(a.in_h, a.kernel_h, a.stride_h, a.dilation_h, a.pad_top);
    a.out_w = sl_case_out_size(a.in_w, a.kernel_w, a.stride_w, a.dilation_w, a.pad_left);
    a.min = n % 3 ? -INFINITY : -0.25f;
    a.max = n % 3 ? INFINITY : 0.5f;
    check(kernel, a, seed);
}

TEST(random_windows_equal_f32)
{
    const struct sl_pool *kernel;
    SL_EACH (kernel, pool, SL_F16) {
        uint32_t seed = 8;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (int n = 0; n < 80; n++)
            check_random(kernel, &seed, n);
    }
}

static void check_halving(const struct sl_pool *kernel, size_t channels, size_t out_w,
                          uint32_t *seed)
{
    struct sl_pool_args a = {.op = kernel->op, .batch = 2, .channels = channels};
    a.kernel_h = a.kernel_w = a.stride_h = a.stride_w = 2;
    a.dilation_h = a.dilation_w = 1;
    a.out_w = out_w, a.out_h = 1 + out_w % 2;
    a.in_w = 2 * out_w + out_w % 3 / 2, a.in_h = 2 * a.out_h + out_w % 2;
    a.min = out_w % 4 ? -INFINITY : -0.25f;
    a.max = out_w % 4 ? INFINITY : 0.5f;
    if (sl_case_may_run(kernel->name, kernel->needs))
        check(kernel, a, seed);
}

TEST(halvings_of_whole_vectors_of_channels_equal_f32)
{
    const struct sl_pool *kernel;
    uint32_t seed = 10;
    SL_EACH (kernel, pool, SL_F16)
        for (size_t channels = 8; channels <= 256; channels *= 2)
            for (size_t out_w = 1; out_w < 10; out_w++)
                check_halving(kernel, channels, out_w, &seed);
}

TEST(halvings_of_long_rows_of_few_channels_equal_f32)
{
    const struct sl_pool *kernel;
    uint32_t seed = 11;
    SL_EACH (kernel, pool, SL_F16)
        for (size_t n = 0; n < 63; n++)
            check_halving(kernel, (size_t[]){1, 3, 5, 16, 24, 31, 40, 48, 65}[n % 9],
                          (size_t[]){4, 6, 9, 12, 16, 23, 132}[n % 7], &seed);
}
