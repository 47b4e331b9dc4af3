/* tests/unit/host/cli/test_cmd_estimate.c: what is refused before a log is read;
 * tests/integration/test_estimate.py has the rest. */
#include <stdio.h>

#include "host/cli/cli.h"
#include "tests/support/test.h"

static int run(char *first, char *second, char *third)
{
    static const struct sl_cli cli = {.quiet = true};
    char name[] = "estimate";
    char *argv[] = {name, first, second, third, NULL};
    int argc = 1;
    while (argv[argc])
        argc++;
    return sl_cmd_estimate(&cli, argc, argv);
}

TEST(a_log_is_needed)
{
    assert_int_equal(run(NULL, NULL, NULL), SL_EXIT_USAGE);
    assert_int_equal(run("/nowhere/log", NULL, NULL), SL_EXIT_USAGE);
}

TEST(a_window_has_two_addresses)
{
    assert_int_equal(run("/dev/null", "--from=0x1000", NULL), SL_EXIT_USAGE);
    assert_int_equal(run("/dev/null", "--from=-1", "--to=0x2000"), SL_EXIT_USAGE);
    assert_int_equal(run("/dev/null", "--from=0", "--to=0x2000"), SL_EXIT_USAGE);
    assert_int_equal(run("/dev/null", "--from=0x1000", "--to=0x99999999999999999"), SL_EXIT_USAGE);
}

TEST(memory_is_bytes_and_among_how_many)
{
    assert_int_equal(run("/dev/null", "--memory=1:", NULL), SL_EXIT_USAGE);
    assert_int_equal(run("/dev/null", "--memory=-1", NULL), SL_EXIT_USAGE);
    assert_int_equal(run("/dev/null", "--memory=1:2:3", NULL), SL_EXIT_USAGE);
    assert_int_equal(run("/dev/null", "--memory=nan", NULL), SL_EXIT_USAGE);
}

TEST(an_empty_log_has_no_estimate)
{
    assert_int_equal(run("/dev/null", NULL, NULL), SL_EXIT_USAGE);
}
