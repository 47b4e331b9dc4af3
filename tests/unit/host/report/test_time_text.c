/* tests/unit/host/report/test_time_text.c */
#include "host/report/time_text.h"

#include <stdlib.h>
#include <time.h>

#include "common/base/clock.h"
#include "tests/support/unit.h"

TEST(a_time_is_of_this_machines_zone)
{
    char text[SL_TIME_TEXT_BYTES];
    setenv("TZ", "UTC-2", 1);
    tzset();
    assert_string_equal(sl_time_text(1000, text), "1970-01-01 02:00:01");
    assert_string_equal(sl_time_text(0, text), "-");
}

TEST(a_span_has_the_unit_that_people_would_take)
{
    char text[SL_TIME_TEXT_BYTES];
    assert_string_equal(sl_span_text(1000, 13340, text), "12.3 s");
    assert_string_equal(sl_span_text(1000, 1000 + 119000, text), "119.0 s");
    assert_string_equal(sl_span_text(1000, 1000 + 240000, text), "4 min");
    assert_string_equal(sl_span_text(1000, 1000 + 7200000, text), "2 h");
    assert_string_equal(sl_span_text(2000, 1000, text), "0.0 s");
    assert_string_equal(sl_span_text(0, 1000, text), "-");
    assert_string_equal(sl_span_text(sl_clock_utc_ms() - 240000, 0, text), "4 min");
}
