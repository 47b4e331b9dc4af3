/* tests/unit/common/base/test_path.c */
#include "common/base/path.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void a_slash_stands_between(void **state)
{
    (void)state;
    char path[16];
    assert_int_equal(sl_path_join("a/b", "c", path, sizeof(path)), 0);
    assert_string_equal(path, "a/b/c");
    assert_int_equal(sl_path_join("/", "c", path, sizeof(path)), 0);
    assert_string_equal(path, "/c");
    assert_int_equal(sl_path_join("a/", "c", path, sizeof(path)), 0);
    assert_string_equal(path, "a/c");
}

static void what_does_not_fit_is_refused_whole(void **state)
{
    (void)state;
    char path[8] = "?";
    assert_int_equal(sl_path_join("abc", "def", path, sizeof(path)), 0); /* seven and the end */
    assert_string_equal(path, "abc/def");
    assert_int_equal(sl_path_join("abc", "defg", path, sizeof(path)), -ENAMETOOLONG);
    assert_string_equal(path, "");
    assert_int_equal(sl_path_join("abcdefgh", "", path, sizeof(path)), -ENAMETOOLONG);
    assert_int_equal(sl_path_join("abc/", "defg", path, sizeof(path)), -ENAMETOOLONG);
    assert_int_equal(sl_path_join("abc/", "def", path, sizeof(path)), 0);
    assert_int_equal(sl_path_join("a", "b", path, 0), -ENAMETOOLONG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slash_stands_between),
        cmocka_unit_test(what_does_not_fit_is_refused_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
