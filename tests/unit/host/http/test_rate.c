/* tests/unit/host/http/test_rate.c */
#include "host/http/rate.h"

#include <stdio.h>

#include "tests/support/test.h"

TEST(without_a_limit_everything_is_let_in)
{
    struct sl_http_rate rate = {0};
    for (int i = 0; i < 1000; i++)
        assert_int_equal(sl_http_rate_wait(&rate, "ci", 0), 0);
}

TEST(a_second_s_worth_may_come_at_once_and_the_next_waits_its_share)
{
    struct sl_http_rate rate = {.per_second = 10};
    for (int i = 0; i < 10; i++)
        assert_int_equal(sl_http_rate_wait(&rate, "ci", 5000), 0);
    assert_int_equal(sl_http_rate_wait(&rate, "ci", 5000), 100);
    assert_int_equal(sl_http_rate_wait(&rate, "ci", 5040), 60);
    assert_int_equal(sl_http_rate_wait(&rate, "ci", 5100), 0);
    assert_int_equal(sl_http_rate_wait(&rate, "ci", 5100), 100);
}

TEST(in_the_long_run_it_is_the_rate_and_a_pause_saves_no_more_than_a_second)
{
    struct sl_http_rate rate = {.per_second = 7};
    int taken = 0;
    for (uint64_t ms = 0; ms < 100000; ms++)
        taken += sl_http_rate_wait(&rate, "ci", ms) == 0;
    assert_in_range(taken, 700, 707);
    taken = 0;
    for (int i = 0; i < 100; i++)
        taken += sl_http_rate_wait(&rate, "ci", 10000000) == 0;
    assert_int_equal(taken, 7);
}

TEST(one_token_does_not_spend_another_s)
{
    struct sl_http_rate rate = {.per_second = 1};
    assert_int_equal(sl_http_rate_wait(&rate, "ci", 0), 0);
    assert_int_not_equal(sl_http_rate_wait(&rate, "ci", 0), 0);
    assert_int_equal(sl_http_rate_wait(&rate, "people", 0), 0);
}

TEST(of_more_tokens_than_there_are_buckets_the_idle_ones_give_theirs_up)
{
    struct sl_http_rate rate = {.per_second = 1};
    char name[16];
    for (int i = 0; i <= SL_HTTP_RATE_NAMES; i++) {
        snprintf(name, sizeof(name), "token-%d", i);
        assert_int_equal(sl_http_rate_wait(&rate, name, i > 0), 0);
    }
    assert_int_equal(rate.count, SL_HTTP_RATE_NAMES);
    assert_int_not_equal(sl_http_rate_wait(&rate, name, 1), 0);
    assert_int_not_equal(sl_http_rate_wait(&rate, "token-1", 1), 0);
}
