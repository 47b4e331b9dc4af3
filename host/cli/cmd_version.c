/* host/cli/cmd_version.c: `sme2lab version`. */
#include <stdio.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/say.h"
#include "host/cli/cli.h"
#include "host/cli/commit.h"
#include "host/cli/exit_code.h"
#include "host/cli/options.h"

#if defined(__aarch64__)
#define HOST_MACHINE "aarch64"
#elif defined(__x86_64__)
#define HOST_MACHINE "x86_64"
#else
#define HOST_MACHINE "other"
#endif

static int print_json(void)
{
    struct sl_buf text;
    struct sl_json json;
    sl_buf_init(&text, 4096);
    sl_json_init(&json, &text);
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "schema", "sme2lab.version/1");
    sl_json_text(&json, "version", SL_VERSION);
    sl_json_text(&json, "commit", sl_commit);
    sl_json_text(&json, "machine", HOST_MACHINE);
    sl_json_text(&json, "compiler", __VERSION__);
    sl_json_close_object(&json);
    int rc = json.error;
    if (rc == 0)
        sl_say(stdout, "%s\n", (const char *)text.data);
    sl_buf_fini(&text);
    return sl_exit_for_error(rc);
}

int sl_cmd_version(const struct sl_cli *cli, int argc, char **argv)
{
    static const struct sl_usage usage = {
        .verb = "version",
        .synopsis = "[option...]",
        .about = "Prints the version of this program and the commit it was built from."};
    struct sl_diag diag = {0};
    size_t count = 0;
    int rc = sl_options_parse(&usage, argc, argv, NULL, 0, &count, &diag);
    if (rc < 0)
        return sl_cli_fail(cli, SL_EXIT_USAGE, &diag);
    if (rc > 0)
        return SL_EXIT_DONE;
    if (cli->json)
        return print_json();
    sl_say(stdout, "sme2lab %s, commit %s (%s, %s)\n", SL_VERSION, sl_commit, HOST_MACHINE,
           __VERSION__);
    return SL_EXIT_DONE;
}
