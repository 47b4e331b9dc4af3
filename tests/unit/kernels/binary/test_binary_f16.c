/* tests/unit/kernels/binary/test_binary_f16.c: every binary operator on halves equals the f32 one,
 * rounded, to the bit. */
#include <math.h>
#include <stdio.h>

#include "kernels/binary/binary.h"
#include "kernels/cpu/half.h"
#include "kernels/cpu/isa.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"
#include "tests/support/test.h"

static const uint16_t specials[] = {0x7c00, 0xfc00, 0x7e00, 0x0000, 0x8000, 0x0001,
                                    0x8001, 0x03ff, 0x7bff, 0xfbff, 0x3c00, 0x0400};
enum { SPECIALS = sizeof(specials) / sizeof(specials[0]) };

static bool same(uint16_t got, uint16_t want)
{
    if ((want & 0x7fff) > 0x7c00)
        return (got & 0x7fff) > 0x7c00;
    return got == want || ((got | want) & 0x7fff) == 0; /* zeros of either sign */
}

static void check_operands(const struct sl_binary *kernel, struct sl_binary_args args)
{
    const struct sl_binary *exact = sl_binary_select(SL_ISA_NONE, SL_F32, kernel->op);
    const uint16_t *left = args.a, *right = args.b;
    uint16_t *out = sl_case_constant_halves(args.count, 0x7777);
    args.out = out;
    kernel->run(&args);
    for (size_t i = 0; i < args.count; i++) {
        float a = sl_half_to_float(left[i * args.a_step]), wide = 0;
        float b = sl_half_to_float(right[i * args.b_step]);
        struct sl_binary_args one = {1, &a, &b, 1, 1, &wide, args.min, args.max};
        exact->run(&one);
        if (!same(out[i], sl_half_from_float(wide)))
            fail_msg("%s, count %zu: %g and %g give %g, not %g", kernel->name, args.count,
                     (double)a, (double)b, (double)sl_half_to_float(out[i]), (double)wide);
    }
    sl_guarded_free(out);
}

static void check(const struct sl_binary *kernel, size_t count, size_t a_step, size_t b_step,
                  bool clamps)
{
    uint32_t seed = (uint32_t)count + 1;
    uint16_t *a = sl_case_halves(&seed, a_step ? count : 1, false);
    uint16_t *b = sl_case_halves(&seed, b_step ? count : 1, false);
    for (size_t i = 0; a_step && b_step && i + 200 < count && i < SPECIALS * SPECIALS; i++) {
        a[i] = specials[i / SPECIALS];
        b[i] = specials[i % SPECIALS];
    }
    struct sl_binary_args args = {.count = count, .a = a, .b = b};
    args.a_step = a_step;
    args.b_step = b_step;
    args.min = clamps ? -0.5f : -INFINITY;
    args.max = clamps ? 0.75f : INFINITY;
    check_operands(kernel, args);
    sl_guarded_free(a);
    sl_guarded_free(b);
}

TEST(every_operator_equals_f32_rounded)
{
    const struct sl_binary *kernel;
    SL_EACH (kernel, binary, SL_F16) {
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t count = 0; count < 900; count += count < 70 ? 1 : 131) {
            check(kernel, count, 1, 1, count % 2);
            if (count > 0) {
                check(kernel, count, 0, 1, count % 3 == 0);
                check(kernel, count, 1, 0, count % 3 == 0);
            }
        }
        check(kernel, 5000, 1, 1, false);
        check(kernel, 5000, 1, 1, true);
    }
}

TEST(results_may_overwrite_an_operand)
{
    const struct sl_binary *kernel;
    SL_EACH (kernel, binary, SL_F16) {
        uint16_t a[100], b[100], apart[100];
        for (size_t j = 0; j < 100; j++) {
            a[j] = sl_half_from_float((float)j * 0.25f - 3);
            b[j] = sl_half_from_float(7 - (float)j * 0.5f);
        }
        struct sl_binary_args args = {100, a, b, 1, 1, apart, -INFINITY, INFINITY};
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        kernel->run(&args);
        args.out = a;
        kernel->run(&args);
        assert_memory_equal(a, apart, sizeof(a));
    }
}
