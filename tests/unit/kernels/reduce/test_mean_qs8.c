/* tests/unit/kernels/reduce/test_mean_qs8.c: every mean of int8 of the list against the rule of its
 * header, to the bit. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/cpu/isa.h"
#include "kernels/reduce/mean_qs8.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"
#include "tests/support/qs8_case.h"
#include "tests/support/test.h"

/* Product and sum rounded to f32 each; double holds both exactly before. */
static int8_t mean_of(const struct sl_mean_qs8_args *a, int32_t sum)
{
    float product = (float)((double)(float)sum * (double)a->scale);
    float zeros = (float)((double)(float)((int32_t)a->reduced * a->in_zero) * (double)a->scale);
    float offset = (float)((double)a->out_quant.zero - (double)zeros);
    float y = rintf((float)((double)product + (double)offset));
    return (int8_t)fminf(fmaxf(y, a->out_quant.min), a->out_quant.max);
}

static void check(const struct sl_mean_qs8 *kernel, size_t outer, size_t reduced, size_t inner,
                  uint32_t *seed)
{
    char text[64];
    size_t count = outer * inner;
    int8_t *in = sl_case_bytes(seed, outer * reduced * inner);
    int8_t *out = sl_case_same_bytes(count, 0), *want = sl_case_same_bytes(count, 0);
    void *workspace = sl_guarded_new(kernel->workspace_bytes(inner), 64);
    bool clamped = *seed % 4 == 0;
    struct sl_mean_qs8_args a = {outer,
                                 reduced,
                                 inner,
                                 in,
                                 out,
                                 (clamped ? 0.3f : 2.7f) / (float)reduced,
                                 (int8_t)sl_case_pick(seed, 0, 255),
                                 {-9, clamped ? -30 : -128, clamped ? 11 : 127},
                                 workspace};
    if (reduced > 200)
        memset(in, -128, outer * reduced * inner); /* the largest sums */
    for (size_t o = 0; o < outer; o++)
        for (size_t i = 0; i < inner; i++) {
            int32_t sum = 0;
            for (size_t r = 0; r < reduced; r++)
                sum += in[(o * reduced + r) * inner + i];
            want[o * inner + i] = mean_of(&a, sum);
        }
    kernel->run(&a);
    snprintf(text, sizeof(text), "%zux%zux%zu", outer, reduced, inner);
    sl_qs8_case_equal(kernel->name, text, out, want, count);
    sl_case_free(4, (void *[]){in, out, want, workspace});
}

TEST(every_size_equals_the_reference)
{
    const struct sl_mean_qs8 *kernel;
    for (size_t i = 0; (kernel = sl_mean_qs8_at(i)) != NULL; i++) {
        uint32_t seed = 1;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t n = 1; n <= 140; n++) {
            check(kernel, 1 + n % 3, 1 + n % 9, n, &seed); /* columns */
            check(kernel, 1 + n % 2, n, 1, &seed);         /* rows */
        }
        check(kernel, 1, 600, 33, &seed);
        check(kernel, 2, 5003, 1, &seed);
        check(kernel, 1, 3, 1100, &seed);
        check(kernel, 0, 3, 5, &seed);
    }
}
