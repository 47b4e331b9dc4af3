/* tests/unit/host/cli/test_verbs_runs.c: the verbs about what the store keeps, asked of a real
 * server over a real store: runs, show, logs, history, label, query, export, import, rm, gc, fsck.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "host/cli/exit_code.h"
#include "host/records.h"
#include "tests/support/cli_case.h"
#include "tests/support/http_case.h"
#include "tests/support/run_case.h"
#include "tests/support/test.h"

#define DAY_MS UINT64_C(86400000)
#define BEGAN UINT64_C(1795392000000) /* 2026-11-23 */

static char finished[64]; /* folder of a finished run */
static void *run_case;

static int open_all(void **state)
{
    sl_cli_case_open(state);
    run_case = NULL;
    sl_run_case_begin_finished(&run_case);
    snprintf(finished, sizeof(finished), "%s", ((struct sl_run_case *)run_case)->folder);
    return 0;
}

static int close_all(void **state)
{
    sl_run_case_end(&run_case);
    return sl_cli_case_close(state);
}

TEST_GROUP(open_all, close_all);

static uint64_t add_run(const char *model, uint64_t started_ms, double ratio, const char *folder)
{
    struct sl_run_record run = {.started_ms = started_ms,
                                .ended_ms = started_ms + 65000,
                                .device_kind = SL_DEVICE_LOCAL,
                                .ratio = ratio};
    snprintf(run.model, sizeof(run.model), "%s", model);
    snprintf(run.device, sizeof(run.device), "phone");
    snprintf(run.series, sizeof(run.series), "%016llx",
             (unsigned long long)model[0] << 8 | (unsigned char)model[1]);
    snprintf(run.runtime, sizeof(run.runtime), "own");
    snprintf(run.verdict, sizeof(run.verdict), ratio > 1 ? "faster" : "slower");
    return sl_cli_case_add_run(&run, folder);
}

static void word_of(uint64_t number, char out[24])
{
    snprintf(out, 24, "%llu", (unsigned long long)number);
}

TEST(an_empty_store_says_how_to_fill_it)
{
    SAY("runs");
    sl_verb_case_exited(SL_EXIT_DONE);
    sl_verb_case_printed("No runs. 'sme2lab run MODEL.pte' measures a model.");
    SAY("fsck");
    sl_verb_case_printed("The store and its files agree.");
    SAY("query", "SELECT id FROM runs");
    sl_verb_case_printed("No rows.");
}

TEST(runs_are_listed_and_filtered)
{
    char line[64];
    uint64_t old = add_run("alpha", BEGAN, 2.5, NULL),
             new = add_run("beta", BEGAN + DAY_MS, 0.5, NULL);
    SAY("runs");
    sl_verb_case_printed("alpha");
    sl_verb_case_printed("beta");
    sl_verb_case_printed("2.5");
    SAY("runs", "--model", "alpha", "--json");
    snprintf(line, sizeof(line), "\"id\":%llu,", (unsigned long long)old);
    sl_verb_case_printed(line);
    sl_verb_case_printed_not("beta");
    SAY("runs", "--since", "2026-11-24", "--json");
    snprintf(line, sizeof(line), "\"id\":%llu,", (unsigned long long)new);
    sl_verb_case_printed(line);
    sl_verb_case_printed_not("alpha");
    SAY("runs", "--filter", "ALPH");
    sl_verb_case_printed("alpha");
    sl_verb_case_printed_not("beta");
    SAY("runs", "--limit", "1");
    sl_verb_case_printed("beta");
    sl_verb_case_printed_not("alpha");
}

TEST(a_run_is_shown_with_its_files_and_logs)
{
    char run[24];
    word_of(add_run("gamma", BEGAN, 2.0, NULL), run);
    SAY("show", run);
    sl_verb_case_exited(SL_EXIT_DONE);
    sl_verb_case_printed("  model    gamma\n");
    sl_verb_case_printed("  device   phone (local)\n");
    sl_verb_case_printed(", took 65.0 s\n");
    sl_verb_case_printed("  runtime  own\n");
    sl_verb_case_printed("  verdict  faster\n");
    sl_verb_case_printed("  off/on   2.000\n");
    sl_verb_case_printed("agent.log");
    SAY("show", run, "--json");
    sl_verb_case_printed("{\"schema\":\"sme2lab.show/1\",\"run\":{");
    SAY("show", run, "--file", "agent.log");
    assert_string_equal(sl_verb_case.out, "a line of the agent\n");
    SAY("show", run, "--file", "other.log");
    sl_verb_case_exited(SL_EXIT_USAGE);
    SAY("logs", run);
    sl_verb_case_printed("a line of the agent\n");
    SAY("logs", run, "--json");
    sl_verb_case_printed("{\"schema\":\"sme2lab.log/1\",\"file\":\"agent.log\",");
}

