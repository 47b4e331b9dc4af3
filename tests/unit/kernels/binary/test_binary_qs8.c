/* tests/unit/kernels/binary/test_binary_qs8.c: every sum and product of int8 of the list against
 * the fixed point that its header states, and that against real numbers. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/binary/binary_qs8.h"
#include "kernels/cpu/isa.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"
#include "tests/support/qs8_case.h"
#include "tests/support/test.h"

/* The header's words in double precision: all that is computed fits into 53 bits. */
static int8_t expected(int op, const struct sl_binary_qs8_plan *p, int a, int b,
                       struct sl_requant_out out)
{
    double x = a - p->a_zero, y = b - p->b_zero, value;
    if (op == SL_BINARY_MULTIPLY)
        value = floor(ldexp(x * y, 1 + p->pre_shift) * p->a_multiplier / 0x1p32);
    else
        value = x * p->a_multiplier + y * p->b_multiplier;
    value = floor(ldexp(value, -p->shift) + 0.5) + out.zero;
    return (int8_t)fmin(fmax(value, out.min), out.max);
}

static void check(const struct sl_binary_qs8 *kernel, int op, size_t count, int broadcast,
                  uint32_t *seed)
{
    char text[80];
    size_t a_count = broadcast == 1 && count > 1 ? 1 : count;
    size_t b_count = broadcast == 2 && count > 1 ? 1 : count;
    int8_t *a = sl_case_bytes(seed, a_count), *b = sl_case_bytes(seed, b_count);
    int8_t *out = sl_case_same_bytes(count, 0), *want = sl_case_same_bytes(count, 0);
    struct sl_quant_scale a_scale = {0.001f * (float)sl_case_pick(seed, 1, 60),
                                     (int32_t)sl_case_pick(seed, 0, 255) - 128};
    struct sl_quant_scale b_scale = {0.001f * (float)sl_case_pick(seed, 1, 60),
                                     (int32_t)sl_case_pick(seed, 0, 255) - 128};
    struct sl_binary_qs8_args args = {
        count, a, b, a_count == count, b_count == count, out, .out_quant = {7, -128, 127}};
    float out_scale = op == SL_BINARY_MULTIPLY ? 0.0003f : 0.03f;
    if (*seed % 3 == 0)
        args.out_quant = (struct sl_requant_out){-90, -70, 101};
    assert_int_equal(sl_binary_qs8_prepare(op, a_scale, b_scale, out_scale, &args.plan), 0);
    for (size_t i = 0; i < count; i++)
        want[i] = expected(op, &args.plan, a[i * args.a_step], b[i * args.b_step], args.out_quant);
    kernel->run(&args);
    snprintf(text, sizeof(text), "op %d count %zu broadcast %d", op, count, broadcast);
    sl_qs8_case_equal(kernel->name, text, out, want, count);
    sl_case_free(4, (void *[]){a, b, out, want});
}

TEST(every_count_equals_the_fixed_point)
{
    const struct sl_binary_qs8 *kernel;
    for (size_t i = 0; (kernel = sl_binary_qs8_at(i)) != NULL; i++) {
        uint32_t seed = 1;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t count = 0; count <= 150; count++) {
            bool difference = kernel->op == SL_BINARY_ADD && count % 4 == 3;
            check(kernel, difference ? SL_BINARY_SUBTRACT : kernel->op, count, (int)(count % 3),
                  &seed);
        }
        check(kernel, kernel->op, 4099, 0, &seed);
    }
}

/* Scales at the ends of what XNNPACK takes, and one past them. */
TEST(extreme_scales_equal_the_fixed_point)
{
    static const float sums[] = {0x1p-10f, 255.9f, 1.0f, 3.0f};
    static const float products[] = {0x1p-16f, 0.3f, 1.0f, 255.9f};
    const struct sl_binary_qs8 *kernel;
    for (size_t i = 0; (kernel = sl_binary_qs8_at(i)) != NULL; i++) {
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t s = 0; s < 4; s++) {
            float scale = kernel->op == SL_BINARY_MULTIPLY ? products[s] : sums[s];
            struct sl_binary_qs8_args args = {
                256, NULL, NULL, 1, 1, NULL, .out_quant = {-3, -128, 127}};
            int8_t a[256], b[256], out[256];
            const struct sl_quant_scale one = {scale, -128}, other = {1.0f, 127};
            assert_int_equal(sl_binary_qs8_prepare(kernel->op, one, other, 1.0f, &args.plan), 0);
            for (int n = 0; n < 256; n++) {
                a[n] = (int8_t)(n - 128);
                b[n] = (int8_t)(n % 2 ? 127 - n : n - 128);
            }
            args.a = a;
            args.b = b;
            args.out = out;
            kernel->run(&args);
            for (int n = 0; n < 256; n++)
                assert_int_equal(out[n],
                                 expected(kernel->op, &args.plan, a[n], b[n], args.out_quant));
        }
    }
    struct sl_binary_qs8_plan plan;
    const struct sl_quant_scale one = {1.0f, 0}, large = {256.0f, 0};
    assert_int_equal(sl_binary_qs8_prepare(SL_BINARY_ADD, one, large, 1.0f, &plan), -1);
    assert_int_equal(sl_binary_qs8_prepare(SL_BINARY_MULTIPLY, one, large, 1.0f, &plan), -1);
}

TEST(sums_and_products_are_those_of_real_numbers)
{
    const struct sl_quant_scale a = {0.05f, 3}, b = {0.02f, -9};
    for (int op = 0; op < 2; op++) {
        int of = op ? SL_BINARY_MULTIPLY : SL_BINARY_ADD;
        struct sl_binary_qs8_plan plan;
        assert_int_equal(sl_binary_qs8_prepare(of, a, b, 0.07f, &plan), 0);
        for (int x = -128; x < 128; x++) {
            int y = (x * 37) % 128;
            double real = op ? 0.05 * (x - 3) * 0.02 * (y + 9) : 0.05 * (x - 3) + 0.02 * (y + 9);
            double value = fmin(fmax(real / 0.07 + 5, -128), 127);
            int got = expected(of, &plan, x, y, (struct sl_requant_out){5, -128, 127});
            assert_true(fabs(got - value) <= 0.51);
        }
    }
}
