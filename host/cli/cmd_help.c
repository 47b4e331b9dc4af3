/* host/cli/cmd_help.c: `sme2lab help [VERB]`. */
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/json.h"
#include "common/base/say.h"
#include "host/cli/cli.h"
#include "host/cli/exit_code.h"
#include "host/cli/options.h"

enum { MAX_PAGE_BYTES = 1 << 16 };

static const char intro[] =
    "usage: sme2lab VERB [option...]\n"
    "\n"
    "Measures what Arm's Scalable Matrix Extension (SME2) does to on-device\n"
    "inference: runs a model with SME2 off and on and shows, operator by operator,\n"
    "where the work went.\n"
    "\n"
    "Verbs:\n";

static const char outro[] =
    "\n"
    "'sme2lab VERB --help' is the page of a verb. All verbs take --json, -q, -v and\n"
    "--color auto|always|never. Those that speak to the daemon take --server\n"
    "unix:PATH|http://HOST:PORT|https://HOST:PORT ($SME2LAB_SERVER), --token-file\n"
    "FILE ($SME2LAB_TOKEN_FILE) and --cacert FILE ($SME2LAB_CACERT).\n"
    "\n"
    "Exit codes:\n"
    "  0        done\n"
    "  1        the measured thing failed, or its output is wrong\n"
    "  2        a mistake on the command line or in a configuration\n"
    "  3        slower beyond the threshold asked for\n"
    "  4        no verdict is possible\n"
    "  5        the lab failed: no emulator, device, daemon or permission\n"
    "  6        a defect in sme2lab\n"
    "  130/143  interrupted\n";

static int print_json(const struct sl_verb *verbs)
{
    static const int codes[] = {SL_EXIT_DONE,       SL_EXIT_FAILED,       SL_EXIT_USAGE,
                                SL_EXIT_REGRESSION, SL_EXIT_INCONCLUSIVE, SL_EXIT_LAB,
                                SL_EXIT_DEFECT,     SL_EXIT_INTERRUPTED,  SL_EXIT_TERMINATED};
    struct sl_json json;
    struct sl_buf text;
    sl_buf_init(&text, MAX_PAGE_BYTES);
    sl_json_init(&json, &text);
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "schema", "sme2lab.help/1");
    sl_json_open_array(&json, "verbs");
    for (const struct sl_verb *verb = verbs; verb->name; verb++) {
        if (!verb->summary)
            continue;
        sl_json_open_object(&json, NULL);
        sl_json_text(&json, "verb", verb->name);
        sl_json_text(&json, "summary", verb->summary);
        sl_json_close_object(&json);
    }
    sl_json_close_array(&json);
    sl_json_open_array(&json, "exit_codes");
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        sl_json_open_object(&json, NULL);
        sl_json_i64(&json, "code", codes[i]);
        sl_json_text(&json, "name", sl_exit_name(codes[i]));
        sl_json_close_object(&json);
    }
    sl_json_close_array(&json);
    sl_json_close_object(&json);
    int rc = json.error < 0 ? json.error : sl_buf_print_line(&text);
    sl_buf_fini(&text);
    return sl_exit_for_error(rc);
}

int sl_cmd_help(const struct sl_cli *cli, int argc, char **argv)
{
    if (argc > 1 && argv[1][0] != '-') {
        char help[] = "--help", json[] = SL_OPTIONS_HELP_JSON;
        char *page[] = {argv[1], cli->json ? json : help, NULL};
        for (const struct sl_verb *verb = cli->verbs; verb->name; verb++) {
            if (strcmp(argv[1], verb->name) == 0 && verb->run != sl_cmd_help)
                return verb->run(cli, 2, page);
        }
    }
    if (cli->json)
        return print_json(cli->verbs);
    sl_say(stdout, "%s", intro);
    for (const struct sl_verb *verb = cli->verbs; verb->name; verb++) {
        if (verb->summary)
            sl_say(stdout, "  %-10s %s\n", verb->name, verb->summary);
    }
    sl_say(stdout, "%s", outro);
    return SL_EXIT_DONE;
}
