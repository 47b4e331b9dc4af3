/* tests/unit/host/analysis/test_stopping.c */
#include "host/analysis/stopping.h"

#include <math.h>

#include "common/base/mem.h"
#include "host/analysis/random.h"
#include "tests/support/test.h"

enum { MAX_PAIRS = 64 };

/* Log ratios around 0.1 that spread by `spread` either way. */
static void fill(double *values, size_t n, double spread)
{
    struct sl_random random = {11};
    for (size_t i = 0; i < n; i++)
        values[i] = 0.1 + spread * ((double)sl_random_below(&random, 2001) / 1000 - 1);
}

static const struct sl_stopping_plan plan = {0.95, 0.015, MAX_PAIRS, 5, 500};

TEST(looks_are_at_fixed_numbers_of_pairs)
{
    static const size_t pairs[] = {20, 30, 45, 67, 100, 150};
    for (uint32_t look = 1; look <= 6; look++) {
        assert_int_equal(sl_stopping_pairs(look), pairs[look - 1]);
        assert_int_equal(sl_stopping_looks(pairs[look - 1]), look);
        assert_int_equal(sl_stopping_looks(pairs[look - 1] + 1), look);
    }
    assert_int_equal(sl_stopping_looks(3), 1);
}

TEST(each_look_asks_for_more_confidence)
{
    assert_true(sl_stopping_confidence(0.95, 0) == 0.95);
    for (uint32_t look = 1; look < 20; look++)
        assert_true(sl_stopping_confidence(0.95, look) < sl_stopping_confidence(0.95, look + 1));
    assert_true(sl_stopping_confidence(0.95, 20) < 1);
}

static int state_at(const double *values, size_t n, double *width)
{
    int found = -1;
    assert_int_equal(sl_stopping_check(&plan, values, n, &found, width), 0);
    return found;
}

TEST(narrow_interval_stops_at_the_first_look_and_not_before)
{
    double values[MAX_PAIRS];
    double width;
    fill(values, MAX_PAIRS, 0.005);
    assert_int_equal(state_at(values, 19, &width), SL_STOPPING_GO_ON);
    assert_true(isnan(width));
    assert_int_equal(state_at(values, 20, &width), SL_STOPPING_PRECISE);
    assert_true(width > 0 && width <= 0.015);
}

TEST(between_looks_nothing_is_looked_at)
{
    double values[MAX_PAIRS];
    double width;
    fill(values, MAX_PAIRS, 0.005);
    assert_int_equal(state_at(values, 21, &width), SL_STOPPING_GO_ON);
    assert_true(isnan(width));
}

TEST(wide_interval_goes_on_until_the_budget_ends)
{
    double values[MAX_PAIRS];
    double width;
    fill(values, MAX_PAIRS, 0.5);
    assert_int_equal(state_at(values, 30, &width), SL_STOPPING_GO_ON);
    assert_true(width > 0.015);
    assert_int_equal(state_at(values, MAX_PAIRS, &width), SL_STOPPING_BUDGET);
    assert_true(width > 0.015);
}

TEST(replay_takes_the_looks_of_the_run_again)
{
    double values[100];
    double width;
    struct sl_stopped found;
    const struct sl_stopping_rule rule = {.precision_percent = 1.5, .max_pairs = 64};
    fill(values, 100, 0.5);
    assert_int_equal(sl_stopping_replay(&rule, &plan, values, 64, &found), 0);
    assert_int_equal(found.look_count, 4); /* 20, 30, 45, and the end */
    assert_int_equal(found.looks[2].pairs, 45);
    assert_int_equal(found.looks[3].pairs, 64);
    assert_int_equal(found.why, SL_STOPPED_PAIRS);
    state_at(values, 45, &width);
    assert_true(width == found.looks[2].half_width);
    assert_true(found.looks[2].confidence == sl_stopping_confidence(0.95, 3));
}

TEST(replay_says_why_the_run_ended)
{
    double values[64];
    struct sl_stopped found;
    struct sl_stopping_rule rule = {.precision_percent = 1.5, .budget_s = 1, .max_pairs = 600};
    fill(values, 64, 0.005);
    assert_int_equal(sl_stopping_replay(&rule, &plan, values, 20, &found), 0);
    assert_string_equal(sl_stopped_name(found.why), "precision");
    fill(values, 64, 0.5);
    rule.spent = true;
    assert_int_equal(sl_stopping_replay(&rule, &plan, values, 37, &found), 0);
    assert_string_equal(sl_stopped_name(found.why), "budget");
    assert_int_equal(found.looks[found.look_count - 1].pairs, 37);
    assert_int_equal(sl_stopping_replay(&rule, &plan, values, 19, &found), 0);
    assert_int_equal(found.look_count, 0); /* it was over before the first */
    rule = (struct sl_stopping_rule){.budget_s = 1, .max_pairs = 64};
    assert_int_equal(sl_stopping_replay(&rule, &plan, values, 64, &found), 0);
    assert_int_equal(found.look_count, 0); /* nobody looked */
    assert_string_equal(sl_stopped_name(found.why), "pairs");
}

TEST(check_survives_each_failed_allocation)
{
    double values[MAX_PAIRS];
    double width;
    int rc = -12;
    fill(values, MAX_PAIRS, 0.005);
    for (unsigned nth = 1; rc == -12; nth++) {
        int found;
        sl_mem_fail_nth(nth);
        rc = sl_stopping_check(&plan, values, 20, &found, &width);
    }
    assert_int_equal(rc, 0);
}
