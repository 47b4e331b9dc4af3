/* tests/unit/kernels/unary/test_elementary.c: elementary functions against the C library in f64. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/cpu/isa.h"
#include "kernels/unary/unary.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"
#include "tests/support/test.h"
#include "tests/unit/kernels/unary/exact.h"

enum { SAMPLES = 4096, TURNS = 16 };
static const float param = 0.75f;

/* GELU and sigmoid in NEON end where their result is no normal number any more, GELU's
 * approximation in vectors where e^x is none. */
static bool ends_early(const struct sl_unary *kernel, double want)
{
    if (kernel->op == SL_UNARY_GELU_TANH)
        return kernel->needs != SL_ISA_NONE && fabs(want) < 1e-36;
    return (kernel->op == SL_UNARY_GELU || kernel->op == SL_UNARY_SIGMOID) &&
           kernel->needs == SL_ISA_NEON && fabs(want) < 0x1p-126;
}

static double ulp(double x)
{
    int exponent;
    frexp(x, &exponent);
    return ldexp(1, (exponent < -125 ? -125 : exponent) - 24);
}

static bool is_of_positive(int op)
{
    return op == SL_UNARY_SQRT || op == SL_UNARY_RSQRT || op == SL_UNARY_ROOT ||
           op == SL_UNARY_INVERSE_ROOT || op == SL_UNARY_LOG || op == SL_UNARY_LOG2 ||
           op == SL_UNARY_LOG10;
}

/* Brings x to where the function has a value. */
static float into_domain(int op, float x)
{
    if (op == SL_UNARY_ASIN || op == SL_UNARY_ACOS || op == SL_UNARY_ATANH)
        return fmodf(x, 1);
    return op == SL_UNARY_ACOSH || (op == SL_UNARY_LOG1P && x <= -1) ? 1 + fabsf(x) : x;
}

/* All magnitudes for which the operator does something: the exponent runs, the rest is random. */
static float sample(uint32_t *seed, int op, size_t i)
{
    static const int spread[] = {4, 7, 2, 20};
    *seed = *seed * 1664525 + 1013904223;
    float m = (float)(*seed >> 8) * 0x1p-24f + 1;
    int exponent = (int)(i % 24) - 24 + spread[i / 24 % 4];
    if (is_of_positive(op))
        return ldexpf(m, (int)(i % 254) - 126);
    return into_domain(op, ldexpf(*seed & 1 ? -m : m, exponent));
}

static double check_inputs(const struct sl_unary *kernel, const float *in, float *out)
{
    double worst = 0;
    kernel->run(SAMPLES, in, out, param, 0);
    for (size_t i = 0; i < SAMPLES; i++) {
        double want = sl_exact_unary(kernel->op, (double)param, (double)in[i]);
        double error = fabs((double)out[i] - want) / ulp(want);
        if (fabs(want) > (double)FLT_MAX)
            error = isinf(out[i]) ? 0 : INFINITY;
        if (ends_early(kernel, want) && in[i] < -1 && out[i] == 0)
            error = 0;
        if (!(error <= sl_unary_most_ulp(kernel)))
            fail_msg("%s(%a) is %a, not %a: %g ulp", kernel->name, (double)in[i], (double)out[i],
                     want, error);
        worst = error > worst ? error : worst;
    }
    return worst;
}

static double check_samples(const struct sl_unary *kernel)
{
    uint32_t seed = 7;
    float *in = sl_case_constant(SAMPLES, 0), *out = sl_case_constant(SAMPLES, 77);
    for (size_t i = 0; i < SAMPLES; i++)
        in[i] = sample(&seed, kernel->op, i);
    double worst = check_inputs(kernel, in, out);
    sl_guarded_free(in);
    sl_guarded_free(out);
    return worst;
}

/* The magnitudes at which an operator neither overflows nor keeps one value for long; of both signs
 * where it takes both. */
static void range_of(int op, float *least, float *most)
{
    bool positive = is_of_positive(op);
    *least = positive ? 0x1p-126f : op == SL_UNARY_GELU ? 0x1p-10f : 0x1p-30f;
    *most = positive                                                             ? FLT_MAX
            : op == SL_UNARY_EXP || op == SL_UNARY_ELU                           ? 104
            : op == SL_UNARY_TANH || op == SL_UNARY_GELU                         ? 13.2f
            : op == SL_UNARY_SIGMOID || op == SL_UNARY_EXPM1                     ? 104
            : op == SL_UNARY_SINH || op == SL_UNARY_COSH                         ? 90
            : op == SL_UNARY_GELU_TANH || op == SL_UNARY_ERF                     ? 5
            : op == SL_UNARY_ASIN || op == SL_UNARY_ACOS || op == SL_UNARY_ATANH ? 1
                                                                                 : 0x1p28f;
}

/* Even steps of their bits; every other time the step is shifted, so that low bits vary. */
static double check_sweep(const struct sl_unary *kernel, float sign)
{
    uint32_t first, last;
    float least, most;
    range_of(kernel->op, &least, &most);
    memcpy(&first, &least, sizeof(first));
    memcpy(&last, &most, sizeof(last));
    float *in = sl_case_constant(SAMPLES, 0), *out = sl_case_constant(SAMPLES, 77);
    uint32_t step = (last - first) / (TURNS * SAMPLES);
    double worst = 0;
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        for (uint32_t i = 0; i < SAMPLES; i++) {
            uint32_t bits = first + (turn * SAMPLES + i) * step + i * 2654435761u % step;
            memcpy(&in[i], &bits, sizeof(bits));
            in[i] = into_domain(kernel->op, in[i] * sign);
        }
        double error = check_inputs(kernel, in, out);
        worst = error > worst ? error : worst;
    }
    sl_guarded_free(in);
    sl_guarded_free(out);
    return worst;
}

