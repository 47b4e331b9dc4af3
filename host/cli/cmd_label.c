/* host/cli/cmd_label.c: `sme2lab label`: labels and pin of a run that is there. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/error.h"
#include "common/base/say.h"
#include "host/cli/answer.h"
#include "host/cli/ask.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "host/cli/exit_code.h"
#include "host/cli/options.h"
#include "host/spec/json_value.h"

enum { MAX_WORDS = 33, KEY_BYTES = 64 };

/* KEY=VALUE, or KEY= to remove it. */
static int put_label(cJSON *labels, const char *word, struct sl_diag *diag)
{
    char key[KEY_BYTES];
    size_t len = strcspn(word, "=");
    if (len == 0 || len >= sizeof(key) || word[len] == '\0') {
        sl_diag_hint(diag, "say branch=main, or branch= to remove it");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "command line", "'%.80s' is no label", word);
    }
    snprintf(key, sizeof(key), "%.*s", (int)len, word);
    cJSON_DeleteItemFromObjectCaseSensitive(labels, key);
    cJSON_AddItemToObject(labels, key,
                          word[len + 1] ? cJSON_CreateString(word + len + 1) : cJSON_CreateNull());
    return 0;
}

static void print(const cJSON *answer)
{
    const cJSON *label;
    sl_say(stdout, "run %" PRIu64 "%s\n", sl_value_u64(answer, "run"),
           cJSON_IsTrue(sl_value(answer, "pinned")) ? " is pinned: gc and retention keep it" : "");
    cJSON_ArrayForEach(label, sl_value(answer, "labels"))
        sl_say(stdout, "  %s=%s\n", label->string, cJSON_GetStringValue(label));
}

static int ask(const struct sl_cli *cli, uint64_t run, const cJSON *body)
{
    char path[64];
    cJSON *answer = NULL;
    char *text = body->child ? cJSON_PrintUnformatted(body) : NULL;
    snprintf(path, sizeof(path), "/api/v1/runs/%" PRIu64 "/labels", run);
    const struct sl_client_request request = {
        .method = text ? "POST" : "GET", .path = path, .json = text};
    int code = sl_ask(cli, "labels", &request, &answer);
    if (answer && !cli->quiet)
        print(answer);
    cJSON_Delete(answer);
    cJSON_free(text);
    return code;
}

int sl_cmd_label(const struct sl_cli *cli, int argc, char **argv)
{
    bool pin = false, unpin = false;
    const struct sl_option options[] = {
        {"--pin", 0, SL_OPTION_FLAG, &pin, NULL, "keep the run: gc and retention leave it"},
        {"--unpin", 0, SL_OPTION_FLAG, &unpin, NULL, "keep it no longer"},
    };
    const struct sl_usage usage = {
        .verb = "label",
        .synopsis = "RUN [K=V...] [option...]",
        .about = "Gives a run labels, beside those of its job; K= removes one. 'sme2lab runs\n"
                 "--label K=V' and 'query' find them. Without a label or an option it shows what\n"
                 "the run has. A run is its submitter's; others need a token of scope admin.",
        .options = options,
        .option_count = sizeof(options) / sizeof(options[0]),
        .speaks_http = true,
        .notes = "Example: sme2lab label 7 release=1.4 --pin"};
    const char *words[MAX_WORDS];
    struct sl_diag diag = {0};
    uint64_t run;
    size_t count;
    int code;
    if (!sl_ask_words(cli, &usage, argc, argv, words, MAX_WORDS, "the number of a run", &count,
                      &code))
        return code;
    int rc = sl_answer_id(words[0], "run", &run, &diag);
    cJSON *body = cJSON_CreateObject();
    cJSON *labels = count > 1 ? cJSON_AddObjectToObject(body, "labels") : NULL;
    for (size_t i = 1; i < count && rc == 0; i++)
        rc = put_label(labels, words[i], &diag);
    if (pin && unpin && rc == 0)
        rc = sl_diag_set(&diag, SL_E_UNSUPPORTED, "--unpin", "A run is pinned or it is not");
    if (pin || unpin)
        cJSON_AddBoolToObject(body, "pinned", pin);
    code = rc < 0 ? sl_cli_fail(cli, SL_EXIT_USAGE, &diag) : ask(cli, run, body);
    cJSON_Delete(body);
    return code;
}
