/* host/cli/cmd_device.c: `sme2lab device`: what is done to one device. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/say.h"
#include "host/cli/cli.h"
#include "host/cli/options.h"
#include "host/device/adb/pair.h"

enum { MAX_ANSWER_BYTES = 4096 };

static const char about[] =
    "pair makes a phone trust your adb key, for wireless debugging: its Developer options have\n"
    "'Pair device with pairing code', which shows an address with a port, and the code. The code "
    "is\n"
    "read from standard input. The phone is then reached at the address that 'Wireless debugging'\n"
    "itself shows, whose port is another: {\"link\": \"adb-tcp:ADDRESS:PORT\"} in the daemon's\n"
    "configuration. A daemon of another user has another key.";

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

static int pair(const struct sl_cli *cli, const char *where, struct sl_diag *diag)
{
    char code[SL_ADB_PAIR_CODE_BYTES + 1] = "", name[SL_ADB_PAIR_NAME_BYTES];
    int rc = read_code(code);
    if (rc < 0) {
        sl_diag_hint(diag, "type it, or give it on standard input: it is no word of the command");
        return sl_diag_set(diag, -EINVAL, "standard input",
                           rc == SL_E_LIMIT ? "The code is too long" : "There is no code");
    }
    rc = sl_adb_pair(where, code, name, diag);
    memset(code, 0, sizeof(code));
    return rc < 0 ? rc : say_paired(cli, where, name);
}

int sl_cmd_device(const struct sl_cli *cli, int argc, char **argv)
{
    const char *words[2];
    size_t count;
    struct sl_diag diag = {.what = ""};
    const struct sl_usage usage = {
        .verb = "device", .synopsis = "pair ADDRESS:PORT", .about = about};
    int rc = sl_options_parse(&usage, argc, argv, words, 2, &count, &diag);
    if (rc != 0)
        return rc > 0 ? SL_EXIT_DONE : sl_cli_fail(cli, SL_EXIT_USAGE, &diag);
    if (count != 2 || strcmp(words[0], "pair") != 0) {
        sl_diag_hint(&diag, "'sme2lab device pair ADDRESS:PORT' pairs with a phone");
        sl_diag_set(&diag, SL_E_UNSUPPORTED, "command line", "a verb and an address are needed");
        return sl_cli_fail(cli, SL_EXIT_USAGE, &diag);
    }
    rc = pair(cli, words[1], &diag);
    if (rc < 0)
        return sl_cli_fail(cli, rc == -EINVAL ? SL_EXIT_USAGE : sl_exit_for_error(rc), &diag);
    return SL_EXIT_DONE;
}
