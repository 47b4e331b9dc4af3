/* tests/unit/agent/runtime/test_formula.c: functions of floats against double precision. */

#include "agent/runtime/ops/formula.h"
#include "tests/support/test.h"

static float of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

static double ulps(float got, double want)
{
    float nearest = fabsf((float)want), step = nextafterf(nearest, INFINITY) - nearest;
    return fabs((double)got - want) / (double)step;
}

TEST(log1p_is_within_one_ulp)
{
    double worst = 0;
    for (uint32_t bits = 0; bits < 0xbf800000; bits += 1999) { /* up to -1 */
        float x = of_bits(bits);
        if (!isfinite(x))
            continue;
        double apart = ulps(sl_formula_log1p(x), log1p((double)x));
        worst = apart > worst ? apart : worst;
    }
    print_message("log1p: %.3f units in the last place\n", worst);
    assert_true(worst <= 1.0);
}

TEST(log1p_at_the_ends_is_as_the_library_has_it)
{
    static const float ends[] = {-1.0f, -1.5f, -INFINITY, INFINITY, NAN, 0.0f, -0.0f};
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        float got = sl_formula_log1p(ends[i]), want = log1pf(ends[i]);
        assert_true(isnan(want) ? isnan(got) : got == want);
        if (!isnan(want))
            assert_int_equal(signbit(got) != 0, signbit(want) != 0);
    }
}

TEST(roots_are_as_powf_has_them)
{
    static const float numbers[] = {0.0f, -0.0f, 1.0f, 2.0f,     1e-40f,   1e38f,
                                    0.3f, -1.0f, NAN,  INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        float got = sl_formula_root(numbers[i]), want = powf(numbers[i], 0.5f);
        assert_true(isnan(want) ? isnan(got) : got == want);
        if (want == 0)
            assert_int_equal(signbit(got) != 0, signbit(want) != 0);
    }
}
