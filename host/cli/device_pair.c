/* host/cli/device_pair.c */
#include "host/cli/device_pair.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/say.h"
#include "host/cli/cli.h"
#include "host/device/adb/pair.h"

enum { MAX_ANSWER_BYTES = 4096 };

/* The line without its end; 0, SL_E_TRUNCATED: there is none, SL_E_LIMIT. */
static int read_code(char code[SL_ADB_PAIR_CODE_BYTES + 1])
{
    char line[SL_ADB_PAIR_CODE_BYTES + 3];
    if (isatty(STDIN_FILENO))
        sl_say(stderr, "The code that the phone shows: ");
    if (!fgets(line, sizeof(line), stdin))
        return SL_E_TRUNCATED;
    size_t len = strcspn(line, "\r\n");
    if (len > SL_ADB_PAIR_CODE_BYTES)
        return SL_E_LIMIT;
    snprintf(code, SL_ADB_PAIR_CODE_BYTES + 1, "%.*s", (int)len, line);
    memset(line, 0, sizeof(line));
    return 0;
}

static int say_paired(const struct sl_cli *cli, const char *address, const char *name)
{
    struct sl_buf text;
    struct sl_json json;
    if (!cli->json) {
        sl_say(stdout, "Paired with %s at %s: it trusts this user's adb key.\n",
               name[0] ? name : "the phone", address);
        return 0;
    }
    sl_buf_init(&text, MAX_ANSWER_BYTES);
    sl_json_init(&json, &text);
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "schema", "sme2lab.device_pair/1");
    sl_json_text(&json, "address", address);
    sl_json_text(&json, "name", name);
    sl_json_close_object(&json);
    int rc = json.error < 0 ? json.error : sl_buf_print_line(&text);
    sl_buf_fini(&text);
    return rc;
}

int sl_device_pair(const struct sl_cli *cli, const char *where)
{
    struct sl_diag diag = {.what = ""};
    char code[SL_ADB_PAIR_CODE_BYTES + 1] = "", name[SL_ADB_PAIR_NAME_BYTES];
    int rc = read_code(code);
    if (rc < 0) {
        sl_diag_hint(&diag, "type it, or give it on standard input: it is no word of the command");
        sl_diag_set(&diag, -EINVAL, "standard input",
                    rc == SL_E_LIMIT ? "The code is too long" : "There is no code");
        return sl_cli_fail(cli, SL_EXIT_USAGE, &diag);
    }
    rc = sl_adb_pair(where, code, name, &diag);
    memset(code, 0, sizeof(code));
    if (rc == 0)
        rc = say_paired(cli, where, name);
    if (rc < 0)
        return sl_cli_fail(cli, rc == -EINVAL ? SL_EXIT_USAGE : sl_exit_for_error(rc), &diag);
    return SL_EXIT_DONE;
}
