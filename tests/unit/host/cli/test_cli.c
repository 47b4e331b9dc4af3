#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "common/base/error.h"
#include "host/cli/cli.h"
#include "host/cli/exit_code.h"
#include "tests/support/test.h"

static int init(struct sl_cli *cli, int *argc, char **argv, struct sl_diag *diag)
{
    *argc = 0;
    while (argv[*argc])
        ++*argc;
    memset(diag, 0, sizeof(*diag));
    return sl_cli_init(cli, argc, argv, diag);
}

TEST(options_of_all_verbs_are_taken_wherever_they_stand)
{
    struct sl_cli cli;
    struct sl_diag diag;
    int argc;
    char *argv[] = {"sme2lab", "--json", "run", "-v", "m.pte", "--color", "never", "-q", NULL};
    assert_int_equal(init(&cli, &argc, argv, &diag), 0);
    assert_int_equal(argc, 3);
    assert_string_equal(argv[1], "run");
    assert_string_equal(argv[2], "m.pte");
    assert_null(argv[3]);
    assert_true(cli.json && cli.verbose && cli.quiet && !cli.color && !cli.live);
}

TEST(words_after_two_dashes_are_left_alone)
{
    struct sl_cli cli;
    struct sl_diag diag;
    int argc;
    char *argv[] = {"sme2lab", "run", "--", "--json", NULL};
    assert_int_equal(init(&cli, &argc, argv, &diag), 0);
    assert_int_equal(argc, 4);
    assert_false(cli.json);
}

TEST(a_bad_value_is_refused_and_json_is_still_seen)
{
    struct sl_cli cli;
    struct sl_diag diag;
    int argc;
    char *argv[] = {"sme2lab", "--color=pink", "--json", "run", NULL};
    assert_int_equal(init(&cli, &argc, argv, &diag), SL_E_UNSUPPORTED);
    assert_true(cli.json);
    char *server[] = {"sme2lab", "--server", "http://x", NULL};
    assert_int_equal(init(&cli, &argc, server, &diag), 0);
    assert_string_equal(cli.server, "http://x");
    char *joined[] = {"sme2lab", "--server=unix:s", "jobs", "--token-file=t", NULL};
    assert_int_equal(init(&cli, &argc, joined, &diag), 0);
    assert_int_equal(argc, 2);
    assert_string_equal(cli.server, "unix:s");
    assert_string_equal(cli.token_file, "t");
    char *bare[] = {"sme2lab", "--server", NULL};
    assert_int_equal(init(&cli, &argc, bare, &diag), SL_E_UNSUPPORTED);
}

TEST(every_exit_code_has_its_name)
{
    assert_string_equal(sl_exit_name(SL_EXIT_DONE), "done");
    assert_string_equal(sl_exit_name(SL_EXIT_FAILED), "failed");
    assert_string_equal(sl_exit_name(SL_EXIT_USAGE), "usage");
    assert_string_equal(sl_exit_name(SL_EXIT_REGRESSION), "regression");
    assert_string_equal(sl_exit_name(SL_EXIT_INCONCLUSIVE), "inconclusive");
    assert_string_equal(sl_exit_name(SL_EXIT_LAB), "lab");
    assert_string_equal(sl_exit_name(SL_EXIT_DEFECT), "defect");
    assert_string_equal(sl_exit_name(SL_EXIT_INTERRUPTED), "interrupted");
    assert_string_equal(sl_exit_name(SL_EXIT_TERMINATED), "terminated");
}

TEST(errors_have_the_exit_code_of_whose_they_are)
{
    assert_int_equal(sl_exit_for_error(0), SL_EXIT_DONE);
    assert_int_equal(sl_exit_for_error(SL_E_CRASHED), SL_EXIT_FAILED);
    assert_int_equal(sl_exit_for_error(SL_E_TIMEOUT), SL_EXIT_FAILED);
    assert_int_equal(sl_exit_for_error(SL_E_FORMAT), SL_EXIT_USAGE);
    assert_int_equal(sl_exit_for_error(-ENOENT), SL_EXIT_USAGE);
    assert_int_equal(sl_exit_for_error(-ENOSPC), SL_EXIT_LAB);
    assert_int_equal(sl_exit_for_error(-EINTR), SL_EXIT_INTERRUPTED);
    assert_int_equal(sl_exit_for_error(SL_E_STATE), SL_EXIT_DEFECT);
}

TEST(every_verb_in_the_table_runs_and_has_one_line)
{
    for (const struct sl_verb *verb = sl_verbs; verb->name; verb++) {
        assert_non_null(verb->run);
        for (const struct sl_verb *other = sl_verbs; other < verb; other++)
            assert_string_not_equal(verb->name, other->name);
    }
}
