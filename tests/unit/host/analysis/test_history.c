/* tests/unit/host/analysis/test_history.c */
#include "host/analysis/history.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "common/base/mem.h"
#include "host/analysis/random.h"
#include "tests/support/unit.h"

/* About a normal value, of twelve even ones. */
static double noise(struct sl_random *random)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += (double)(sl_random_next(random) >> 11) / 9007199254740992.0;
    return sum;
}

static struct sl_history history_of(const double *ratios, size_t n, bool exact)
{
    struct sl_history h;
    assert_int_equal(sl_history_make(ratios, n, exact, &h), 0);
    return h;
}

TEST(a_step_of_3_percent_in_60_points_is_found_where_it_is)
{
    double ratios[60];
    int found = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct sl_random random = {.state = seed};
        for (size_t i = 0; i < 60; i++)
            ratios[i] = (i < 40 ? 2.0 : 1.94) * (1 + 0.01 * noise(&random));
        struct sl_history h = history_of(ratios, 60, false);
        found += h.count == 2 && h.stretches[1].first >= 37 && h.stretches[1].first <= 43 &&
                 fabs(h.stretches[1].median / h.stretches[0].median - 0.97) < 0.01;
    }
    assert_in_range(found, 95, 100);
}

TEST(steady_series_raise_no_more_than_one_alarm_in_1000_points)
{
    static double ratios[60];
    size_t alarms = 0;
    for (uint64_t seed = 1; seed <= 500; seed++) { /* 30,000 points */
        struct sl_random random = {.state = 1000 + seed};
        for (size_t i = 0; i < 60; i++)
            ratios[i] = 1.5 * (1 + 0.02 * noise(&random));
        alarms += history_of(ratios, 60, false).count - 1;
    }
    assert_in_range(alarms, 0, 30);
}

TEST(the_last_points_alone_are_no_change)
{
    double ratios[40];
    struct sl_random random = {.state = 7};
    for (size_t i = 0; i < 40; i++)
        ratios[i] = (i < 37 ? 2.0 : 1.0) * (1 + 0.001 * noise(&random));
    assert_int_equal(history_of(ratios, 40, false).count, 1);
    struct sl_history few = history_of(ratios, SL_STEADINESS_MIN_RUNS - 1, false);
    assert_false(few.enough);
    assert_int_equal(few.count, 1);
    assert_int_equal(history_of(ratios, 0, false).count, 0);
}

TEST(counted_ratios_change_with_every_other_figure)
{
    static const double ratios[] = {2, 2, 2.0001, 2.0001, 2};
    struct sl_history h = history_of(ratios, 5, true);
    assert_int_equal(h.count, 3);
    assert_int_equal(h.stretches[1].first, 2);
    assert_int_equal(h.stretches[1].count, 2);
    assert_true(h.enough && h.stretches[2].first == 4);
    double many[100];
    for (size_t i = 0; i < 100; i++)
        many[i] = (double)(1 + i);
    h = history_of(many, 100, true);
    assert_int_equal(h.count, SL_HISTORY_MAX_CHANGES + 1);
    assert_int_equal(h.stretches[h.count - 1].first, 99); /* the latest are kept */
    assert_int_equal(h.stretches[0].count, 100 - SL_HISTORY_MAX_CHANGES);
}

/* Off 28 % slower lifts the ratio and improves nothing; both arms 10 % slower leave it alone. */
TEST(arms_tell_what_a_ratio_hides)
{
    double off[60], on[60], ratios[60];
    struct sl_random random = {.state = 3};
    for (size_t i = 0; i < 60; i++) {
        double slower = i < 40 ? 1 : 1.1;
        off[i] = 20e9 * slower * (1 + 0.005 * noise(&random));
        on[i] = 10e9 * slower * (1 + 0.005 * noise(&random));
        ratios[i] = off[i] / on[i];
    }
    assert_int_equal(history_of(ratios, 60, false).count, 1);
    struct sl_history arm = history_of(on, 60, false);
    assert_int_equal(arm.count, 2);
    assert_true(sl_history_regressed(&arm, false, 0.05));
    assert_false(sl_history_regressed(&arm, false, 0.15));
    assert_false(sl_history_regressed(&arm, true, 0.05));
    assert_string_equal(sl_history_meaning(0.1, 0.1, false), "both arms cost more");
    assert_non_null(strstr(sl_history_meaning(0.28, 0.001, false), "no improvement"));
    assert_string_equal(sl_history_meaning(0, 0.9, false), "on costs more");
    assert_string_equal(sl_history_meaning(-0.2, -0.2, false), "both arms cost less");
    assert_string_equal(sl_history_meaning(0.2, -0.2, false), "on costs less, off more");
    assert_string_equal(sl_history_meaning(0, 0.0095, false), "neither arm moved by 1 %");
    assert_string_equal(sl_history_meaning(1e-16, 0.0095, true), "on costs more");
    assert_string_equal(sl_history_meaning(0.001, 0.0095, true), "both arms cost more");
}

TEST(make_survives_each_failed_allocation)
{
    double ratios[30];
    for (size_t i = 0; i < 30; i++)
        ratios[i] = 1 + 0.001 * (double)(i % 3);
    int rc = -ENOMEM;
    for (unsigned nth = 1; rc == -ENOMEM; nth++) {
        struct sl_history h;
        sl_mem_fail_nth(nth);
        rc = sl_history_make(ratios, 30, false, &h);
        sl_mem_fail_nth(0);
    }
    assert_int_equal(rc, 0);
}
