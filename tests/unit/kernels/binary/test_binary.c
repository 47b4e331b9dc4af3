/* tests/unit/kernels/binary/test_binary.c: every binary operator of the list against a plain one.
 */
#include <math.h>
#include <stdio.h>

#include "kernels/binary/binary.h"
#include "kernels/cpu/isa.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"
#include "tests/support/test.h"

static float apply(int op, float a, float b)
{
    switch (op) {
    case SL_BINARY_ADD:
        return a + b;
    case SL_BINARY_SUBTRACT:
        return a - b;
    case SL_BINARY_MULTIPLY:
        return a * b;
    case SL_BINARY_DIVIDE:
        return a / b;
    case SL_BINARY_PRELU:
        return a < 0 ? a * b : a;
    case SL_BINARY_EQUAL:
        return a == b;
    case SL_BINARY_UNEQUAL:
        return a != b;
    case SL_BINARY_LESS:
        return a < b;
    case SL_BINARY_ATMOST:
        return a <= b;
    case SL_BINARY_KEEP:
        return a != 0 ? b : 0;
    case SL_BINARY_DROP:
        return a == 0 ? b : 0;
    default:
        if (isnan(a) || isnan(b))
            return NAN;
        return (op == SL_BINARY_MAXIMUM) == (a > b) ? a : b;
    }
}

/* Past two turns of 16 of the longest vectors. */
enum { LONGEST = 2100 };

enum placement { APART, OVER_A, OVER_B };

static void check(const struct sl_binary *kernel, size_t count, size_t a_step, size_t b_step,
                  enum placement placement, bool clamps)
{
    uint32_t seed = (uint32_t)count + 1;
    static double want[LONGEST];
    float *a = sl_case_floats(&seed, a_step ? count : 1),
          *b = sl_case_floats(&seed, b_step ? count : 1);
    float *out = placement == APART ? sl_case_constant(count, 77) : placement == OVER_A ? a : b;
    if (count > 4 && a_step)
        a[4] = NAN;
    if (count > 5 && b_step) {
        b[5] = NAN;
        b[3] = INFINITY;
    }
    struct sl_binary_args args = {
        count, a, b, a_step, b_step, out, clamps ? -0.5f : -INFINITY, clamps ? 0.5f : INFINITY};
    for (size_t i = 0; i < count; i++)
        want[i] = sl_case_clamp((double)apply(kernel->op, a[i * a_step], b[i * b_step]),
                                (double)args.min, (double)args.max);
    char shape[80];
    snprintf(shape, sizeof(shape), "count %zu steps %zu,%zu placement %d", count, a_step, b_step,
             placement);
    kernel->run(&args);
    sl_case_close(kernel->name, shape, out, want, count, 0);
    sl_guarded_free(a);
    sl_guarded_free(b);
    if (placement == APART)
        sl_guarded_free(out);
}

TEST(every_count_and_broadcast_is_exact)
{
    const struct sl_binary *kernel;
    SL_EACH (kernel, binary, SL_F32) {
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t count = 0; count < LONGEST; count += count < 70 ? 1 : count < 400 ? 37 : 331) {
            check(kernel, count, 1, 1, APART, false);
            check(kernel, count, 1, 1, OVER_A, true);
            check(kernel, count, 1, 1, OVER_B, false);
            check(kernel, count, 0, 1, APART, true);
            check(kernel, count, 1, 0, APART, false);
            check(kernel, count, 1, 0, OVER_A, true);
            check(kernel, count, 0, 1, OVER_B, false);
        }
        check(kernel, 1, 0, 0, APART, false);
    }
}

/* A product that was added to 0 would have lost its sign. */
TEST(products_of_zero_keep_their_sign)
{
    const struct sl_binary *kernel;
    enum { COUNT = LONGEST };
    SL_EACH (kernel, binary, SL_F32) {
        if (kernel->op != SL_BINARY_MULTIPLY || !sl_case_may_run(kernel->name, kernel->needs))
            continue;
        float *a = sl_case_constant(COUNT, 0), *b = sl_case_constant(COUNT, 2);
        float *out = sl_case_constant(COUNT, 77);
        for (size_t i = 0; i < COUNT; i++) {
            a[i] = i % 2 ? -0.0f : 0.0f;
            b[i] = i % 3 ? -3.0f : 2.0f;
        }
        kernel->run(&(struct sl_binary_args){COUNT, a, b, 1, 1, out, -INFINITY, INFINITY});
        for (size_t i = 0; i < COUNT; i++)
            assert_true(out[i] == 0 && !signbit(out[i]) == (i % 2 == (i % 3 != 0)));
        sl_case_free(3, (void *[]){a, b, out});
    }
}

TEST(select_gives_the_operator_asked_for)
{
    for (int op = SL_BINARY_ADD; op < SL_BINARY_OP_END; op++) {
        assert_int_equal(sl_binary_select(SL_ISA_NONE, SL_F32, op)->op, op);
        assert_int_equal(sl_binary_select(sl_isa_detect(), SL_F32, op)->op, op);
    }
}
