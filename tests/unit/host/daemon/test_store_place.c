/* tests/unit/host/daemon/test_store_place.c */
#include "host/daemon/store_place.h"

#include <errno.h>
#include <string.h>

#include "common/base/error.h"
#include "tests/support/test.h"

TEST(a_place_is_a_file_or_a_url)
{
    struct sl_diag diag = {0};
    char out[SL_STORE_PLACE_BYTES];
    assert_int_equal(sl_store_place(NULL, "/state", out, &diag), 0);
    assert_string_equal(out, "/state/store.sqlite");
    assert_int_equal(sl_store_place("sqlite:/elsewhere/s", "/state", out, &diag), 0);
    assert_string_equal(out, "/elsewhere/s");
    assert_int_equal(sl_store_place("postgresql://u:p@h/d", "/state", out, &diag), 0);
    assert_string_equal(out, "postgresql://u:p@h/d");
    assert_string_equal(diag.hint, "");
}

TEST(what_is_neither_is_refused_without_repeating_it)
{
    static const char *const bad[] = {"", "sqlite:", "mysql://u:secret@h/d", "/path", "postgresql"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct sl_diag diag = {0};
        char out[SL_STORE_PLACE_BYTES] = "";
        assert_int_equal(sl_store_place(bad[i], "/state", out, &diag), -EINVAL);
        assert_null(strstr(diag.what, "secret"));
        assert_null(strstr(diag.hint, "secret"));
    }
}
