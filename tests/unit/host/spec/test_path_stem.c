/* tests/unit/host/spec/test_path_stem.c */
#include "host/spec/path_stem.h"

#include "tests/support/unit.h"

static void check_stem(const char *path, const char *expected)
{
    char stem[32];
    sl_path_stem(path, stem, sizeof(stem));
    assert_string_equal(stem, expected);
}

TEST(a_stem_is_the_last_part_without_its_ending)
{
    check_stem("a/b.c/toy.v2.pte", "toy.v2");
    check_stem("toy", "toy");
    check_stem("with blank#?%&.pte", "with blank#?%&");
}

TEST(a_stem_steers_no_terminal_and_hides_no_file)
{
    check_stem("new\nline\x1b[31m\x7f.pte", "new_line_[31m_");
    check_stem("..dots.pte", "__dots");
    check_stem(".pte", "_pte");
}

TEST(a_path_below_has_no_step_up)
{
    assert_true(sl_path_is_below("v1..2/..toy/toy...bin"));
    assert_false(sl_path_is_below(""));
    assert_false(sl_path_is_below("/toy"));
    assert_false(sl_path_is_below(".."));
    assert_false(sl_path_is_below("a/../b"));
    assert_false(sl_path_is_below("a/.."));
}
