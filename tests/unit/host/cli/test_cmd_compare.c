/* tests/unit/host/cli/test_cmd_compare.c: `compare` of real ETDumps: what cannot be asked, A
 * against A, directories of other tools, pairs of several experiments. */
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "host/cli/exit_code.h"
#include "tests/support/cli_case.h"
#include "tests/support/run_case.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

#define TOY SL_TEST_DATA "/models/toy_cnn_f32_xnnpack/"
#define OFF TOY "aarch64-nosme.etdump"
#define ON TOY "aarch64-sme2.etdump"
#define FIVE TOY "run.etdump" /* five runs of one variant */

static const struct sl_run_case *finished;
static void *run_case;

static int open_all(void **state)
{
    *state = NULL;
    sl_cli_case_begin(NULL);
    make_scratch();
    sl_run_case_begin_finished(&run_case);
    finished = run_case;
    return 0;
}

static int close_all(void **state)
{
    *state = NULL;
    sl_run_case_end(&run_case);
    remove_scratch();
    return sl_cli_case_end();
}

TEST_GROUP(open_all, close_all);

TEST(what_has_no_sense_is_refused_with_the_option)
{
    static const struct {
        const char *words[5], *where;
    } cases[] = {
        {{OFF, ON, "--iterations", "10"}, "--iterations"},
        {{OFF, ON, "--iterations", "1000001"}, "--iterations"},
        {{OFF, ON, "--threshold", "-1"}, "A percentage is negative or 0"},
        {{OFF, ON, "--minimum-effect", "0"}, "A percentage is negative or 0"},
        {{OFF, ON, "--factor", "moon"}, "There is no such factor"},
        {{OFF, ON, "--variant", "both"}, "A variant is off or on"},
        {{OFF, "--pairs", "p.csv"}, "--pairs takes no other file"},
        {{OFF, ON, "--calibrate"}, "One directory or ETDump is calibrated"},
        {{OFF, ON, "--keep"}, "It keeps what --calibrate finds"},
        {{OFF, ON, "--data-path", "w.ptd"}, "External weights belong to a program"},
        {{OFF, ON, "--noise-floor=1", "--noise-floor-of", FIVE}, "--noise-floor says it already"},
        {{OFF, ON, "--noise-floor-of", OFF}, "Too few runs to tell a noise floor"},
        {{OFF, ON, "--noise-floor-of", "/nowhere.etdump"}, "/nowhere.etdump"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *const *w = cases[i].words;
        SAY("compare", w[0], w[1], w[2], w[3], w[4]);
        sl_verb_case_exited(SL_EXIT_USAGE);
        sl_verb_case_complained(cases[i].where);
    }
}

TEST(equal_runs_are_compared_with_each_other)
{
    SAY("compare", FIVE, "--calibrate", "--json");
    sl_verb_case_printed("\"schema\":\"sme2lab.comparison/");
    sl_verb_case_printed("\"factor\":{\"name\":\"none\",\"baseline\":\"A\",\"candidate\":\"A\"}");
    SAY("compare", finished->folder, "--calibrate", "--variant", "off");
    sl_verb_case_exited(SL_EXIT_INCONCLUSIVE); /* two runs */
    SAY("compare", finished->folder, "--calibrate", "--keep");
    sl_verb_case_exited(SL_EXIT_USAGE);
    sl_verb_case_complained("does not say which device this is of");
}

TEST(warm_up_is_what_the_caller_says)
{
    SAY("compare", FIVE, FIVE, "--warmup", "2", "--seed", "1", "--iterations", "200", "--json");
    sl_verb_case_printed("\"cold_runs\":2");
    SAY("compare", FIVE, FIVE, "--warmup", "2", "--seed", "1", "--iterations", "200", "-q");
    assert_null(strchr(sl_verb_case.out, '\n') ? strchr(strchr(sl_verb_case.out, '\n') + 1, '\n')
                                               : NULL); /* the verdict alone */
}

TEST(experiments_of_one_file_are_compared_one_by_one)
{
    char text[8192];
    int used = snprintf(text, sizeof(text), "experiment,off_ns,on_ns\n");
    for (int i = 0; i < 60; i++)
        used += snprintf(text + used, sizeof(text) - (size_t)used, "%s,%d,%d\n",
                         i < 30 ? "small" : "large", 2000 + i % 7, i < 30 ? 1000 : 4000 + i % 5);
    assert_int_equal(sl_buf_write_file(below("pairs.csv"), text, (size_t)used), 0);
    SAY("compare", "--pairs", below("pairs.csv"), "--seed", "1", "--json", "--threshold", "5");
    sl_verb_case_exited(SL_EXIT_REGRESSION); /* the worst of them */
    assert_int_equal(sl_verb_case.out[0], '[');
    sl_verb_case_printed("\"verdict\":\"faster\"");
    sl_verb_case_printed("\"verdict\":\"slower\"");
    SAY("compare", "--pairs", below("pairs.csv"), "--seed", "1", "--threshold", "200");
    sl_verb_case_exited(SL_EXIT_DONE);
    sl_verb_case_printed("gate: passed: not slower by more than 200 %");
}

TEST(an_imported_directory_is_compared_as_it_was_paired)
{
    SAY("import", OFF, ON, "-o", below("kit"), "--model", "toy", "--warmup", "0", "--pair",
        "aarch64-nosme=aarch64-sme2");
    sl_verb_case_exited(SL_EXIT_DONE);
    SAY("compare", below("kit"), "--seed", "1", "--iterations", "200");
    sl_verb_case_printed("aarch64-nosme");
    SAY("compare", below("kit"), "--seed", "1", "--iterations", "200", "--json");
    sl_verb_case_printed("\"schema\":\"sme2lab.comparison/");
}
