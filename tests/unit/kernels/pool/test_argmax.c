/* tests/unit/kernels/pool/test_argmax.c: pooling with places against a plain search. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "kernels/pool/argmax.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"

enum { BATCH = 2, OUT_H = 3, OUT_W = 2, CHANNELS = 5, COUNT = BATCH * OUT_H * OUT_W * CHANNELS };

/* The value of place p of the window of output i. */
static float tap(const float *in, size_t kernel_h, size_t kernel_w, size_t i, size_t p)
{
    size_t c = i % CHANNELS, ox = i / CHANNELS % OUT_W, row = i / CHANNELS / OUT_W;
    size_t y = row * kernel_h + p / kernel_w, x = ox * kernel_w + p % kernel_w;
    return in[(y * OUT_W * kernel_w + x) * CHANNELS + c];
}

static void check(const struct sl_argmax *kernel, size_t kernel_h, size_t kernel_w)
{
    uint32_t seed = (uint32_t)(kernel_h + 10 * kernel_w);
    int32_t index[COUNT];
    float *in = sl_case_floats(&seed, COUNT * kernel_h * kernel_w);
    float *out = sl_case_constant(COUNT, 77);
    for (size_t i = 0; i < COUNT * kernel_h * kernel_w; i += 3)
        in[i] = 0.5f; /* ties */
    in[7] = NAN;
    kernel->run(&(struct sl_argmax_args){BATCH, OUT_H, OUT_W, CHANNELS, kernel_h, kernel_w, in, out,
                                         index});
    for (size_t i = 0; i < COUNT; i++) {
        size_t best = 0;
        for (size_t p = 1; p < kernel_h * kernel_w; p++) {
            float a = tap(in, kernel_h, kernel_w, i, best), b = tap(in, kernel_h, kernel_w, i, p);
            if (!isnan(a) && (isnan(b) || b > a))
                best = p;
        }
        float want = tap(in, kernel_h, kernel_w, i, best);
        assert_true(out[i] == want || (isnan(out[i]) && isnan(want)));
        assert_int_equal(index[i], best);
    }
    sl_guarded_free(in);
    sl_guarded_free(out);
}

static void first_maximum_of_each_window_is_found(void **state)
{
    const struct sl_argmax *kernel;
    (void)state;
    for (size_t i = 0; (kernel = sl_argmax_at(i)) != NULL; i++) {
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        check(kernel, 1, 7);
        check(kernel, 4, 1);
        check(kernel, 2, 3);
        check(kernel, 1, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(first_maximum_of_each_window_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
