/* tests/unit/host/report/test_text.c */
#include "host/report/text.h"

#include <stdio.h>

#include "tests/support/test.h"

static void parts_are(const char *text, size_t columns, const char *wanted)
{
    char cut[SL_TEXT_SIZE];
    snprintf(cut, sizeof(cut), "%s", text);
    sl_text_parts(cut, columns);
    assert_string_equal(cut, wanted);
}

TEST(parts_that_fit_are_whole)
{
    static const char text[] =
        "Look at pool (Other, f32): 18.8 % on, 6.6 % off. Worth 1.23x (less)";
    parts_are(text, sizeof(text) - 1, text);
    parts_are(text, sizeof(text) - 2,
              "Look at pool (Other, f32): 18.8 % on, 6.6 % off. Worth 1.23x");
    parts_are(text, 59, "Look at pool (Other, f32): 18.8 % on, 6.6 % off");
    parts_are(text, 47, "Look at pool (Other, f32): 18.8 % on, 6.6 % off");
    parts_are(text, 46, "Look at pool (Other, f32): 18.8 % on");
    parts_are(text, 30, "Look at pool");
    parts_are(text, 11, "Look at ...");
    parts_are(text, 7, "Look a~");
    parts_are("", 0, "");
}

TEST(a_text_is_cut_between_characters)
{
    char text[] = "\xc3\xa4\xc3\xb6\xc3\xbc";
    sl_text_fit(text, 2);
    assert_string_equal(text, "\xc3\xa4~");
    assert_int_equal(sl_text_columns(text), 2);
}
