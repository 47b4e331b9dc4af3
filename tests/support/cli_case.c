/* tests/support/cli_case.c */
#include "tests/support/cli_case.h"

#include <stdio.h>
#include <stdlib.h>

#include "host/cli/cli.h"
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

uint64_t sl_cli_case_add_run(const struct sl_run_record *run, const char *folder)
{
    return sl_http_case_add_run(&bench, run, folder);
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
