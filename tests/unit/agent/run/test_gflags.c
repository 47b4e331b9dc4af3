/* tests/unit/agent/run/test_gflags.c */
#include "agent/run/gflags.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/test.h"

static struct values {
    const char *text;
    bool on;
    int32_t i;
    uint32_t u;
    uint64_t big;
    bool u_given;
} values;

static const struct sl_flag flags[] = {
    {"some_text", SL_FLAG_STRING, &values.text, NULL, "A text."},
    {"on", SL_FLAG_BOOL, &values.on, NULL, "A switch."},
    {"i", SL_FLAG_INT32, &values.i, NULL, "A number."},
    {"u", SL_FLAG_UINT32, &values.u, &values.u_given, "A count."},
    {"big", SL_FLAG_UINT64, &values.big, NULL, "A seed."},
};

static char errors[2048];
static int extra;

/* Parses the words of `line`, separated by single spaces. */
static int parse(const char *line)
{
    static char copy[512];
    char *argv[32] = {"run"};
    int argc = 1;
    values = (struct values){.text = "default"};
    strncpy(copy, line, sizeof(copy) - 1);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    memset(errors, 0, sizeof(errors));
    FILE *err = fmemopen(errors, sizeof(errors), "w");
    assert_non_null(err);
    int result = sl_gflags_parse(flags, sizeof(flags) / sizeof(flags[0]), argc, argv, err, &extra);
    fclose(err);
    return result;
}

TEST(every_spelling_of_a_value_is_taken)
{
    assert_int_equal(parse("--some_text=a=b -i -5 --u 0x10 --big=18446744073709551615"), 0);
    assert_string_equal(values.text, "a=b");
    assert_int_equal(values.i, -5);
    assert_int_equal(values.u, 16);
    assert_true(values.u_given);
    assert_true(values.big == UINT64_MAX);
    assert_int_equal(parse("--some-text x"), 0);
    assert_string_equal(values.text, "x");
    assert_false(values.u_given);
    assert_int_equal(parse("--some_text="), 0);
    assert_string_equal(values.text, "");
}

TEST(booleans_take_no_further_word)
{
    assert_int_equal(parse("--on word"), 0);
    assert_true(values.on);
    assert_int_equal(extra, 1);
    assert_int_equal(parse("--on --noon"), 0);
    assert_false(values.on);
    assert_int_equal(parse("--on=TRUE --on=no --on=y"), 0);
    assert_true(values.on);
}

TEST(bad_words_are_all_named)
{
    assert_int_equal(parse("--nope --u=-1 --i=2147483648 --on=maybe --u=1x --nosome_text --i"),
                     SL_GFLAGS_BAD);
    assert_string_equal(
        errors, "ERROR: unknown command line flag 'nope'\n"
                "ERROR: illegal value '-1' specified for uint32 flag 'u'\n"
                "ERROR: illegal value '2147483648' specified for int32 flag 'i'\n"
                "ERROR: illegal value 'maybe' specified for bool flag 'on'\n"
                "ERROR: illegal value '1x' specified for uint32 flag 'u'\n"
                "ERROR: boolean value (nosome_text) specified for string command line flag\n"
                "ERROR: flag '--i' is missing its argument; flag description: A number.\n");
}

TEST(words_after_two_dashes_are_no_flags)
{
    assert_int_equal(parse("first --u=1 - -- --u=2"), 0);
    assert_int_equal(values.u, 1);
    assert_int_equal(extra, 3);
}

TEST(help_and_version_are_told_apart)
{
    assert_int_equal(parse("--help"), SL_GFLAGS_HELP);
    assert_int_equal(parse("-helpshort"), SL_GFLAGS_HELP);
    assert_int_equal(parse("--version"), SL_GFLAGS_VERSION);
    assert_int_equal(parse("--version --nope"), SL_GFLAGS_BAD);
}

TEST(undefok_lets_unknown_flags_pass_by_their_name_alone)
{
    assert_int_equal(parse("--nope=1 --undefok=other,nope --nonope --u=3"), 0);
    assert_int_equal(values.u, 3);
    assert_int_equal(parse("--undefok nope --nop --u=3"), SL_GFLAGS_BAD);
    assert_string_equal(errors, "ERROR: unknown command line flag 'nop'\n");
}

TEST(values_come_from_the_environment_where_it_has_them)
{
    setenv("FLAGS_some_text", "from afar", 1);
    unsetenv("FLAGS_u");
    assert_int_equal(parse("--fromenv=some_text --tryfromenv=u,i"), 0);
    assert_string_equal(values.text, "from afar");
    assert_false(values.u_given);
    assert_int_equal(parse("--fromenv=u,nope"), SL_GFLAGS_BAD);
    assert_string_equal(
        errors, "ERROR: FLAGS_u not found in environment\n"
                "ERROR: unknown command line flag 'nope' (via --fromenv or --tryfromenv)\n");
}

/* A file in the working directory, which is the build's. */
static void write_file(const char *path, const char *text, size_t times)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    while (times-- > 0)
        assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

TEST(files_of_flags_stand_for_their_lines)
{
    write_file(
        "flags-outer.txt",
        "# a comment\n\n  --some_text=a b\n-on\n--nope=1\nother_program\n--u=7\nx executor_*\n"
        "--u=8\n--flagfile=flags-inner.txt\n",
        1);
    write_file("flags-inner.txt", "--big=9\r\n--i=4\n", 1);
    assert_int_equal(parse("--i=3 --flagfile=flags-outer.txt word"), 0);
    assert_string_equal(values.text, "a b");
    assert_true(values.on);
    assert_int_equal(values.u, 8);
    assert_int_equal(values.big, 9);
    assert_int_equal(values.i, 4);
    assert_int_equal(extra, 1);
    assert_int_equal(parse("--flagfile flags-inner.txt,flags-inner.txt --i=3"), 0);
    assert_int_equal(values.i, 3);
}

TEST(files_of_flags_that_cannot_be_taken_are_named)
{
    unlink("flags-none.txt");
    assert_int_equal(parse("--flagfile=flags-none.txt"), SL_GFLAGS_BAD);
    assert_string_equal(errors, "flags-none.txt: No such file or directory\n");
    write_file("flags-self.txt", "--flagfile=flags-self.txt\n", 1);
    assert_int_equal(parse("--flagfile=flags-self.txt"), SL_GFLAGS_BAD);
    assert_string_equal(errors, "ERROR: files of flags name each other more than 8 deep\n");
    write_file("flags-long.txt", "# sixteen bytes.\n", 65536 / 16);
    assert_int_equal(parse("--flagfile=flags-long.txt"), SL_GFLAGS_BAD);
    assert_string_equal(errors, "ERROR: files of flags hold at most 65535 bytes\n");
}
