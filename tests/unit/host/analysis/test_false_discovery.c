/* tests/unit/host/analysis/test_false_discovery.c */
#include "host/analysis/false_discovery.h"

#include <math.h>

#include "common/base/mem.h"
#include "host/analysis/random.h"
#include "tests/support/test.h"

TEST(sign_test_gives_the_binomial_probabilities)
{
    assert_true(fabs(sl_sign_test(0, 5) - 2.0 / 32) < 1e-12);
    assert_true(fabs(sl_sign_test(10, 0) - 2.0 / 1024) < 1e-12);
    assert_true(fabs(sl_sign_test(15, 5) - 0.04138946533203125) < 1e-12); /* SciPy's binomtest */
    assert_true(sl_sign_test(7, 7) == 1.0);
    assert_true(sl_sign_test(0, 0) == 1.0);
}

TEST(rates_are_those_of_benjamini_and_hochberg)
{
    const double p[] = {0.01, 0.04, 0.03, NAN, 0.005, 0.5};
    const double wanted[] = {0.025, 0.05, 0.05, NAN, 0.025, 0.5}; /* R: p.adjust(p, "BH") */
    double q[6];
    assert_int_equal(sl_false_discovery(p, 6, q), 0);
    for (size_t i = 0; i < 6; i++)
        assert_true(i == 3 ? isnan(q[i]) : fabs(q[i] - wanted[i]) < 1e-12);
}

/* 60 operators that did not change: without correction about three would be called. */
TEST(sixty_unchanged_operators_rarely_give_an_alarm)
{
    struct sl_random random = {3};
    unsigned families = 0;
    unsigned uncorrected = 0;
    for (unsigned family = 0; family < 200; family++) {
        double p[60];
        double q[60];
        unsigned called = 0;
        for (size_t i = 0; i < 60; i++) {
            p[i] = (double)sl_random_below(&random, 1000000) / 1e6;
            uncorrected += p[i] <= 0.05;
        }
        assert_int_equal(sl_false_discovery(p, 60, q), 0);
        for (size_t i = 0; i < 60; i++)
            called += q[i] <= 0.05;
        families += called > 0;
    }
    assert_true(uncorrected > 400);
    assert_true(families <= 19); /* 5 % of 200 and three standard deviations */
}

TEST(correction_survives_a_failed_allocation)
{
    double p = 0.1;
    double q = 0;
    sl_mem_fail_nth(1);
    assert_int_equal(sl_false_discovery(&p, 1, &q), -12);
    assert_int_equal(sl_false_discovery(&p, 1, &q), 0);
    assert_true(q == 0.1);
}
