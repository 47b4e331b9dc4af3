/* tests/unit/host/daemon/test_daemon.c: the whole daemon in a process of its own, with the real
 * agent in the emulator and on this machine, asked by the real command line. */
#include "host/daemon/daemon.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/cli/exit_code.h"
#include "host/spec/host_config.h"
#include "tests/support/cli_case.h"
#include "tests/support/test.h"

#define TOY SL_TEST_DATA "/models/toy_cnn_f32_xnnpack/"
#define MODEL TOY "model.pte"
#define INPUT TOY "input-0.bin"
#define COUNTED "{\"name\":\"counted\",\"kind\":\"counted\",\"svl\":512}"
#define HERE "{\"name\":\"here\",\"kind\":\"local\"}"

static char folder[64], config_path[96], socket_path[96];
static pid_t daemon_process;

static const char *below(const char *name)
{
    static char paths[4][128];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
    return path;
}

static void write_config(const char *devices)
{
    char text[512];
    snprintf(text, sizeof(text), "{\"devices\":[%s]}", devices);
    assert_int_equal(sl_buf_write_file(config_path, text, strlen(text)), 0);
}

/* In the child. */
static void be_daemon(void)
{
    struct sl_host_config config;
    struct sl_diag diag = {.what = ""};
    static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE}; /* which cmocka catches */
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        signal(faults[i], SIG_DFL);
    if (!freopen(below("log"), "w", stderr))
        exit(9);
    setenv("ADB_SERVER_SOCKET", "tcp:127.0.0.1:1", 1); /* no phones of this machine */
    int rc = sl_host_config_read(config_path, &config, &diag);
    const struct sl_daemon_settings settings = {
        .state = folder, .config = &config, .config_file = config_path};
    if (rc == 0)
        rc = sl_daemon_run(&settings, &diag);
    if (rc < 0)
        fprintf(stderr, "%s: %s\n", diag.where, diag.what);
    sl_host_config_fini(&config);
    exit(rc < 0 ? 1 : 0);
}

/* Asks until an answer has it; the devices' agents start meanwhile. */
static void await(const char *first, const char *second, const char *third, const char *text)
{
    const struct timespec nap = {.tv_nsec = 50000000};
    for (int left = 600; left > 0; left--) {
        SAY(first, second, third);
        if (sl_verb_case.code == SL_EXIT_DONE && strstr(sl_verb_case.out, text))
            return;
        nanosleep(&nap, NULL);
    }
    fail_msg("'%s' never came; last: %s%s", text, sl_verb_case.out, sl_verb_case.err);
}

/* Until the daemon has logged it. */
static void await_log(const char *text)
{
    const struct timespec nap = {.tv_nsec = 50000000};
    char command[224];
    snprintf(command, sizeof(command), "grep -qF '%s' %s", text, below("log"));
    for (int left = 600; left > 0; left--) {
        if (system(command) == 0)
            return;
        nanosleep(&nap, NULL);
    }
    fail_msg("'%s' is not in the log", text);
}

static int start(void **group)
{
    (void)group;
    snprintf(folder, sizeof(folder), "/tmp/sl-daemon-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(config_path, sizeof(config_path), "%s/host.json", folder);
    snprintf(socket_path, sizeof(socket_path), "%s/sme2labd.sock", folder);
    write_config(COUNTED "," HERE);
    fflush(NULL);
    daemon_process = fork();
    assert_true(daemon_process >= 0);
    if (daemon_process == 0)
        be_daemon();
    sl_cli_case_begin_at(socket_path);
    return 0;
}

static int stop(void **group)
{
    char command[96];
    int status = 0;
    (void)group;
    kill(daemon_process, SIGTERM);
    assert_int_equal(waitpid(daemon_process, &status, 0), daemon_process);
    if (status != 0) {
        snprintf(command, sizeof(command), "tail -n 20 %s/log >&2", folder);
        (void)!system(command);
    }
    assert_int_equal(status, 0); /* it ended by itself, and AddressSanitizer found no leak */
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
    return sl_cli_case_end();
}

TEST_GROUP(start, stop);

TEST(devices_are_probed_and_say_what_they_are)
{
    await("device", "show", "counted", "SME2     yes");
    sl_verb_case_printed("SVL      512 bits");
    SAY("device", "show", "here"); /* on an x86 machine it stays offline, and says why */
    sl_verb_case_printed("here (local)");
    SAY("devices");
    sl_verb_case_printed("counted");
}

TEST(a_model_is_measured_and_its_files_are_fetched)
{
    SAY("run", MODEL, "--device", "counted", "--inputs", INPUT, "--out", below("out"));
    sl_verb_case_exited(SL_EXIT_DONE);
    sl_verb_case_printed("instructions");
    assert_int_equal(access(below("out/manifest.json"), F_OK), 0);
    SAY("validate", below("out"));
    sl_verb_case_exited(SL_EXIT_DONE);
    SAY("run", MODEL, "--device", "counted", "--inputs", INPUT, "--out", below("again"), "--json");
    sl_verb_case_printed("\"verdict\"");
    SAY("runs", "--json");
    sl_verb_case_printed("\"device\":\"counted\"");
    SAY("history");
    sl_verb_case_printed("counted");
    SAY("run", MODEL, "--out", below("out"));
    sl_verb_case_exited(SL_EXIT_USAGE); /* another run's files are there */
}

TEST(two_runs_are_compared_by_the_daemon_too)
{
    static const struct {
        const char *path, *want;
    } cases[] = {
        {"/api/v1/compare?baseline=1&candidate=2", "\"schema\":\"sme2lab.comparison/"},
        {"/api/v1/compare?baseline=1&candidate=99", "there is no run 99"},
        {"/api/v1/runs/1/trace.perfetto", "Method::execute"},
    };
    char command[512];
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        snprintf(command, sizeof(command), "curl -s --unix-socket %s 'http://lab%s' >%s",
                 socket_path, cases[i].path, below("answer"));
        assert_int_equal(system(command), 0);
        snprintf(command, sizeof(command), "grep -q '%s' %s", cases[i].want, below("answer"));
        if (system(command) != 0)
            fail_msg("%s: no '%s'", cases[i].path, cases[i].want);
    }
    SAY("compare", "1", "2");
    sl_verb_case_exited(SL_EXIT_DONE);
    SAY("device", "calibrate", "counted", "--run", "1");
    assert_int_not_equal(sl_verb_case.code, SL_EXIT_DONE); /* counts have no noise */
    SAY("device", "calibrate", "counted", "--run", "99");
    sl_verb_case_complained("there is no run 99");
}

