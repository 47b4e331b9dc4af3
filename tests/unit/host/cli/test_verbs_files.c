/* tests/unit/host/cli/test_verbs_files.c: the verbs that read files, without a daemon: analyze,
 * compare, report, validate, import, inspect, run --analysis-only; and help, version, completion.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/cli/exit_code.h"
#include "tests/support/cli_case.h"
#include "tests/support/run_case.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

#define TOY SL_TEST_DATA "/models/toy_cnn_f32_xnnpack/"
#define OFF TOY "aarch64-nosme.etdump"
#define ON TOY "aarch64-sme2.etdump"
#define MODEL TOY "model.pte"

static struct sl_run_case *finished;
static void *run_case;
static int open_all(void **state)
{
    (void)state;
    make_scratch();
    assert_int_equal(sl_run_case_begin_finished(&run_case), 0);
    finished = run_case;
    sl_cli_case_begin(NULL);
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    remove_scratch();
    assert_int_equal(sl_cli_case_end(), 0);
    return sl_run_case_end(&run_case);
}

TEST_GROUP(open_all, close_all);

static void has_file(const char *folder, const char *name)
{
    char path[320];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    if (access(path, F_OK) != 0)
        fail_msg("%s is missing", path);
}

TEST(an_etdump_is_analyzed_on_a_terminal_and_into_files)
{
    SAY("analyze", ON);
    sl_verb_case_exited(SL_EXIT_DONE);
    sl_verb_case_printed("CONV");
    SAY("analyze", ON, "--json");
    sl_verb_case_printed("\"schema\"");
    SAY("analyze", ON, "--tree");
    sl_verb_case_printed("Method::execute");
    SAY("analyze", ON, "--csv", below("tables"), "--perfetto", below("trace.json"));
    sl_verb_case_exited(SL_EXIT_DONE);
    has_file(scratch, "trace.json");
    SAY("analyze", ON, "--csv", below("tables"), "--force");
    sl_verb_case_exited(SL_EXIT_DONE);
    SAY("analyze", ON, "--inspector-tsv");
    sl_verb_case_printed("\t");
    SAY("analyze", ON, "--warmup", "1", "--top", "2");
    sl_verb_case_exited(SL_EXIT_DONE);
}

TEST(what_cannot_be_analyzed_is_named)
{
    static const struct {
        const char *words[5], *complaint;
        int code;
    } cases[] = {
        {{"analyze"}, "ETDump", SL_EXIT_USAGE},
        {{"analyze", "/nowhere.etdump"}, "/nowhere.etdump", SL_EXIT_USAGE},
        {{"analyze", MODEL}, "model.pte", SL_EXIT_USAGE},
        {{"analyze", ON, "--run", "99"}, "99", SL_EXIT_USAGE},
        {{"analyze", ON, "--categories", "/nowhere.json"}, "/nowhere.json", SL_EXIT_USAGE},
        {{"analyze", ON, "--etrecord", "/nowhere"}, "/nowhere", SL_EXIT_USAGE},
        {{"compare"}, "command line", SL_EXIT_USAGE},
        {{"compare", OFF, "/nowhere.etdump"}, "/nowhere.etdump", SL_EXIT_USAGE},
        {{"compare", OFF, ON, "--confidence", "300"}, "--confidence", SL_EXIT_USAGE},
        {{"compare", "--pairs", "/nowhere.csv"}, "/nowhere.csv", SL_EXIT_USAGE},
        {{"report", "/nowhere"}, "/nowhere", SL_EXIT_USAGE},
        {{"validate", "/nowhere"}, "/nowhere", SL_EXIT_USAGE},
        {{"import", "/nowhere", "-o", "x"}, "/nowhere", SL_EXIT_USAGE},
        {{"import", ON}, "Name what to import, and with -o where to", SL_EXIT_USAGE},
        {{"import", ON, "-o", "x", "--pair"}, "--pair", SL_EXIT_USAGE},
        {{"inspect", "/nowhere.pte", "--no-agent"}, "/nowhere.pte", SL_EXIT_USAGE},
        {{"inspect", ON, "--no-agent"}, "etdump", SL_EXIT_USAGE},
        {{"run", "--analysis-only", MODEL}, "--out", SL_EXIT_USAGE},
        {{"completion", "ksh"}, "'ksh'", SL_EXIT_USAGE},
        {{"version", "x"}, "x", SL_EXIT_USAGE},
        {{"polish"}, "'polish'", SL_EXIT_USAGE},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *const *w = cases[i].words;
        SAY(w[0], w[1], w[2], w[3], w[4]);
        if (sl_verb_case.code != cases[i].code)
            fail_msg("case %zu (%s): exit code %d", i, w[0], sl_verb_case.code);
        sl_verb_case_complained(cases[i].complaint);
    }
}

TEST(two_etdumps_are_compared_with_what_differs)
{
    SAY("compare", OFF, ON, "--seed", "1", "--iterations", "200", "--json");
    sl_verb_case_printed("\"schema\":\"sme2lab.comparison/");
    SAY("compare", OFF, ON, "--seed", "1", "--iterations", "200", "--full", "--top", "3");
    sl_verb_case_printed("CONV");
    assert_true(sl_verb_case.code == SL_EXIT_DONE || sl_verb_case.code == SL_EXIT_INCONCLUSIVE);
}

TEST(paired_times_are_compared_and_slower_has_its_exit_code)
{
    FILE *file = fopen(below("pairs.csv"), "w");
    assert_non_null(file);
    fputs("off_ns,on_ns\n", file);
    for (int i = 0; i < 40; i++)
        fprintf(file, "%d,%d\n", 1000 + i % 7, 2000 + i % 5);
    fclose(file);
    SAY("compare", "--pairs", below("pairs.csv"), "--threshold", "5", "--seed", "1");
    sl_verb_case_exited(SL_EXIT_REGRESSION);
    sl_verb_case_printed("slower");
}

TEST(a_run_directory_is_compared_reported_and_validated)
{
    SAY("compare", finished->folder);
    sl_verb_case_printed("4.00");
    SAY("report", finished->folder, "-o", below("pages"), "--format", "md,html,svg,json");
    sl_verb_case_exited(SL_EXIT_DONE);
    SAY("report", finished->folder, "-o", below("pages"), "--format", "odt");
    sl_verb_case_exited(SL_EXIT_USAGE);
    SAY("validate", finished->folder);
    sl_verb_case_exited(SL_EXIT_DONE);
    SAY("validate", finished->folder, "--json");
    sl_verb_case_printed("\"schema\":\"sme2lab.validation/");
}

TEST(a_member_that_was_changed_by_hand_is_found)
{
    char *kept = sl_run_case_read(finished, "manifest.json");
    sl_run_case_replace(finished, "manifest.json", "\"threads\":1", "\"threads\":7");
    SAY("validate", finished->folder);
    assert_int_not_equal(sl_verb_case.code, SL_EXIT_DONE);
    sl_verb_case_printed("manifest.json");
    sl_run_case_write(finished, "manifest.json", kept);
    free(kept);
    SAY("validate", finished->folder);
    sl_verb_case_exited(SL_EXIT_DONE);
}

TEST(files_of_a_run_are_computed_anew)
{
    sl_run_case_remove(finished, "metrics.json");
    SAY("run", finished->spec.model, "--analysis-only", "--out", finished->folder);
    sl_verb_case_printed("4.00");
    assert_true(sl_run_case_has(finished, "metrics.json"));
    SAY("run", finished->spec.model, "--analysis-only", "--out", finished->folder, "--json");
    sl_verb_case_printed("\"schema\"");
}

TEST(etdumps_of_another_tool_become_a_directory_or_nothing)
{
    SAY("import", OFF, ON, "-o", below("kit"), "--model", "toy", "--warmup", "0");
    sl_verb_case_exited(SL_EXIT_DONE);
    has_file(below("kit"), "import.json");
    SAY("validate", below("kit"));
    sl_verb_case_exited(SL_EXIT_DONE);
    SAY("import", OFF, "-o", below("kit"));
    sl_verb_case_exited(SL_EXIT_USAGE);
    sl_verb_case_complained("there already");
    SAY("import", MODEL, "-o", below("none"));
    sl_verb_case_exited(SL_EXIT_USAGE);
    assert_int_not_equal(access(below("none"), F_OK), 0);
    assert_int_not_equal(access(below("none.part"), F_OK), 0);
}

TEST(a_program_is_read_without_an_agent)
{
    SAY("inspect", MODEL, "--no-agent");
    sl_verb_case_exited(SL_EXIT_DONE);
    sl_verb_case_printed("XnnpackBackend");
    SAY("inspect", MODEL, "--no-agent", "--json");
    sl_verb_case_printed("\"schema\":\"sme2lab.inspect");
    SAY("inspect", MODEL, "--no-agent", "--graph", below("g.svg"));
    sl_verb_case_exited(SL_EXIT_DONE);
    has_file(scratch, "g.svg");
    SAY("inspect", MODEL, "--no-agent", "--graph", below("g.dot"));
    has_file(scratch, "g.dot");
    SAY("inspect", MODEL, "--no-agent", "--method", "backward");
    sl_verb_case_exited(SL_EXIT_USAGE);
}

TEST(every_verb_has_its_page)
{
    SAY("help");
    sl_verb_case_exited(SL_EXIT_DONE);
    sl_verb_case_printed("usage: sme2lab VERB");
    SAY("help", "--json");
    sl_verb_case_printed("{\"schema\":\"sme2lab.help/1\",\"verbs\":[{\"verb\":\"run\"");
    sl_verb_case_printed("{\"code\":3,\"name\":\"regression\"}");
    SAY("help", "cancel");
    sl_verb_case_printed("usage: sme2lab cancel JOB|gN...");
    SAY("help", "cancel", "--json");
    sl_verb_case_printed("\"verb\":\"cancel\"");
    SAY("help", "polish");
    sl_verb_case_printed("usage: sme2lab VERB");
}

TEST(the_program_says_what_it_is)
{
    SAY("version");
    sl_verb_case_printed("sme2lab " SL_VERSION ", commit ");
    SAY("version", "--json");
    sl_verb_case_printed("{\"schema\":\"sme2lab.version/1\",\"version\":\"" SL_VERSION "\"");
}

TEST(shells_get_a_script_and_the_words_that_fit)
{
    SAY("completion", "bash");
    sl_verb_case_printed("sme2lab");
    SAY("completion", "bash", "--json");
    sl_verb_case_printed("{\"schema\":\"sme2lab.completion/1\",\"shell\":\"bash\",\"script\":\"");
    SAY("completion", "words", "val");
    sl_verb_case_printed("validate\n");
    sl_verb_case_printed("import\n"); /* the shell keeps those that begin so */
}
