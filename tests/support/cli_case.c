/* tests/support/cli_case.c */
#include "tests/support/cli_case.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/base/buf.h"
#include "host/cli/cli.h"
#include "host/store/store.h"
#include "tests/support/http_case.h"
#include "tests/support/test.h"
#include "tests/support/verb_case.h"

static struct sl_http_case bench, *server;
static char home[64], address[128];

static void make_home(void)
{
    if (home[0] == '\0') {
        snprintf(home, sizeof(home), "/tmp/sl-home-XXXXXX");
        assert_non_null(mkdtemp(home));
    }
    setenv("HOME", home, 1);
    setenv("XDG_STATE_HOME", home, 1);
    setenv("TMPDIR", home, 1);
    setenv("LC_ALL", "C", 1);
    unsetenv("SME2LAB_STATE");
    unsetenv("SME2LAB_TOKEN_FILE");
}

static void be_asked(void)
{
    if (address[0])
        setenv("SME2LAB_SERVER", address, 1);
    else
        unsetenv("SME2LAB_SERVER");
}

static void serve(void)
{
    if (server)
        uv_run(&server->loop, UV_RUN_NOWAIT);
}

static int cli_main(int argc, char **argv)
{
    return sl_cli_main(argc, argv, sl_verbs);
}

static void begin(struct sl_http_case *asked, const char *at)
{
    make_home();
    server = asked;
    snprintf(address, sizeof(address), "%s%s", at ? "unix:" : "", at ? at : "");
    sl_verb_case.program = cli_main;
    sl_verb_case.name = "sme2lab";
    sl_verb_case.prepare = be_asked;
    sl_verb_case.meanwhile = serve;
}

void sl_cli_case_begin(struct sl_http_case *asked)
{
    begin(asked, asked ? asked->socket : NULL);
}

void sl_cli_case_begin_at(const char *path)
{
    begin(NULL, path);
}

int sl_cli_case_end(void)
{
    char command[96];
    snprintf(command, sizeof(command), "rm -rf %s", home);
    return home[0] ? system(command) : 0;
}

static bool answered;
static uint64_t answer;

static bool is_answered(void)
{
    return answered;
}

static void on_id(void *user, int rc, uint64_t id)
{
    (void)user;
    assert_int_equal(rc, 0);
    answered = true;
    answer = id;
}

static uint64_t wait_for_id(int rc)
{
    assert_int_equal(rc, 0);
    assert_true(sl_http_case_until(&bench, is_answered));
    answered = false;
    return answer;
}

uint64_t sl_cli_case_add_run(const struct sl_run_record *run, const char *folder)
{
    const struct sl_job_record job = {.state = SL_JOB_DONE, .submitted_ms = run->started_ms};
    struct sl_run_record own = *run;
    char path[256], command[512];
    own.job = wait_for_id(sl_store_add_job(bench.store, &job, "{}", NULL, 0, on_id, NULL));
    snprintf(own.directory, sizeof(own.directory), "runs/2026-11-23/000000.100-%d", (int)own.job);
    snprintf(path, sizeof(path), "%s/%s", bench.folder, own.directory);
    snprintf(command, sizeof(command), "mkdir -p %s/streams", path);
    assert_int_equal(system(command), 0);
    if (folder) {
        snprintf(command, sizeof(command), "cp -r %s/. %s", folder, path);
        assert_int_equal(system(command), 0);
    } else {
        snprintf(command, sizeof(command), "%s/agent.log", path);
        assert_int_equal(sl_buf_write_file(command, "a line of the agent\n", 20), 0);
    }
    return wait_for_id(sl_store_add_run(bench.store, &own, on_id, NULL));
}

int sl_cli_case_open(void **state)
{
    *state = &bench;
    sl_http_case_open(&bench, 1 << 26, 30);
    sl_cli_case_begin(&bench);
    return 0;
}

int sl_cli_case_close(void **state)
{
    (void)state;
    sl_http_case_close(&bench);
    return sl_cli_case_end();
}

struct sl_http_case *sl_cli_case_server(void)
{
    return &bench;
}
