/* tests/unit/common/base/test_error.c */
#include "common/base/error.h"

#include <errno.h>

#include "tests/support/unit.h"

TEST(every_code_has_words)
{
    for (int code = SL_E_TIMEOUT; code <= SL_E_FORMAT; code++) {
        assert_non_null(sl_strerror(code));
        assert_string_not_equal(sl_strerror(code), sl_strerror(-30000));
    }
    assert_string_equal(sl_strerror(0), "success");
    assert_string_equal(sl_strerror(-ENOENT), strerror(ENOENT));
}

TEST(diag_keeps_its_place_and_is_cut_not_overrun)
{
    struct sl_diag diag = {0};
    char text[1000];
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    assert_int_equal(sl_diag_set(&diag, -5, "byte 7", "%d is bad", 3), -5);
    assert_string_equal(diag.what, "3 is bad");
    assert_string_equal(diag.where, "byte 7");
    assert_int_equal(sl_diag_set(&diag, -6, NULL, "%s", text), -6);
    assert_string_equal(diag.where, "byte 7");
    assert_int_equal(strlen(diag.what), sizeof(diag.what) - 1);
    sl_diag_hint(&diag, "try %s", "again");
    assert_string_equal(diag.hint, "try again");
    assert_int_equal(sl_diag_set(NULL, -7, "x", "y"), -7);
    sl_diag_hint(NULL, "x");
}
