/* tests/unit/kernels/unary/test_unary_f16.c: every unary operator on all halves against f64. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/cpu/half.h"
#include "kernels/cpu/isa.h"
#include "kernels/unary/unary.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"
#include "tests/support/test.h"
#include "tests/unit/kernels/unary/exact.h"

enum { ALL = 65536 };
static const float param = 0.75f;

static double want_of(int op, double x)
{
    if (op == SL_UNARY_CLAMP)
        return sl_case_clamp(x, -0.75, 0.5);
    return sl_exact_unary(op, (double)param, x);
}

static void run(const struct sl_unary *kernel, size_t count, const uint16_t *in, uint16_t *out)
{
    kernel->run(count, in, out, kernel->op == SL_UNARY_CLAMP ? -param : param, 0.5f);
}

static double check_all(const struct sl_unary *kernel)
{
    uint16_t *in = sl_case_constant_halves(ALL, 0), *out = sl_case_constant_halves(ALL, 0x7777);
    double worst = 0;
    for (size_t i = 0; i < ALL; i++)
        in[i] = (uint16_t)i;
    run(kernel, ALL, in, out);
    for (size_t i = 0; i < ALL; i++) {
        double x = (double)sl_half_to_float(in[i]), want = want_of(kernel->op, x);
        sl_case_close_halves(kernel->name, "all halves", out + i, &want, 1,
                             sl_unary_most_ulp(kernel), 0);
        double got = (double)sl_half_to_float(out[i]);
        double error = fabs(got - want) / sl_case_half_ulp(want);
        worst = isfinite(got) && error > worst ? error : worst;
        if (want == 0 && kernel->op != SL_UNARY_CLAMP)
            assert_int_equal(out[i] & 0x7fff, 0);
    }
    sl_guarded_free(in);
    sl_guarded_free(out);
    return worst;
}

TEST(every_operator_rounds_once_on_all_halves)
{
    const struct sl_unary *kernel;
    if (!sl_case_sweeps())
        skip();
    SL_EACH (kernel, unary, SL_F16)
        if (sl_case_may_run(kernel->name, kernel->needs))
            printf("  %s: %.3f ulp\n", kernel->name, check_all(kernel));
}

static void check_count(const struct sl_unary *kernel, size_t count, bool in_place)
{
    uint32_t seed = (uint32_t)count;
    uint16_t *in = sl_case_halves(&seed, count, false);
    uint16_t *out = in_place ? in : sl_case_constant_halves(count, 0x7777);
    double *want = calloc(count + 1, sizeof(*want));
    for (size_t i = 0; i < count; i++)
        want[i] = want_of(kernel->op, (double)sl_half_to_float(in[i]));
    run(kernel, count, in, out);
    sl_case_close_halves(kernel->name, in_place ? "in place" : "apart", out, want, count,
                         sl_unary_most_ulp(kernel), 0);
    free(want);
    sl_guarded_free(in);
    if (!in_place)
        sl_guarded_free(out);
}

TEST(every_count_is_served_apart_and_in_place)
{
    const struct sl_unary *kernel;
    SL_EACH (kernel, unary, SL_F16) {
        for (size_t count = 0; count < 300; count += count < 40 ? 1 : 37) {
            if (!sl_case_may_run(kernel->name, kernel->needs))
                continue;
            check_count(kernel, count, false);
            check_count(kernel, count, true);
        }
        if (sl_case_may_run(kernel->name, kernel->needs))
            check_count(kernel, 2100, false);
    }
}

#if defined(__aarch64__)
/* x / 6 * min(max(x + 3, 0), 6), a half after each step: to the bit XNNPACK's. */
static uint16_t hardswish_step_by_step(uint16_t bits)
{
    float x = sl_half_to_float(bits), sixth = sl_half_to_float(0x3155);
    float gate = sl_half_to_float(sl_half_from_float(x + 3));
    gate = fminf(fmaxf(gate, 0), 6);
    return sl_half_from_float(sl_half_to_float(sl_half_from_float(x * sixth)) * gate);
}

static void check_hardswish(const struct sl_unary *kernel)
{
    uint16_t *in = sl_case_constant_halves(ALL, 0), *out = sl_case_constant_halves(ALL, 0x7777);
    for (size_t i = 0; i < ALL; i++)
        in[i] = (uint16_t)i;
    if (sl_case_may_run(kernel->name, kernel->needs)) {
        run(kernel, ALL, in, out);
        for (size_t i = 0; i < ALL; i++)
            if (isfinite(sl_half_to_float(in[i])))
                assert_int_equal(out[i], hardswish_step_by_step(in[i]));
    }
    sl_guarded_free(in);
    sl_guarded_free(out);
}

TEST(hardswish_of_halves_equals_xnnpack_to_the_bit)
{
    check_hardswish(&sl_unary_hardswish_f16_f16_4vl_sme2);
    check_hardswish(&sl_unary_hardswish_f16_f16_1x32_neon);
}
#endif

TEST(select_gives_the_operator_asked_for)
{
    for (int op = 0; op < SL_UNARY_OP_END; op++) {
        assert_int_equal(sl_unary_select(SL_ISA_NONE, SL_F16, op)->op, op);
        assert_int_equal(sl_unary_select(sl_isa_detect(), SL_F16, op)->op, op);
    }
}
