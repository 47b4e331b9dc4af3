/* tests/unit/host/cli/test_time_word.c */
#include "host/cli/time_word.h"

#include <string.h>
#include <time.h>

#include "common/base/error.h"
#include "tests/support/test.h"

TEST(times_before_now_days_and_milliseconds_are_read)
{
    uint64_t now = (uint64_t)time(NULL) * 1000, ms = 0;
    assert_int_equal(sl_time_word("2h", "--since", &ms, NULL), 0);
    assert_in_range(ms, now - 7200000 - 5000, now - 7200000 + 5000);
    assert_int_equal(sl_time_word("4w", "--since", &ms, NULL), 0);
    assert_in_range(ms, now - 4 * 604800000UL - 5000, now - 4 * 604800000UL + 5000);
    assert_int_equal(sl_time_word("1700000000000", "--since", &ms, NULL), 0);
    assert_int_equal(ms, 1700000000000);
    assert_int_equal(sl_time_word("2024-02-29", "--since", &ms, NULL), 0);
    assert_in_range(ms, 1709164800000 - 86400000, 1709164800000 + 86400000);
}

TEST(other_words_are_refused_with_the_option)
{
    static const char *const wrong[] = {"", "yesterday", "-1d", "2y", "99999999999999999999d"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct sl_diag diag = {0};
        uint64_t ms = 0;
        assert_int_equal(sl_time_word(wrong[i], "--older-than", &ms, &diag), SL_E_UNSUPPORTED);
        assert_string_equal(diag.where, "--older-than");
        assert_non_null(strstr(diag.hint, "--older-than 7d"));
    }
}
