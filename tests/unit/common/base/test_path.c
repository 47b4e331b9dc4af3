/* tests/unit/common/base/test_path.c */
#include "common/base/path.h"

#include <errno.h>
#include <string.h>

#include "tests/support/test.h"

TEST(a_slash_stands_between)
{
    char path[16];
    assert_int_equal(sl_path_join(path, sizeof(path), "a/b", "c"), 0);
    assert_string_equal(path, "a/b/c");
    assert_int_equal(sl_path_join(path, sizeof(path), "/", "c"), 0);
    assert_string_equal(path, "/c");
    assert_int_equal(sl_path_join(path, sizeof(path), "a/", "c"), 0);
    assert_string_equal(path, "a/c");
    assert_int_equal(sl_path_join(path, sizeof(path), "a", "%s-%u.bin", "b", 7u), 0);
    assert_string_equal(path, "a/b-7.bin");
}

TEST(what_does_not_fit_is_refused_whole)
{
    char path[8] = "?";
    assert_int_equal(sl_path_join(path, sizeof(path), "abc", "def"), 0); /* seven and the end */
    assert_string_equal(path, "abc/def");
    assert_int_equal(sl_path_join(path, sizeof(path), "abc", "defg"), -ENAMETOOLONG);
    assert_string_equal(path, "");
    assert_int_equal(sl_path_join(path, sizeof(path), "abcdefgh", ""), -ENAMETOOLONG);
    assert_int_equal(sl_path_join(path, sizeof(path), "abc/", "defg"), -ENAMETOOLONG);
    assert_int_equal(sl_path_join(path, sizeof(path), "abc/", "def"), 0);
    assert_int_equal(sl_path_join(path, 0, "a", "b"), -ENAMETOOLONG);
}