TEST(a_baseline_is_kept_and_later_runs_are_held_to_it)
{
    SAY("baseline", "write", below("base.json"), below("out"));
    sl_verb_case_exited(SL_EXIT_DONE);
    SAY("baseline", "check", below("base.json"), below("again"));
    sl_verb_case_exited(SL_EXIT_DONE);
    SAY("baseline", "check", below("base.json"), below("again"), "--json");
    sl_verb_case_printed("\"schema\"");
    SAY("baseline", "check", "/nowhere.json", below("again"));
    sl_verb_case_exited(SL_EXIT_USAGE);
}

TEST(what_cannot_be_measured_is_refused_and_leaves_nothing)
{
    SAY("run", MODEL, "--device", "nobody", "--out", below("none"));
    sl_verb_case_exited(SL_EXIT_USAGE);
    SAY("run", MODEL, "--device", "counted", "--inputs", MODEL, "--out", below("wrong"));
    assert_int_not_equal(sl_verb_case.code, SL_EXIT_DONE);
    sl_verb_case_complained("input");
    SAY("run", INPUT, "--device", "counted", "--out", below("wrong2"));
    assert_int_not_equal(sl_verb_case.code, SL_EXIT_DONE);
}

TEST(an_agent_is_asked_for_its_kernels)
{
    SAY("kernels", "bench", "matmul:16x16x16", "--device", "counted", "--json");
    sl_verb_case_exited(SL_EXIT_DONE);
    sl_verb_case_printed("\"schema\"");
    SAY("kernels", "bench", "--peaks", "--device", "counted");
    sl_verb_case_exited(SL_EXIT_DONE);
    SAY("kernels", "bench", "cheese:1x1", "--device", "counted");
    sl_verb_case_exited(SL_EXIT_USAGE);
}

TEST(the_configuration_is_read_again_and_a_wrong_one_changes_nothing)
{
    write_config(COUNTED "," HERE ",{\"name\":\"late\",\"kind\":\"counted\",\"svl\":256}");
    kill(daemon_process, SIGHUP);
    await("devices", "--json", "--color=never", "\"late\"");
    write_config("{\"name\":");
    kill(daemon_process, SIGHUP);
    await_log("event=reload_refused "); /* or the next signal would be one with it */
    SAY("devices", "--json");
    sl_verb_case_printed("\"late\"");
    write_config(COUNTED "," HERE);
    kill(daemon_process, SIGHUP);
    for (int left = 200; left > 0; left--) {
        SAY("devices", "--json");
        if (!strstr(sl_verb_case.out, "\"late\""))
            return;
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    }
    fail_msg("the device that left is still there: %s", sl_verb_case.out);
}

TEST(a_device_is_added_cleaned_and_removed_while_it_runs)
{
    SAY("device", "add", "spare", "--kind", "counted", "--svl", "256", "--tags", "a,b");
    sl_verb_case_exited(SL_EXIT_DONE);
    await("device", "show", "spare", "state    ready");
    sl_verb_case_printed("tags     a,b");
    SAY("device", "clean", "spare");
    sl_verb_case_printed("files removed");
    SAY("device", "results", "spare");
    sl_verb_case_exited(SL_EXIT_DONE);
    SAY("device", "add", "spare", "--kind", "counted");
    sl_verb_case_exited(SL_EXIT_USAGE);
    SAY("device", "remove", "spare");
    sl_verb_case_printed("spare leaves");
}
