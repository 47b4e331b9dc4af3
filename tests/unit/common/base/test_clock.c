/* tests/unit/common/base/test_clock.c */
#include "common/base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/test.h"

TEST(time_does_not_go_back)
{
    uint64_t before = sl_clock_ns();
    for (int i = 0; i < 1000; i++) {
        uint64_t now = sl_clock_ns();
        assert_true(now >= before);
        before = now;
    }
}

/* A namespace of time is as if the machine had slept. */
TEST(sleep_counts_where_it_is_asked_for)
{
    const char *slept = getenv("SL_TEST_SLEPT_S");
    char self[4096] = "", line[4300];
    if (slept) {
        uint64_t awake_ns = sl_clock_ns();
        assert_true(sl_clock_with_sleep_ns() - awake_ns >=
                    strtoull(slept, NULL, 10) * UINT64_C(1000000000));
        return;
    }
    assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
    if (system("unshare --time --boottime 100000 true 2>/dev/null") != 0)
        skip();
    snprintf(line, sizeof(line),
             "SL_TEST_SLEPT_S=100000 unshare --time --boottime 100000 '%s' >/dev/null", self);
    assert_int_equal(system(line), 0);
}

TEST(utc_is_what_the_system_says)
{
    uint64_t low = (uint64_t)time(NULL), ns = sl_clock_utc_ns(), ms = sl_clock_utc_ms();
    uint64_t high = (uint64_t)time(NULL) + 1;
    assert_in_range(ns / 1000000000, low, high);
    assert_in_range(ms / 1000, low, high);
}

TEST(moments_are_written_as_iso_8601)
{
    char text[SL_CLOCK_TEXT_BYTES];
    assert_string_equal(sl_clock_format(0, text), "1970-01-01T00:00:00.000Z");
    assert_string_equal(sl_clock_format(UINT64_C(1709210096007), text), "2024-02-29T12:34:56.007Z");
}

TEST(every_day_of_four_hundred_years_is_the_system_s)
{
    for (uint64_t day = 0; day < 146097; day++) {
        char text[SL_CLOCK_TEXT_BYTES], expected[48];
        time_t seconds = (time_t)(day * 86400 + 86399);
        struct tm utc;
        gmtime_r(&seconds, &utc);
        strftime(expected, sizeof(expected), "%Y-%m-%dT%H:%M:%S.999Z", &utc);
        assert_string_equal(sl_clock_format((uint64_t)seconds * 1000 + 999, text), expected);
    }
}

TEST(a_moment_past_the_last_year_is_the_last)
{
    char text[SL_CLOCK_TEXT_BYTES];
    assert_string_equal(sl_clock_format(UINT64_MAX, text), "9999-12-31T23:59:59.999Z");
}