TEST(a_label_stays_and_a_pin_keeps)
{
    char run[24];
    word_of(add_run("delta", BEGAN, 2.0, NULL), run);
    SAY("label", run, "commit=abc", "--pin");
    sl_verb_case_exited(SL_EXIT_DONE);
    SAY("runs", "--label", "commit=abc", "--json");
    sl_verb_case_printed("\"model\":\"delta\"");
    sl_verb_case_printed("\"pinned\":true");
    SAY("rm", run);
    sl_verb_case_complained("pinned");
    assert_int_not_equal(sl_verb_case.code, SL_EXIT_DONE);
    SAY("label", run, "--unpin");
    SAY("rm", run);
    sl_verb_case_exited(SL_EXIT_DONE);
    sl_verb_case_printed("is removed");
    SAY("rm", run);
    sl_verb_case_exited(SL_EXIT_USAGE);
}

TEST(a_question_in_sql_is_a_table_csv_or_json)
{
    add_run("omega", BEGAN, 4.0, NULL);
    SAY("query", "SELECT model, ratio FROM runs WHERE model = 'omega'");
    sl_verb_case_exited(SL_EXIT_DONE);
    sl_verb_case_printed("model  ratio\n");
    sl_verb_case_printed("omega");
    SAY("query", "SELECT model, ratio FROM runs WHERE model = 'omega'", "--csv");
    assert_string_equal(sl_verb_case.out, "model,ratio\nomega,4\n");
    SAY("query", "SELECT 1.5 AS x, 'a,b' AS y, NULL AS z", "--csv");
    assert_string_equal(sl_verb_case.out, "x,y,z\n1.5,\"a,b\",\n");
    SAY("query", "SELECT 1 AS a", "--json");
    sl_verb_case_printed("{\"schema\":\"sme2lab.query/1\"");
    SAY("query", "SELECT id FROM runs", "--rows", "1", "--csv");
    sl_verb_case_complained("there are more rows than these");
    SAY("query", "SELECT 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26");
    sl_verb_case_printed("1,2,3,4,5");
    SAY("query", "DELETE FROM runs");
    sl_verb_case_exited(SL_EXIT_USAGE);
    SAY("query");
    sl_verb_case_exited(SL_EXIT_USAGE);
}

TEST(what_is_old_is_named_before_it_goes)
{
    uint64_t old = add_run("epsilon", BEGAN - 60 * DAY_MS, 2.0, NULL);
    uint64_t newest = add_run("epsilon", BEGAN - 50 * DAY_MS, 2.0, NULL);
    char line[64], run[24];
    SAY("gc");
    sl_verb_case_exited(SL_EXIT_USAGE);
    sl_verb_case_complained("--older-than");
    SAY("gc", "--older-than", "2026-11-01", "--model", "epsilon", "--dry-run");
    snprintf(line, sizeof(line), "run %llu would go\n", (unsigned long long)old);
    sl_verb_case_printed(line);
    SAY("gc", "--older-than", "2026-11-01", "--model", "epsilon", "--json");
    snprintf(line, sizeof(line), "\"rehearsal\":false,\"runs\":[%llu]", (unsigned long long)old);
    sl_verb_case_printed(line);
    word_of(newest, run); /* one of its series stays */
    SAY("show", run);
    sl_verb_case_exited(SL_EXIT_DONE);
    SAY("gc", "--older-than", "never");
    sl_verb_case_exited(SL_EXIT_USAGE);
}

TEST(a_run_without_its_files_is_found_and_removed)
{
    char command[256], run[24];
    uint64_t lost = add_run("zeta", BEGAN, 2.0, NULL);
    struct sl_http_case *server = sl_cli_case_server();
    word_of(lost, run);
    SAY("query", "SELECT job FROM runs WHERE model = 'zeta'", "--csv");
    snprintf(command, sizeof(command), "rm -r %s/runs/*/*-%d", server->folder,
             atoi(strchr(sl_verb_case.out, '\n') + 1));
    assert_int_equal(system(command), 0);
    SAY("fsck");
    sl_verb_case_exited(SL_EXIT_LAB);
    sl_verb_case_printed("lost-files");
    SAY("rm", run);
    sl_verb_case_exited(SL_EXIT_DONE);
    SAY("fsck", "--json");
    sl_verb_case_printed_not("lost-files");
}

