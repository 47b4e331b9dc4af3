/* tests/unit/host/spec/test_moment.c */
#include "host/spec/moment.h"

#include <string.h>

#include "common/base/error.h"
#include "tests/support/test.h"

static const uint64_t now_ms = UINT64_C(1780000000000); /* 2026-05-28T20:26:40Z */

TEST(spans_count_from_now_and_times_are_utc)
{
    static const struct {
        const char *text;
        uint64_t ms;
    } cases[] = {
        {"1s", 1780000001000},
        {"90s", 1780000090000},
        {"30m", 1780001800000},
        {"2h", 1780007200000},
        {"7d", 1780604800000},
        {"4w", 1782419200000},
        {"2026-05-28T20:26:41Z", 1780000001000},
        {"2026-05-28T20:27Z", 1780000020000},
        {"2028-02-29T00:00Z", 1835395200000},
        {"2099-12-31T23:59:59Z", 4102444799000},
        {"2100-03-01T00:00Z", 4107542400000}, /* no leap year */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint64_t ms = 0;
        assert_int_equal(sl_moment_read(cases[i].text, "deadline", now_ms, &ms, NULL), 0);
        assert_int_equal(ms, cases[i].ms);
    }
}

TEST(what_is_no_time_or_has_passed_is_refused)
{
    static const char *const bad[] = {"",
                                      "2",
                                      "h",
                                      "2 h",
                                      "2hh",
                                      "2y",
                                      "-2h",
                                      "123456s",
                                      "tomorrow",
                                      "2026-05-29",
                                      "2026-05-29T20:00",
                                      "2026-05-29T20:00+02:00",
                                      "2026-13-01T00:00Z",
                                      "2026-00-01T00:00Z",
                                      "2027-02-29T00:00Z",
                                      "2100-02-29T00:00Z",
                                      "2026-06-31T00:00Z",
                                      "2026-06-00T00:00Z",
                                      "2026-06-01T24:00Z",
                                      "2026-06-01T00:60Z",
                                      "2026-06-01T00:00:60Z",
                                      "1969-06-01T00:00Z"};
    static const char *const passed[] = {"0s", "2026-05-28T20:26Z", "1970-01-01T00:01Z"};
    struct sl_diag diag;
    uint64_t ms = 7;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        memset(&diag, 0, sizeof(diag));
        if (sl_moment_read(bad[i], "deadline", now_ms, &ms, &diag) != SL_E_FORMAT ||
            !strstr(diag.what, "is no time"))
            fail_msg("%s: %s", bad[i], diag.what);
    }
    for (size_t i = 1; i < sizeof(passed) / sizeof(passed[0]); i++) {
        assert_int_equal(sl_moment_read(passed[i], "deadline", now_ms, &ms, &diag), SL_E_FORMAT);
        assert_non_null(strstr(diag.what, "has passed"));
    }
    assert_int_equal(sl_moment_read(passed[0], "deadline", now_ms, &ms, &diag), SL_E_FORMAT);
    assert_int_equal(ms, 7);
    assert_string_equal(diag.where, "deadline");
}
