/* tests/unit/host/cli/test_verbs_private.c: the verbs where no daemon listens: they start one of
 * their own, with the real agent in the emulator. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "host/cli/exit_code.h"
#include "tests/support/cli_case.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

#define TOY SL_TEST_DATA "/models/toy_cnn_f32_xnnpack/"
#define MODEL TOY "model.pte"
#define INPUT TOY "input-0.bin"
/* Our own runtime alone, which takes a third of the time of both. */
#define RUN(...) SAY("run", MODEL, "--device", "counted", "--runtime", "own", __VA_ARGS__)

/* Ends each daemon whose lock this is, and waits until it is given back. */
static void end_daemon(const char *lock)
{
    const struct timespec nap = {.tv_nsec = 20000000};
    char owner[24] = "";
    int file = open(lock, O_RDONLY | O_CLOEXEC), left = 1500;
    assert_true(file >= 0);
    if (read(file, owner, sizeof(owner) - 1) > 0 && atol(owner) > 1 &&
        flock(file, LOCK_EX | LOCK_NB) < 0)
        kill((pid_t)atol(owner), SIGTERM);
    while (flock(file, LOCK_EX | LOCK_NB) < 0 && left-- > 0)
        nanosleep(&nap, NULL);
    close(file);
    assert_true(left > 0);
}

static int end_daemons(void)
{
    char pattern[160];
    glob_t found = {.gl_pathc = 0};
    snprintf(pattern, sizeof(pattern), "%s/sme2lab/private/*/lock", getenv("XDG_STATE_HOME"));
    if (glob(pattern, 0, NULL, &found) != 0)
        return 0;
    int count = (int)found.gl_pathc;
    for (int i = 0; i < count; i++)
        end_daemon(found.gl_pathv[i]);
    globfree(&found);
    return count;
}

static int open_all(void **state)
{
    *state = NULL;
    make_scratch();
    setenv("ADB_SERVER_SOCKET", "tcp:127.0.0.1:1", 1); /* no phones of this machine */
    setenv("SME2LAB_DAEMON", SL_TEST_DAEMON, 1);
    setenv("SME2LAB_AGENT", SL_TEST_AGENT, 1);
    sl_cli_case_begin(NULL);
    return 0;
}

static int close_all(void **state)
{
    *state = NULL;
    end_daemons();
    remove_scratch();
    return sl_cli_case_end();
}

TEST_GROUP(open_all, close_all);

TEST(a_run_starts_the_daemon_that_it_needs)
{
    RUN("--inputs", INPUT, "--out", below("out"), "--full");
    sl_verb_case_exited(SL_EXIT_DONE);
    sl_verb_case_printed("instructions");
    sl_verb_case_printed("Outputs, SME2");
    sl_verb_case_printed("off vs portable  agree");
    sl_verb_case_printed("Files in ");
    SAY("jobs", "--server", "private", "--json");
    sl_verb_case_printed("\"state\":\"done\"");
}

TEST(a_daemon_that_ended_is_started_again_with_its_store)
{
    assert_int_equal(end_daemons(), 1);
    SAY("runs", "--server", "private", "--json");
    sl_verb_case_exited(SL_EXIT_DONE);
    sl_verb_case_printed("\"device\":\"counted-512\"");
}

TEST(runs_of_a_group_are_reported_by_its_letter)
{
    SAY("submit", MODEL, "--device", "counted", "--runtime", "own", "--inputs", INPUT, "--group",
        "nightly", "--server", "private");
    sl_verb_case_exited(SL_EXIT_DONE);
    SAY("report", "g1", "--server", "private", "-o", below("pages"));
    sl_verb_case_complained("No job of the group made a run");
    SAY("wait", "g1", "--server", "private");
    sl_verb_case_exited(SL_EXIT_DONE);
    SAY("report", "g1", "--server", "private", "-o", below("pages"), "--format", "md");
    sl_verb_case_exited(SL_EXIT_DONE);
    assert_int_equal(access(below("pages/report.md"), R_OK), 0);
    SAY("report", "g99", "--server", "private", "-o", below("pages"));
    sl_verb_case_exited(SL_EXIT_USAGE);
    sl_verb_case_complained("g99");
}

TEST(a_policy_is_estimated_by_a_counted_run_of_its_own)
{
    RUN("--inputs", INPUT, "--policy", "estimated:apple-m4", "--out", below("estimated"));
    sl_verb_case_exited(SL_EXIT_DONE);
    sl_verb_case_complained("counting " MODEL " once, to estimate its operators on apple-m4");
    assert_int_equal(access(below("estimated/policy.json"), R_OK), 0);
    assert_int_equal(system("exit $(ls $XDG_STATE_HOME/sme2lab/policies | grep -c new)"), 0);
}

