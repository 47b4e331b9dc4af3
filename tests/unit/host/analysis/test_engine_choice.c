/* tests/unit/host/analysis/test_engine_choice.c: the least sum over runs of operators. */
#include "host/analysis/engine_choice.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "tests/support/test.h"

enum { MOST = 10 };

static const struct sl_engine_hand_over hand_over = {.ns_per_byte = 0.04, .most_bytes = 128 << 10};
static struct sl_engine_chosen chosen[MOST];
static struct sl_engine_sums sums;

static void choose(const struct sl_engine_step *steps, size_t count)
{
    assert_int_equal(sl_engine_choose(steps, count, &hand_over, chosen, &sums), 0);
}

TEST(each_goes_where_it_is_faster_when_nothing_is_handed_over)
{
    const struct sl_engine_step steps[] = {{100, 50, 0}, {10, 90, 0}, {70, 70, 0}};
    choose(steps, 3);
    assert_true(chosen[0].unit);
    assert_false(chosen[1].unit);
    assert_false(chosen[2].unit); /* as fast: the unit stays free */
    assert_int_equal(chosen[1].why, SL_ENGINE_FASTER);
    assert_true(fabs(sums.chosen_ns - 130) < 1e-9);
    assert_true(fabs(sums.core_ns - 180) < 1e-9 && fabs(sums.unit_ns - 210) < 1e-9);
}

TEST(one_between_two_on_the_unit_stays_there_where_handing_over_costs_more)
{
    /* 10,000 bytes wait 400 ns. */
    const struct sl_engine_step steps[] = {{5000, 1000, 0}, {100, 300, 0}, {5000, 1000, 10000}};
    choose(steps, 3);
    for (int i = 0; i < 3; i++)
        assert_true(chosen[i].unit);
    assert_int_equal(chosen[1].why, SL_ENGINE_BESIDES);
    assert_true(fabs(sums.chosen_ns - 2300) < 1e-9);
}

TEST(one_between_two_on_the_core_stays_there_where_handing_over_costs_more)
{
    const struct sl_engine_step steps[] = {{10, 500, 0}, {700, 400, 10000}, {10, 500, 0}};
    choose(steps, 3);
    assert_false(chosen[1].unit);
    assert_int_equal(chosen[1].why, SL_ENGINE_BESIDES);
    assert_true(chosen[1].hand_over_ns == 0);
}

TEST(no_more_is_handed_over_than_the_cache_holds)
{
    const struct sl_engine_step one = {1e6, 1000, 1e9};
    choose(&one, 1);
    assert_true(chosen[0].unit);
    assert_true(fabs(chosen[0].hand_over_ns - 0.04 * (128 << 10)) < 1e-6);
}

TEST(what_has_one_kernel_runs_there)
{
    const struct sl_engine_step steps[] = {{NAN, 500, 100}, {500, NAN, 100}};
    choose(steps, 2);
    assert_true(chosen[0].unit && !chosen[1].unit);
    assert_int_equal(chosen[0].why, SL_ENGINE_ONLY);
    assert_int_equal(chosen[1].why, SL_ENGINE_ONLY);
    choose(NULL, 0);
    assert_true(sums.chosen_ns == 0);
}

/* Every choice tried out that has step `at` on the unit, or on the core. */
static double least_with(const struct sl_engine_step *steps, size_t count, size_t at, bool on_unit)
{
    double least = INFINITY;
    for (unsigned mask = 0; mask < 1u << count; mask++) {
        double ns = 0;
        if ((mask >> at & 1) != on_unit)
            continue;
        for (size_t i = 0; i < count; i++) {
            bool unit = mask >> i & 1, before = i > 0 && (mask >> (i - 1) & 1);
            ns += unit ? steps[i].unit_ns : steps[i].core_ns;
            ns += unit && !before ? 0.04 * fmin(steps[i].input_bytes, hand_over.most_bytes) : 0;
        }
        least = fmin(least, ns);
    }
    return least;
}

static double least_of_all(const struct sl_engine_step *steps, size_t count)
{
    return fmin(least_with(steps, count, 0, false), least_with(steps, count, 0, true));
}

TEST(the_sum_is_the_least_of_all_choices_and_that_of_the_steps)
{
    srand(18);
    for (int round = 0; round < 300; round++) {
        struct sl_engine_step steps[MOST];
        double ns = 0;
        for (size_t i = 0; i < MOST; i++)
            steps[i] = (struct sl_engine_step){rand() % 1000, rand() % 1000, rand() % 30000};
        choose(steps, MOST);
        assert_true(fabs(sums.chosen_ns - least_of_all(steps, MOST)) < 1e-6);
        assert_true(sums.chosen_ns <= fmin(sums.core_ns, sums.unit_ns) + 1e-6);
        for (size_t i = 0; i < MOST; i++)
            ns += (chosen[i].unit ? steps[i].unit_ns : steps[i].core_ns) + chosen[i].hand_over_ns;
        assert_true(fabs(ns - sums.chosen_ns) < 1e-6);
    }
}

TEST(one_is_slower_alone_only_where_the_other_engine_adds_to_the_least_sum)
{
    int slower = 0;
    srand(81);
    for (int round = 0; round < 40; round++) {
        struct sl_engine_step steps[MOST];
        for (size_t i = 0; i < MOST; i++)
            steps[i] = (struct sl_engine_step){rand() % 1000, rand() % 1000, rand() % 30000};
        choose(steps, MOST);
        for (size_t i = 0; i < MOST; i++) {
            double other = least_with(steps, MOST, i, !chosen[i].unit);
            assert_true(fabs(chosen[i].other_adds_ns - (other - sums.chosen_ns)) < 1e-6);
            assert_true(chosen[i].other_adds_ns >= 0);
            slower += chosen[i].why == SL_ENGINE_BESIDES;
        }
    }
    assert_true(slower > 0);
    const struct sl_engine_step steps[] = {{NAN, 500, 100}, {500, NAN, 10000}};
    choose(steps, 2);
    assert_true(isnan(chosen[0].other_adds_ns) && isnan(chosen[1].other_adds_ns));
    assert_true(fabs(chosen[1].waits_ns - 400) < 1e-9 && chosen[1].hand_over_ns == 0);
}

TEST(a_failed_allocation_is_told)
{
    const struct sl_engine_step one = {1, 2, 3};
    sl_mem_fail_nth(1);
    assert_int_equal(sl_engine_choose(&one, 1, &hand_over, chosen, &sums), -ENOMEM);
}
