#include <stdint.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/utf8.h"
#include "tests/support/test.h"

TEST(the_first_byte_of_no_character_is_found)
{
    static const struct {
        const char *text;
        size_t bad;
    } cases[] = {
        {"", 0},
        {"plain", 5},
        {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 9},
        {"ab\xff", 2},
        {"a\x80", 1},               /* a continuation alone */
        {"a\xc0\xaf", 1},           /* overlong */
        {"\xe0\x9f\xbf", 0},        /* overlong */
        {"\xed\xa0\x80", 0},        /* surrogate */
        {"\xf0\x8f\xbf\xbf", 0},    /* overlong */
        {"\xf4\x90\x80\x80", 0},    /* beyond U+10FFFF */
        {"\xf5\x80\x80\x80", 0},    /* beyond U+10FFFF */
        {"abc\xe2\x82", 3},         /* cut */
        {"\xc3\xa9\xf0\x9f\x98", 2} /* cut */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t size = strlen(cases[i].text);
        uint8_t *exact = sl_malloc(size + 1, 1); /* so that a sanitizer sees a byte too much */
        assert_non_null(exact);
        memcpy(exact + 1, cases[i].text, size);
        assert_int_equal(sl_utf8_first_bad((struct sl_bytes){exact + 1, size}), cases[i].bad);
        sl_free(exact);
    }
}

TEST(a_nul_is_a_character_of_one_byte)
{
    static const uint8_t text[] = {'a', 0, 'b', 0xff};
    assert_int_equal(sl_utf8_first_bad((struct sl_bytes){text, sizeof(text)}), 3);
    assert_int_equal(sl_utf8_length(text + 1), 1);
}

TEST(plain_text_is_whole_and_steers_nothing)
{
    assert_true(sl_utf8_is_plain("") && sl_utf8_is_plain("a=b; \xc3\xbc\xf0\x9f\x98\x80"));
    assert_false(sl_utf8_is_plain("a\n"));
    assert_false(sl_utf8_is_plain("\x1b[31m"));
    assert_false(sl_utf8_is_plain("\xe2\x80\xae"));
    assert_false(sl_utf8_is_plain("cut\xe2\x86"));
}

TEST(cleaning_takes_what_steers_a_terminal_and_what_is_no_text)
{
    static const struct {
        const char *text, *kept, *clean;
    } cases[] = {
        {"plain \xc3\xbc \xe2\x86\x92", "", "plain \xc3\xbc \xe2\x86\x92"},
        {"\x1b[31m\x07\x7f", "", "?[31m??"},
        {"a\tb\nc\r", "\n\t", "a\tb\nc?"},
        {"\xc2\x9b"
         "31m",
         "", "??31m"},
        {"\xe2\x80\xae"
         "etp",
         "", "???etp"},
        {"bad\xff\xc3", "", "bad??"},
        {"cut\xe2\x86", "", "cut??"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[32];
        memset(text, 0, sizeof(text));
        memcpy(text, cases[i].text, strlen(cases[i].text));
        sl_utf8_clean(text, cases[i].kept);
        assert_string_equal(text, cases[i].clean);
    }
}