TEST(a_profile_that_has_no_table_is_refused_before_anything_runs)
{
    static const struct {
        const char *policy, *words;
    } cases[] = {{"estimated:acorn", "acorn"},
                 {"estimated:apple-m4,apple-m5", "is no profile of silicon"},
                 {"estimated:", "There is no silicon profile ''"},
                 {"/nowhere/policy.json", "The policy cannot be read"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        SAY("run", MODEL, "--device", "counted", "--policy", cases[i].policy, "--out",
            below("none"));
        sl_verb_case_exited(SL_EXIT_USAGE);
        sl_verb_case_complained(cases[i].words);
    }
}

TEST(who_is_interrupted_takes_the_counted_run_along)
{
    sl_verb_case.awaited = "once, to estimate";
    sl_verb_case.signal = SIGINT;
    RUN("--inputs", INPUT, "--policy", "estimated:apple-m5", "--out", below("interrupted"));
    sl_verb_case_exited(SL_EXIT_INTERRUPTED);
    assert_int_not_equal(access(below("interrupted/manifest.json"), F_OK), 0);
    assert_int_equal(system("exit $(ls $XDG_STATE_HOME/sme2lab/policies | grep -c new)"), 0);
}

TEST(files_that_do_not_fit_the_model_fail_in_the_agents_words)
{
    RUN("--inputs", MODEL, "--out", below("wrong"));
    assert_int_not_equal(sl_verb_case.code, SL_EXIT_DONE);
    sl_verb_case_complained("model.pte");
    sl_verb_case_complained("input");
    RUN("--inputs", "/nowhere.bin", "--out", below("wrong3"));
    sl_verb_case_complained("The input file cannot be read");
    SAY("run", INPUT, "--device", "counted", "--out", below("wrong4"));
    sl_verb_case_exited(SL_EXIT_USAGE);
}

TEST(what_an_agent_says_of_a_model_is_shown)
{
    SAY("inspect", MODEL);
    sl_verb_case_exited(SL_EXIT_DONE);
    sl_verb_case_printed("SME2 serves: 9 operators");
    SAY("inspect", MODEL, "--json");
    sl_verb_case_printed("\"schema\":\"sme2lab.inspect");
    SAY("compare", TOY "aarch64-nosme.etdump", TOY "aarch64-sme2.etdump", "--model", MODEL,
        "--seed", "1", "--iterations", "200", "--full");
    sl_verb_case_printed("CONV");
    SAY("analyze", TOY "aarch64-sme2.etdump", "--model", INPUT);
    sl_verb_case_exited(SL_EXIT_USAGE);
}

TEST(our_best_kernels_are_measured_for_the_shapes_of_a_run)
{
    SAY("analyze", below("out/run_sme2-on/model_run_sme2-on_t1.etdump"), "--headroom");
    sl_verb_case_exited(SL_EXIT_DONE);
    sl_verb_case_printed("executed instructions, one thread");
    SAY("analyze", below("out/run_sme2-on/model_run_sme2-on_t1.etdump"), "--headroom", "--json");
    sl_verb_case_printed("\"kernel\"");
    SAY("analyze", below("out/run_sme2-on/model_run_sme2-on_t1.etdump"), "--headroom",
        "--kernel-rows", "/nowhere.json");
    sl_verb_case_exited(SL_EXIT_USAGE);
    sl_verb_case_complained("The rows cannot be read");
}

TEST(a_devices_own_table_is_measured_and_kept)
{
    SAY("kernels", "bench", "--tune", "pool", "--device", "counted");
    sl_verb_case_exited(SL_EXIT_DONE);
    sl_verb_case_printed("pool");
    sl_verb_case_printed("The device's table is ");
    SAY("kernels", "bench", "--tune", "cheese", "--device", "counted");
    sl_verb_case_exited(SL_EXIT_USAGE);
    SAY("kernels");
    sl_verb_case_exited(SL_EXIT_DONE);
    sl_verb_case_printed("matmul");
}

TEST(single_kernels_are_counted_and_what_has_no_sense_is_refused)
{
    static const struct {
        const char *words[5], *complaint;
    } cases[] = {
        {{"--tune", "--peaks"}, "ask for one at a time"},
        {{"--each", "--type", "f32"}, "--each takes no type"},
        {{"matmul:4x4x4", "--type", "f99"}, "has no kernels in this version"},
        {{"matmul:4x4x4", "--engine", "gpu"}, "'gpu' is no engine"},
        {{"matmul:4x4x4", "--clock", "sun"}, "'sun' is no clock"},
        {{"matmul:4x4x4", "--threads", "0"}, "--threads"},
        {{"--tune", "--threads", "2"}, "--tune has one thread"},
        {{"matmul:4x4x4", "--device", "counted", "--clock", "ns"}, "counts instructions"},
        {{"matmul:4x4x4", "--silicon", "apple-m4,apple-m5"}, "Name one profile"},
        {{"matmul:4x4x4", "--anchors", "/nowhere.json"}, "/nowhere.json"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *const *w = cases[i].words;
        SAY("kernels", "bench", w[0], w[1], w[2], w[3], w[4]);
        sl_verb_case_exited(SL_EXIT_USAGE);
        sl_verb_case_complained(cases[i].complaint);
    }
    SAY("kernels", "bench", "matmul:16x16x16", "--device", "counted", "--silicon", "apple-m4",
        "--json");
    sl_verb_case_exited(SL_EXIT_DONE);
}

/* The agent takes executor_runner's flags, and is called so. */
TEST(external_runners_are_measured_and_one_that_fails_is_a_result)
{
    char config[1024];
    assert_int_equal(symlink(SL_TEST_AGENT, below("executor_runner")), 0);
    snprintf(config, sizeof(config),
             "{\"model\":\"%s\",\"inputs\":[\"%s\"],\"device\":\"emulated\",\"runs\":2,"
             "\"warmup\":0,\"experiments\":[{\"name\":\"off\",\"runner_path\":\"%s\","
             "\"extra_args\":[\"--isa=nosme2\"]},{\"name\":\"on\",\"runner_path\":\"%s\"},"
             "{\"name\":\"flag\",\"runner_path\":\"%s\",\"extra_args\":[\"--nonsense=1\"]}],"
             "\"analysis\":{\"compare_pairs\":[{\"baseline\":{\"experiment\":\"off\",\"threads\":1}"
             ",\"candidate\":{\"experiment\":\"on\",\"threads\":1}}]}}",
             MODEL, INPUT, below("executor_runner"), below("executor_runner"),
             below("executor_runner"));
    assert_int_equal(sl_buf_write_file(below("runners.json"), config, strlen(config)), 0);
    SAY("run", below("runners.json"), "--out", below("runners"));
    sl_verb_case_exited(SL_EXIT_INCONCLUSIVE); /* in an emulator times mean nothing */
    sl_verb_case_printed("off against on: unfit");
    sl_verb_case_printed("2 of 3 experiments measured, 1 pairs compared");
    sl_verb_case_complained("all that it printed is in ");
    SAY("run", below("runners.json"), "--out", below("runners2"), "--json");
    sl_verb_case_printed("\"failures\":[{");
    snprintf(config, sizeof(config),
             "{\"model\":\"%s\",\"device\":\"emulated\",\"experiments\":[{\"name\":\"off\","
             "\"runner_path\":\"/nowhere/runner\"}]}",
             MODEL);
    assert_int_equal(sl_buf_write_file(below("runners.json"), config, strlen(config)), 0);
    SAY("run", below("runners.json"), "--out", below("runners3"));
    sl_verb_case_exited(SL_EXIT_USAGE);
    sl_verb_case_complained("/nowhere/runner");
}

TEST(what_this_machine_has_not_is_said)
{
    setenv("SME2LAB_EMULATOR", "/nowhere/qemu", 1);
    SAY("run", MODEL, "--device", "counted", "--out", below("lacking"));
    unsetenv("SME2LAB_EMULATOR");
    sl_verb_case_exited(SL_EXIT_LAB);
    sl_verb_case_complained("/nowhere/qemu");
    SAY("run", MODEL, "--cpu", "max,sme=off", "--server", "http://127.0.0.1:1", "--out",
        below("lacking"));
    sl_verb_case_complained("The emulated CPU belongs to the daemon's device");
    setenv("SME2LAB_DAEMON", "/nowhere/sme2labd", 1);
    SAY("run", MODEL, "--device", "counted", "--server", "private", "--out", below("lacking"));
    sl_verb_case_exited(SL_EXIT_LAB);
    sl_verb_case_complained("/nowhere/sme2labd");
}
