/* tests/unit/host/http/test_range.c */
#include "host/http/range.h"

#include "tests/support/test.h"

TEST(a_part_is_read_as_the_rfc_says)
{
    static const struct {
        const char *value;
        uint64_t size;
        int found;
        uint64_t first, last;
    } cases[] = {
        {"bytes=0-9", 100, SL_HTTP_RANGE_PART, 0, 9},
        {"Bytes=10-", 100, SL_HTTP_RANGE_PART, 10, 99},
        {"bytes=-10", 100, SL_HTTP_RANGE_PART, 90, 99},
        {"bytes=-1000", 100, SL_HTTP_RANGE_PART, 0, 99},
        {"bytes=90-1000", 100, SL_HTTP_RANGE_PART, 90, 99},
        {"bytes=99-99", 100, SL_HTTP_RANGE_PART, 99, 99},
        {"bytes=100-", 100, SL_HTTP_RANGE_NONE, 7, 7},
        {"bytes=0-", 0, SL_HTTP_RANGE_NONE, 7, 7},
        {"bytes=-0", 100, SL_HTTP_RANGE_NONE, 7, 7},
        {"bytes=-5", 0, SL_HTTP_RANGE_NONE, 7, 7},
        {"bytes=9-0", 100, SL_HTTP_RANGE_ALL, 7, 7},
        {"bytes=0-1,5-6", 100, SL_HTTP_RANGE_ALL, 7, 7},
        {"bytes=-", 100, SL_HTTP_RANGE_ALL, 7, 7},
        {"bytes=a-b", 100, SL_HTTP_RANGE_ALL, 7, 7},
        {"bytes=0-9 ", 100, SL_HTTP_RANGE_ALL, 7, 7},
        {"bytes=99999999999999999999-", 100, SL_HTTP_RANGE_ALL, 7, 7},
        {"lines=0-9", 100, SL_HTTP_RANGE_ALL, 7, 7},
        {"", 100, SL_HTTP_RANGE_ALL, 7, 7},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint64_t first = 7, last = 7;
        int found = (int)sl_http_range_read(cases[i].value, cases[i].size, &first, &last);
        if (found != cases[i].found || first != cases[i].first || last != cases[i].last)
            fail_msg("%s: %d", cases[i].value, found);
    }
}

TEST(a_tag_is_found_in_a_list)
{
    assert_true(sl_http_tag_is_in("\"a\"", "\"a\""));
    assert_true(sl_http_tag_is_in("\"b\", W/\"a\"", "\"a\""));
    assert_true(sl_http_tag_is_in("*", "\"a\""));
    assert_false(sl_http_tag_is_in("\"ab\"", "\"a\""));
    assert_false(sl_http_tag_is_in("\"b\",\"c\"", "\"a\""));
    assert_false(sl_http_tag_is_in("", "\"a\""));
    assert_false(sl_http_tag_is_in("\"a\"b", "\"a\""));
}
