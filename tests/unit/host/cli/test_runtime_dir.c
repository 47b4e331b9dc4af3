/* tests/unit/host/cli/test_runtime_dir.c: what is refused before anything is made;
 * integration/runtime has the rest. */
#include "host/cli/runtime_dir.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "tests/support/unit.h"

static int take(const char *said, const char *server, struct sl_diag *diag)
{
    char words[SL_RUNTIME_WORDS_BYTES];
    *diag = (struct sl_diag){0};
    unsetenv("SME2LAB_SERVER");
    return sl_runtime_dir_take(said, server, words, diag);
}

TEST(names_alone_are_left)
{
    struct sl_diag diag;
    assert_int_equal(take("own", NULL, &diag), 1);
    assert_int_equal(take("executorch,own", "unix:/x", &diag), 1);
    assert_int_equal(take("", NULL, &diag), 1);
    assert_int_equal(take(",", NULL, &diag), 1);
    assert_int_equal(take("tflite", NULL, &diag), 1); /* refused as a name */
}

TEST(directory_is_one_and_takes_executorchs_place)
{
    struct sl_diag diag;
    assert_int_equal(take("/a,/b", NULL, &diag), SL_E_UNSUPPORTED);
    assert_non_null(strstr(diag.what, "One directory"));
    assert_int_equal(take("executorch,/a", NULL, &diag), SL_E_UNSUPPORTED);
    assert_int_equal(take("/a,executorch", NULL, &diag), SL_E_UNSUPPORTED);
    assert_non_null(strstr(diag.what, "not both"));
    assert_int_equal(take("own,/nowhere/at/all", NULL, &diag), SL_E_NOT_FOUND);
    assert_string_equal(diag.where, "/nowhere/at/all");
}

TEST(daemon_that_was_named_keeps_its_libraries)
{
    struct sl_diag diag;
    assert_int_equal(take("./libraries", "http://lab:8080", &diag), SL_E_UNSUPPORTED);
    assert_non_null(strstr(diag.hint, "SME2LAB_EXECUTORCH"));
    assert_int_equal(take("/nowhere/at/all", "private", &diag), SL_E_NOT_FOUND);
}

TEST(list_that_is_too_long_is_refused)
{
    static char said[SL_RUNTIME_WORDS_BYTES + 64];
    struct sl_diag diag;
    memset(said, 'a', sizeof(said) - 1);
    memcpy(said + sizeof(said) - 4, ",/b", 3);
    assert_int_equal(take(said, NULL, &diag), SL_E_LIMIT);
    memcpy(said, "/b,", 3);
    said[sizeof(said) - 4] = 'a';
    said[sizeof(said) - 3] = 'a';
    assert_int_equal(take(said, NULL, &diag), SL_E_LIMIT);
}
