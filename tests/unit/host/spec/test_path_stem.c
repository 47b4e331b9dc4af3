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
    check_stem("a\xff"
               "b\xc2\x9b\xe2\x80\xae"
               "c\xc3\xa9.pte",
               "a_b_____c\xc3\xa9");
    check_stem("..dots.pte", "__dots");
    check_stem(".pte", "_pte");
}

static void check_title(const char *path, const char *expected)
{
    char title[32];
    sl_path_title(path, title, sizeof(title));
    assert_string_equal(title, expected);
}

TEST(a_program_called_model_has_its_folders_title)
{
    check_title("zoo/mobilenet_v2_1.0/model.pte", "mobilenet_v2_1.0");
    check_title("toy/model.pte", "toy");
    check_title("zoo/toy/model_int8.pte", "model_int8");
    check_title("model.pte", "model");
    check_title("./model.pte", "model");
    check_title("../model.pte", "model");
    check_title("/model.pte", "model");
    check_title("a/\x1b[31m/model.pte", "_[31m");
}

TEST(a_path_below_has_no_step_up)
{
    assert_true(sl_path_is_below("v1..2/..toy/toy...bin"));
    assert_false(sl_path_is_below(""));
    assert_false(sl_path_is_below("/toy"));
    assert_false(sl_path_is_below(".."));
    assert_false(sl_path_is_below("a/../b"));
    assert_false(sl_path_is_below("a/.."));
    assert_false(sl_path_is_below("./a"));
    assert_false(sl_path_is_below("a//b"));
    assert_false(sl_path_is_below("a/"));
}

TEST(the_sources_of_artifacts_are_none)
{
    assert_true(sl_path_is_artifact("manifest.json"));
    assert_true(sl_path_is_artifact("toy/toy_t1.etdump"));
    assert_true(sl_path_is_artifact("streams"));
    assert_false(sl_path_is_artifact("streams/log"));
    assert_false(sl_path_is_artifact("files/model.pte"));
    assert_false(sl_path_is_artifact("reference/trace.sltrace"));
    assert_false(sl_path_is_artifact("trace.sltrace"));
    assert_false(sl_path_is_artifact("config.json"));
    assert_false(sl_path_is_artifact("../manifest.json"));
}
