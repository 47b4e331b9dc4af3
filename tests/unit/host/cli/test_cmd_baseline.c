/* tests/unit/host/cli/test_cmd_baseline.c: what is refused before a run is read;
 * tests/integration/test_baseline.py has the rest. */
#include "host/cli/cli.h"
#include "tests/support/test.h"

static int run(char *first, char *second, char *third, char *fourth)
{
    static const struct sl_cli cli = {.quiet = true};
    char name[] = "baseline";
    char *argv[] = {name, first, second, third, fourth, NULL};
    int argc = 1;
    while (argv[argc])
        argc++;
    return sl_cmd_baseline(&cli, argc, argv);
}

TEST(the_words_are_checked)
{
    assert_int_equal(run(NULL, NULL, NULL, NULL), SL_EXIT_USAGE);
    assert_int_equal(run("keep", "f", "d", NULL), SL_EXIT_USAGE);
    assert_int_equal(run("check", "f", NULL, NULL), SL_EXIT_USAGE);
    assert_int_equal(run("check", "f", "d", "--threshold=-1"), SL_EXIT_USAGE);
}

TEST(a_file_that_is_not_there_is_said)
{
    assert_int_equal(run("check", "/nowhere/base.json", "/nowhere", NULL), SL_EXIT_USAGE);
}
