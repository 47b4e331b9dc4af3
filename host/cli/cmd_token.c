/* host/cli/cmd_token.c: `sme2lab token`: who may use the daemon over TCP. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/say.h"
#include "host/cli/answer.h"
#include "host/cli/ask.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "host/cli/options.h"
#include "host/report/table.h"
#include "host/spec/columns.h"
#include "host/spec/json_value.h"

enum { MAX_BODY_BYTES = 4096, DAY_S = 86400 };

struct token {
    const struct sl_cli *cli;
    const char *role, *scopes; /* NULL: not given */
    int64_t max_jobs;          /* -1: any number */
    int64_t days;              /* -1: for ever */
};

static int add(const struct token *t, const char *name)
{
    struct sl_buf body;
    struct sl_json json;
    cJSON *answer;
    sl_buf_init(&body, MAX_BODY_BYTES);
    sl_json_init(&json, &body);
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "name", name);
    if (t->role || !t->scopes)
        sl_json_text(&json, "role", t->role ? t->role : "submit");
    if (t->scopes)
        sl_json_text(&json, "scopes", t->scopes);
    if (t->max_jobs >= 0)
        sl_json_i64(&json, "max_jobs", t->max_jobs);
    if (t->days >= 0) /* 0 is refused, and does not mean for ever */
        sl_json_i64(&json, "expires_in_s", t->days * DAY_S);
    sl_json_close_object(&json);
    const struct sl_client_request request = {
        .method = "POST", .path = "/api/v1/tokens", .json = (const char *)body.data};
    int code = sl_ask(t->cli, "token", &request, &answer);
    if (answer) {
        sl_say(stdout, "%s\n", sl_value_text(answer, "token", ""));
        if (!t->cli->quiet)
            sl_say(stderr, "This is the only time it is shown. Keep it in a file that only you "
                           "can read, and name that by --token-file.\n");
    }
    cJSON_Delete(answer);
    sl_buf_fini(&body);
    return code;
}

static bool put_end(struct sl_table *table, const cJSON *token, const char *column)
{
    bool never = strcmp(column, "expires_ms") == 0 && sl_value_u64(token, column) == 0;
    if (never)
        sl_table_put(table, "never");
    return never;
}

static int list(const struct token *t)
{
    cJSON *answer;
    const struct sl_client_request request = {.method = "GET", .path = "/api/v1/tokens"};
    int code = sl_ask(t->cli, "tokens", &request, &answer);
    return sl_ask_show(t->cli, code, answer, "tokens", &sl_token_columns, put_end,
                       "No tokens: only the Unix socket lets anybody in.");
}

static int revoke(const struct token *t, const char *word)
{
    char path[96];
    uint64_t id;
    struct sl_diag diag = {0};
    cJSON *answer;
    if (sl_answer_id(word, "token", &id, &diag) < 0) {
        sl_diag_hint(&diag, "'sme2lab token list' lists them");
        return sl_cli_fail(t->cli, SL_EXIT_USAGE, &diag);
    }
    snprintf(path, sizeof(path), "/api/v1/tokens/%" PRIu64, id);
    int code = sl_ask(t->cli, "token",
                      &(struct sl_client_request){.method = "DELETE", .path = path}, &answer);
    if (code == SL_EXIT_DONE && !t->cli->json && !t->cli->quiet)
        sl_say(stdout, "token %" PRIu64 " is revoked\n", id);
    cJSON_Delete(answer);
    return code;
}

int sl_cmd_token(const struct sl_cli *cli, int argc, char **argv)
{
    struct token t = {.cli = cli, .max_jobs = -1, .days = -1};
    const struct sl_option options[] = {
        {"--role", 0, SL_OPTION_TEXT, &t.role, "ROLE",
         "add: a set of scopes: read, submit or admin (submit)"},
        {"--scopes", 0, SL_OPTION_TEXT, &t.scopes, "S,S...",
         "add: read, submit, cancel-any, devices, admin, runner-code"},
        {"--max-jobs", 0, SL_OPTION_COUNT, &t.max_jobs, "N", "add: open jobs at a time (any)"},
        {"--days", 0, SL_OPTION_COUNT, &t.days, "N", "add: ends after so many days (never)"},
    };
    const struct sl_usage usage = {
        .verb = "token",
        .synopsis = "add NAME|list|revoke TOKEN [option...]",
        .about =
            "Who may use the daemon over TCP. The daemon keeps a token's hash alone; the token\n"
            "itself is shown once. Over the Unix socket none is needed. A job's owner is the name "
            "of\n"
            "the token that submitted it: tokens of that name may cancel it, and cancel-any may\n"
            "cancel any. The role submit is read and submit; admin is all but runner-code, which\n"
            "lets jobs bring programs of their own.",
        .options = options,
        .option_count = sizeof(options) / sizeof(options[0]),
        .speaks_http = true,
        .notes = "Example: sme2lab token add ci --role submit --days 90 > token"};
    const char *words[2] = {"", ""};
    struct sl_diag diag = {0};
    size_t count;
    int code;
    if (!sl_ask_words(cli, &usage, argc, argv, words, 2, "add, list or revoke", &count, &code))
        return code;
    if (strcmp(words[0], "add") == 0 && count == 2)
        return add(&t, words[1]);
    if (strcmp(words[0], "list") == 0 && count == 1)
        return list(&t);
    if (strcmp(words[0], "revoke") == 0 && count == 2)
        return revoke(&t, words[1]);
    sl_diag_hint(&diag, "usage: sme2lab token %s", usage.synopsis);
    sl_diag_set(&diag, SL_E_UNSUPPORTED, "command line", "'token %s' is not it", words[0]);
    return sl_cli_fail(cli, SL_EXIT_USAGE, &diag);
}
