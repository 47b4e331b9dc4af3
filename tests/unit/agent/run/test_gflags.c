/* tests/unit/agent/run/test_gflags.c */
#include "agent/run/gflags.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

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

static void every_spelling_of_a_value_is_taken(void **state)
{
    (void)state;
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

static void booleans_take_no_further_word(void **state)
{
    (void)state;
    assert_int_equal(parse("--on word"), 0);
    assert_true(values.on);
    assert_int_equal(extra, 1);
    assert_int_equal(parse("--on --noon"), 0);
    assert_false(values.on);
    assert_int_equal(parse("--on=TRUE --on=no --on=y"), 0);
    assert_true(values.on);
}

static void bad_words_are_all_named(void **state)
{
    (void)state;
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

static void words_after_two_dashes_are_no_flags(void **state)
{
    (void)state;
    assert_int_equal(parse("first --u=1 - -- --u=2"), 0);
    assert_int_equal(values.u, 1);
    assert_int_equal(extra, 3);
}

static void help_and_version_are_told_apart(void **state)
{
    (void)state;
    assert_int_equal(parse("--help"), SL_GFLAGS_HELP);
    assert_int_equal(parse("-helpshort"), SL_GFLAGS_HELP);
    assert_int_equal(parse("--version"), SL_GFLAGS_VERSION);
    assert_int_equal(parse("--version --nope"), SL_GFLAGS_BAD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_spelling_of_a_value_is_taken),
        cmocka_unit_test(booleans_take_no_further_word),
        cmocka_unit_test(bad_words_are_all_named),
        cmocka_unit_test(words_after_two_dashes_are_no_flags),
        cmocka_unit_test(help_and_version_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
