/* tests/unit/host/analysis/test_dependence.c */
#include "host/analysis/dependence.h"

#include <math.h>

#include "common/base/mem.h"
#include "host/analysis/random.h"
#include "host/analysis/statistics.h"
#include "tests/support/test.h"

#define MANY 200

/* Values that keep the share `kept` of the one before. */
static struct sl_dependence of_series(double kept, size_t n, uint64_t seed)
{
    struct sl_random random = {seed};
    struct sl_dependence found;
    double values[MANY];
    double value = 0;
    for (size_t i = 0; i < n; i++) {
        value = kept * value + (double)sl_random_below(&random, 2001) / 1000 - 1;
        values[i] = value;
    }
    assert_int_equal(sl_dependence_of(values, n, 0.95, &found), 0);
    return found;
}

TEST(independent_values_keep_their_worth)
{
    double effective = 0;
    double widening = 0;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        effective += of_series(0, MANY, seed).effective / 50;
        widening += of_series(0, MANY, seed).widening / 50;
    }
    assert_true(effective > 0.75 * MANY);
    assert_true(widening < 1.2);
}

TEST(waves_are_worth_what_theory_says)
{
    double effective = 0;
    for (uint64_t seed = 1; seed <= 50; seed++)
        effective += of_series(0.8, MANY, seed).effective / 50;
    assert_true(effective > 0.5 * MANY / 9 && effective < 2.0 * MANY / 9);
}

TEST(equal_few_and_alternating_values_are_taken_for_independent)
{
    double values[MANY];
    struct sl_dependence found;
    for (size_t i = 0; i < MANY; i++)
        values[i] = 3;
    assert_int_equal(sl_dependence_of(values, MANY, 0.95, &found), 0);
    assert_true(found.effective == MANY && found.widening < 1.01);
    for (size_t i = 0; i < MANY; i++)
        values[i] = i % 2 ? 1 : -1;
    assert_int_equal(sl_dependence_of(values, MANY, 0.95, &found), 0);
    assert_true(found.effective > 0.8 * MANY);
    assert_int_equal(sl_dependence_of(values, 7, 0.95, &found), 0);
    assert_true(found.effective == 7 && found.widening == 1);
}

TEST(a_failed_allocation_is_an_error)
{
    double values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct sl_dependence found;
    sl_mem_fail_nth(1);
    assert_int_equal(sl_dependence_of(values, 8, 0.95, &found), -12);
    sl_mem_fail_nth(0);
}

TEST(widths_of_distributions_are_those_of_the_tables)
{
    assert_true(fabs(sl_normal_width(0.95) - 1.959964) < 1e-5);
    assert_true(fabs(sl_student_width(0.95, 1) - 12.7062) < 1e-3);
    assert_true(fabs(sl_student_width(0.95, 2) - 4.30265) < 1e-4);
    assert_true(fabs(sl_student_width(0.99, 10) - 3.16927) < 1e-4);
    assert_true(fabs(sl_student_width(0.95, 1e6) - 1.959966) < 1e-4);
}