TEST(a_dense_sweep_stays_within_what_the_kernel_states)
{
    const struct sl_unary *kernel;
    if (!sl_case_sweeps())
        skip();
    SL_EACH (kernel, unary, SL_F32) {
        float least, most;
        if (kernel->op == SL_UNARY_CLAMP || sl_unary_most_ulp(kernel) == 0 ||
            !sl_case_may_run(kernel->name, kernel->needs))
            continue;
        range_of(kernel->op, &least, &most);
        double above = check_sweep(kernel, 1);
        double below = least == 0x1p-126f ? 0 : check_sweep(kernel, -1);
        printf("  %s: %.2f ulp\n", kernel->name, above > below ? above : below);
    }
}

TEST(every_function_is_right_to_a_few_ulp)
{
    const struct sl_unary *kernel;
    SL_EACH (kernel, unary, SL_F32)
        if (kernel->op != SL_UNARY_CLAMP && sl_case_may_run(kernel->name, kernel->needs))
            printf("  %s: %.2f ulp\n", kernel->name, check_samples(kernel));
}

static void check_specials(const struct sl_unary *kernel)
{
    static const float specials[] = {
        NAN,      INFINITY, -INFINITY, 0.0f,  -0.0f,   1e-45f, -1e-45f, 1e-40f, -1e-40f, FLT_MAX,
        -FLT_MAX, 1e-20f,   -1e-20f,   88.9f, -103.9f, 3e9f,   -3e9f,   100.0f, -100.0f};
    enum { COUNT = sizeof(specials) / sizeof(specials[0]) };
    float out[COUNT];
    kernel->run(COUNT, specials, out, param, 0);
    for (size_t i = 0; i < COUNT; i++) {
        double want = sl_exact_unary(kernel->op, (double)param, (double)specials[i]);
        if (ends_early(kernel, want) && specials[i] < -1 && out[i] == 0)
            want = 0;
        bool same = isnan(want) ? isnan(out[i])
                    : fabs(want) > (double)FLT_MAX
                        ? isinf(out[i]) && (out[i] > 0) == (want > 0)
                        : fabs((double)out[i] - want) <= sl_unary_most_ulp(kernel) * ulp(want);
        if (!same)
            fail_msg("%s(%g) is %g, not %g", kernel->name, (double)specials[i], (double)out[i],
                     want);
    }
}

TEST(nan_infinities_zeros_and_denormals_follow_the_library)
{
    const struct sl_unary *kernel;
    SL_EACH (kernel, unary, SL_F32)
        if (kernel->op != SL_UNARY_CLAMP && sl_case_may_run(kernel->name, kernel->needs))
            check_specials(kernel);
}

/* Past two turns of 4 of the longest vectors. */
enum { LONGEST = 530 };

static void check_counts(const struct sl_unary *kernel, size_t count, bool in_place)
{
    uint32_t seed = (uint32_t)count;
    static double want[LONGEST];
    float *in = sl_case_floats(&seed, count);
    float *out = in_place ? in : sl_case_constant(count, 77);
    for (size_t i = 0; i < count; i++) {
        in[i] = into_domain(kernel->op, fabsf(in[i]) + 0.01f);
        want[i] = sl_exact_unary(kernel->op, (double)param, (double)in[i]);
    }
    kernel->run(count, in, out, param, 0);
    sl_case_close(kernel->name, in_place ? "in place" : "apart", out, want, count, 1e-6);
    sl_guarded_free(in);
    if (!in_place)
        sl_guarded_free(out);
}

TEST(every_count_is_served_apart_and_in_place)
{
    const struct sl_unary *kernel;
    SL_EACH (kernel, unary, SL_F32) {
        if (kernel->op == SL_UNARY_CLAMP || !sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t count = 0; count < LONGEST; count += count < 40 ? 1 : 31) {
            check_counts(kernel, count, false);
            check_counts(kernel, count, true);
        }
    }
}

/* Numbers that the kernels' own reduction does not reach are left to the C library; these stand
 * among others. */
TEST(sines_of_large_angles_in_place_are_the_librarys)
{
    enum { COUNT = 75 };
    static const float large[] = {0x1p30f, -3e9f, FLT_MAX, -INFINITY, NAN, 0x1.fffffep29f};
    const struct sl_unary *kernel;
    SL_EACH (kernel, unary, SL_F32) {
        uint32_t seed = 3;
        if ((kernel->op != SL_UNARY_SIN && kernel->op != SL_UNARY_COS) ||
            !sl_case_may_run(kernel->name, kernel->needs))
            continue;
        float *x = sl_case_floats(&seed, COUNT);
        double want[COUNT];
        for (size_t j = 0; j < COUNT; j++) {
            x[j] = j % 7 == 5 ? large[j / 7 % 6] : x[j];
            want[j] = sl_exact_unary(kernel->op, 0, (double)x[j]);
        }
        kernel->run(COUNT, x, x, 0, 0);
        sl_case_close(kernel->name, "in place", x, want, COUNT, 1e-7);
        sl_guarded_free(x);
    }
}

TEST(select_gives_the_operator_asked_for)
{
    for (int op = 0; op < SL_UNARY_OP_END; op++) {
        assert_int_equal(sl_unary_select(SL_ISA_NONE, SL_F32, op)->op, op);
        assert_int_equal(sl_unary_select(sl_isa_detect(), SL_F32, op)->op, op);
    }
}
