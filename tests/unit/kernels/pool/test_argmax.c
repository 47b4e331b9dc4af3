/* tests/unit/kernels/pool/test_argmax.c: pooling with places against a plain search. */
#include <math.h>
#include <stdio.h>

#include "kernels/pool/argmax.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"
#include "tests/support/test.h"

enum { BATCH = 2, OUT_H = 3, OUT_W = 2, WINDOWS = BATCH * OUT_H * OUT_W };

/* The value of place p of the window of output i. */
static float tap(const float *in, size_t channels, size_t kernel_h, size_t kernel_w, size_t i,
                 size_t p)
{
    size_t c = i % channels, ox = i / channels % OUT_W, row = i / channels / OUT_W;
    size_t y = row * kernel_h + p / kernel_w, x = ox * kernel_w + p % kernel_w;
    return in[(y * OUT_W * kernel_w + x) * channels + c];
}

static void check(const struct sl_argmax *kernel, size_t channels, size_t kernel_h, size_t kernel_w)
{
    uint32_t seed = (uint32_t)(kernel_h + 10 * kernel_w + channels);
    size_t count = WINDOWS * channels, taps = kernel_h * kernel_w;
    float *in = sl_case_floats(&seed, count * taps), *out = sl_case_constant(count, 77);
    int32_t *index = sl_guarded_new(count * sizeof(*index), sizeof(*index));
    for (size_t i = 0; i < count * taps; i += 3)
        in[i] = 0.5f; /* ties */
    for (size_t i = 7; i < count * taps; i += 29)
        in[i] = i % 2 ? NAN : -INFINITY;
    in[0] = -0.0f;
    kernel->run(&(struct sl_argmax_args){BATCH, OUT_H, OUT_W, channels, kernel_h, kernel_w, in, out,
                                         index});
    for (size_t i = 0; i < count; i++) {
        size_t best = 0;
        for (size_t p = 1; p < taps; p++) {
            float a = tap(in, channels, kernel_h, kernel_w, i, best);
            float b = tap(in, channels, kernel_h, kernel_w, i, p);
            if (!isnan(a) && (isnan(b) || b > a))
                best = p;
        }
        float want = tap(in, channels, kernel_h, kernel_w, i, best);
        assert_true(out[i] == want || (isnan(out[i]) && isnan(want)));
        assert_int_equal(index[i], best);
    }
    sl_case_free(3, (void *[]){in, out, index});
}

TEST(first_maximum_of_each_window_is_found)
{
    const struct sl_argmax *kernel;
    for (size_t i = 0; (kernel = sl_argmax_at(i)) != NULL; i++) {
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t channels = 1; channels < 140; channels += channels < 36 ? 1 : 17) {
            check(kernel, channels, 1, 7);
            check(kernel, channels, 4, 1);
            check(kernel, channels, 2, 3);
            check(kernel, channels, 1, 1);
        }
        float nothing = 77;
        int32_t nowhere = 77;
        kernel->run(&(struct sl_argmax_args){1, 1, 1, 0, 2, 2, &nothing, &nothing, &nowhere});
        assert_true(nothing == 77 && nowhere == 77);
    }
}
