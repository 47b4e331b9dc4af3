/* tests/unit/kernels/cpu/test_signed_zeros.c: what operators by elements make of zeros, to the bit:
 * what XNNPACK does, but where it is said here. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/binary/binary.h"
#include "kernels/cpu/half.h"
#include "kernels/unary/unary.h"
#include "tests/support/kernel_case.h"
#include "tests/support/test.h"

/* Whole turns of the shortest vectors and a rest; a is -0, 0, ..., b is -0, -0, 0, 0, ... */
enum { COUNT = 150, PAIRS = 4 };

/* "--" and so on: of the four pairs in turn. NULL: no zeros. */
static const char *sums_of_zeros(int op, bool portable)
{
    switch (op) {
    case SL_BINARY_ADD:
        return "-+++";
    case SL_BINARY_SUBTRACT:
        return "++-+";
    case SL_BINARY_MULTIPLY:
        return "+--+";
    case SL_BINARY_MAXIMUM: /* the second of two that are equal, in portable code */
        return portable ? "--++" : "-+++";
    case SL_BINARY_MINIMUM:
        return portable ? "--++" : "---+";
    case SL_BINARY_PRELU:
        return "-+-+";
    case SL_BINARY_KEEP:
        return "----";
    case SL_BINARY_DROP:
        return "--++";
    default:
        return NULL;
    }
}

/* The same of -0 and 0 of one operand. */
static const char *function_of_zeros(int op)
{
    switch (op) {
    case SL_UNARY_CLAMP: /* to [0, 6] */
    case SL_UNARY_ABS:
    case SL_UNARY_SIGN:
    case SL_UNARY_ROOT:
        return "++";
    case SL_UNARY_NEGATE:
        return "+-";
    case SL_UNARY_FLOOR:
    case SL_UNARY_CEILING:
    case SL_UNARY_SQRT:
    case SL_UNARY_SIN:
    case SL_UNARY_LEAKY_RELU:
    case SL_UNARY_TANH:
    case SL_UNARY_HARDSWISH:
    case SL_UNARY_ELU:
    case SL_UNARY_GELU:
    case SL_UNARY_ROUND:
    case SL_UNARY_TRUNCATE:
    case SL_UNARY_GELU_TANH:
    case SL_UNARY_EXPM1:
    case SL_UNARY_LOG1P:
    case SL_UNARY_ERF:
    case SL_UNARY_SINH:
    case SL_UNARY_ASINH:
    case SL_UNARY_ATANH:
    case SL_UNARY_ASIN:
    case SL_UNARY_ATAN:
        return "-+";
    default:
        return NULL;
    }
}

static void expect(const char *kernel, const char *want, size_t period, const float *got)
{
    for (size_t i = 0; want && i < COUNT; i++)
        if (got[i] != 0 || (signbit(got[i]) != 0) != (want[i % period] == '-'))
            fail_msg("%s: element %zu is %g, not %c0", kernel, i, (double)got[i], want[i % period]);
}

static float a[COUNT], b[COUNT], out[COUNT];
static uint16_t a_halves[COUNT], b_halves[COUNT], out_halves[COUNT];

static int setup(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        a[i] = i % 2 ? 0.0f : -0.0f;
        b[i] = i % 4 > 1 ? 0.0f : -0.0f;
        a_halves[i] = sl_half_from_float(a[i]);
        b_halves[i] = sl_half_from_float(b[i]);
    }
    return 0;
}

static const float *widened(void)
{
    for (size_t i = 0; i < COUNT; i++)
        out[i] = sl_half_to_float(out_halves[i]);
    return out;
}

static bool is(const char *kernel, const char *engine)
{
    return strstr(kernel, engine) != NULL;
}

/* Clamped to [0, inf], every zero is 0. */
TEST(zeros_of_binary_operators_have_the_sign_that_xnnpack_gives)
{
    const struct sl_binary *kernel;
    for (int relu = 0; relu < 2; relu++) {
        float least = relu ? 0.0f : -INFINITY;
        for (size_t i = 0; (kernel = sl_binary_at(i)) != NULL; i++) {
            const char *want = sums_of_zeros(kernel->op, is(kernel->name, "_scalar"));
            if (!want || !sl_case_may_run(kernel->name, kernel->needs))
                continue;
            bool f32 = kernel->element == SL_F32;
            struct sl_binary_args args = {COUNT, a, b, 1, 1, out, least, INFINITY};
            if (!f32) {
                args.a = a_halves;
                args.b = b_halves;
                args.out = out_halves;
            }
            kernel->run(&args);
            expect(kernel->name, relu ? "++++" : want, PAIRS, f32 ? out : widened());
        }
    }
}

/* Runs it on operands of its type; the results as floats. */
static const float *unary_of(const struct sl_unary *kernel, const float *in, const uint16_t *halves,
                             float most)
{
    if (kernel->element == SL_F32) {
        kernel->run(COUNT, in, out, 0, most);
        return out;
    }
    kernel->run(COUNT, halves, out_halves, 0, most);
    return widened();
}

TEST(functions_of_zeros_have_the_sign_that_xnnpack_gives)
{
    const struct sl_unary *kernel;
    for (size_t i = 0; (kernel = sl_unary_at(i)) != NULL; i++)
        if (sl_case_may_run(kernel->name, kernel->needs))
            expect(kernel->name, function_of_zeros(kernel->op), 2,
                   unary_of(kernel, a, a_halves, 6));
}

/* The function's value cannot be told from 0 there: x < 0 times 0 is -0. */
TEST(what_vanishes_below_zero_is_a_zero_of_the_sign_of_the_operand)
{
    const struct sl_unary *kernel;
    static float far[COUNT];
    static uint16_t far_halves[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        far[i] = -20;
        far_halves[i] = sl_half_from_float(far[i]);
    }
    for (size_t i = 0; (kernel = sl_unary_at(i)) != NULL; i++)
        if ((kernel->op == SL_UNARY_HARDSWISH || kernel->op == SL_UNARY_GELU) &&
            sl_case_may_run(kernel->name, kernel->needs))
            expect(kernel->name, "-", 1, unary_of(kernel, far, far_halves, 0));
}

TEST_GROUP(setup, NULL);