TEST(a_damaged_blob_is_found_when_it_is_read_and_set_aside)
{
    static const char name[] = "2222222222222222222222222222222222222222222222222222222222222222";
    char path[256];
    snprintf(path, sizeof(path), "%s/blobs/%s", sl_cli_case_server()->folder, name);
    assert_int_equal(sl_buf_write_file(path, "another", 7), 0);
    SAY("fsck");
    sl_verb_case_printed_not("damaged-blob");
    SAY("fsck", "--data");
    sl_verb_case_exited(SL_EXIT_LAB);
    sl_verb_case_printed("--mend sets it aside");
    SAY("fsck", "--data", "--mend", "--json");
    sl_verb_case_exited(SL_EXIT_LAB);
    sl_verb_case_printed("\"kind\":\"damaged-blob\"");
    sl_verb_case_printed("\"data\":{\"files\":");
    assert_int_not_equal(access(path, F_OK), 0);
    SAY("fsck", "--data", "--mend");
    sl_verb_case_exited(SL_EXIT_DONE);
    sl_verb_case_printed_not("damaged-blob");
    sl_verb_case_printed("files of models and inputs read: ");
}

TEST(a_series_has_its_history)
{
    for (uint64_t i = 0; i < 3; i++)
        add_run("eta", BEGAN + i * DAY_MS, 2.0, NULL);
    SAY("history");
    sl_verb_case_exited(SL_EXIT_DONE);
    sl_verb_case_printed("eta");
    SAY("history", "0000000000006574");
    sl_verb_case_exited(SL_EXIT_DONE);
    SAY("history", "0000000000006574", "--json");
    sl_verb_case_printed("\"schema\":\"sme2lab.");
    SAY("history", "00000000ffffffff");
    sl_verb_case_exited(SL_EXIT_USAGE);
    SAY("history", "eta");
    sl_verb_case_complained("'eta' is no series");
}

TEST(a_run_goes_out_as_a_file_and_comes_back_as_another)
{
    char run[24], other[24], file[128];
    const char *said;
    unsigned long long number = 0;
    word_of(add_run("theta", BEGAN, 4.0, finished), run);
    snprintf(file, sizeof(file), "%s/runs.tar.zst", sl_cli_case_server()->folder);
    SAY("export", run, "-o", file);
    sl_verb_case_exited(SL_EXIT_DONE);
    SAY("import", file); /* it is there still: no second one is made of it */
    sl_verb_case_exited(SL_EXIT_DONE);
    sl_verb_case_printed("as it was before");
    SAY("rm", run);
    sl_verb_case_exited(SL_EXIT_DONE);
    SAY("import", file);
    sl_verb_case_exited(SL_EXIT_DONE);
    said = strstr(sl_verb_case.out, " is run ");
    assert_true(said && sscanf(said, " is run %llu here", &number) == 1);
    word_of(number, other);
    assert_string_not_equal(other, run);
    SAY("show", other);
    sl_verb_case_exited(SL_EXIT_DONE);
    sl_verb_case_printed("result.json");
    SAY("runs", "--json");
    snprintf(file, sizeof(file), "\"id\":%s,", other);
    sl_verb_case_printed(file);
    snprintf(file, sizeof(file), "%s/runs.tar.zst", sl_cli_case_server()->folder);
    SAY("import", file, "--pair", "a=b");
    sl_verb_case_exited(SL_EXIT_USAGE);
    SAY("export", "4711", "-o", file);
    assert_int_not_equal(sl_verb_case.code, SL_EXIT_DONE);
}

TEST(a_run_of_the_store_is_compared_and_reported_like_a_directory)
{
    char run[24], folder[128];
    word_of(add_run("iota", BEGAN, 4.0, finished), run);
    SAY("compare", run);
    sl_verb_case_printed("4.00");
    SAY("compare", run, "--json");
    sl_verb_case_printed("\"schema\":\"sme2lab.comparison/");
    snprintf(folder, sizeof(folder), "%s/report", sl_cli_case_server()->folder);
    SAY("report", run, "-o", folder);
    sl_verb_case_exited(SL_EXIT_DONE);
    SAY("analyze", run, "--json");
    sl_verb_case_printed("\"schema\"");
}
