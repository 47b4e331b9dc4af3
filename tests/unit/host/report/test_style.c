#include <stdint.h>
#include <string.h>

#include "common/base/buf.h"
#include "host/report/style.h"
#include "tests/support/test.h"

TEST(bars_have_their_share_of_the_columns)
{
    static const struct {
        double share;
        const char *plain, *blocks;
    } cases[] = {
        {0, "    ", "    "},       {1, "####", "████"},      {2, "####", "████"},
        {0.5, "##  ", "██  "},     {0.0001, "#   ", "▏   "}, /* what is there at all is seen */
        {0.53125, "##  ", "██▏ "}, {0.72, "### ", "██▉ "},   {0.0 / 0.0, "    ", "    "},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (int unicode = 0; unicode < 2; unicode++) {
            const struct sl_style style = {.width = 80, .unicode = unicode != 0};
            struct sl_buf out;
            sl_buf_init(&out, 100);
            assert_int_equal(sl_style_bar(&out, &style, SL_TONE_GOOD, cases[i].share, 4), 0);
            assert_int_equal(sl_buf_append(&out, "", 1), 0);
            assert_string_equal((char *)out.data, unicode ? cases[i].blocks : cases[i].plain);
            sl_buf_fini(&out);
        }
    }
}

TEST(words_that_go_over_the_width_begin_a_line_at_the_indent)
{
    const struct sl_style style = {.width = SL_STYLE_MIN_WIDTH};
    struct sl_buf out;
    sl_buf_init(&out, 200);
    assert_int_equal(sl_buf_printf(&out, "name: "), 0);
    assert_int_equal(sl_style_wrap(&out, &style, 6, 6,
                                   "a sentence that is just as  wide as the terminal fits, one more"
                                   " word goes to a line of its own"),
                     0);
    assert_int_equal(sl_buf_append(&out, "", 1), 0);
    assert_string_equal((char *)out.data,
                        "name: a sentence that is just as wide as the terminal fits,\n"
                        "      one more word goes to a line of its own\n");
    sl_buf_fini(&out);
}
