/* tests/unit/host/cli/test_cmd_label.c: words that are no labels are refused before anything is
 * asked of a daemon. */
#include "host/cli/cli.h"
#include "host/cli/exit_code.h"
#include "tests/support/test.h"

static int label(const char *server, const char *run, const char *a, const char *b)
{
    const struct sl_cli cli = {.quiet = true, .server = server};
    const char *words[] = {"label", run, a, b, NULL};
    return sl_cmd_label(&cli, b ? 4 : a ? 3 : 2, (char **)(uintptr_t)words);
}

TEST(what_is_no_label_is_a_usage_error)
{
    static const char *const bad[][3] = {{"seven", NULL, NULL},
                                         {"7", "word", NULL},
                                         {"7", "=value", NULL},
                                         {"7", "a=b", "c"},
                                         {"7", "--pin", "--unpin"},
                                         {"7",
                                          "0123456789012345678901234567890123456789012345678901"
                                          "234567890123=1",
                                          NULL}};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(label("unix:/no/such/socket", bad[i][0], bad[i][1], bad[i][2]),
                         SL_EXIT_USAGE);
}

TEST(what_is_one_is_asked_of_the_daemon)
{
    assert_int_equal(label("unix:/no/such/socket", "7", NULL, NULL), SL_EXIT_LAB);
    assert_int_equal(label("unix:/no/such/socket", "7", "a=b", "c="), SL_EXIT_LAB);
    assert_int_equal(label("unix:/no/such/socket", "7", "--pin", NULL), SL_EXIT_LAB);
}
