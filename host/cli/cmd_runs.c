/* host/cli/cmd_runs.c: `sme2lab runs`. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "common/base/say.h"
#include "host/cli/answer.h"
#include "host/cli/ask.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "host/cli/exit_code.h"
#include "host/cli/options.h"
#include "host/cli/time_word.h"
#include "host/cli/url.h"
#include "host/report/table.h"

static void put_run(struct sl_table *table, const cJSON *run)
{
    char text[SL_ANSWER_TIME_BYTES];
    double ratio = sl_answer_f64(run, "ratio");
    sl_table_printf(table, "%" PRIu64, sl_answer_u64(run, "id"));
    sl_table_put(table, sl_answer_text(run, "model"));
    sl_table_put(table, sl_answer_text(run, "device"));
    sl_table_put(table, sl_answer_text(run, "device_kind"));
    sl_table_put(table, sl_answer_time(sl_answer_u64(run, "started_ms"), text));
    if (ratio > 0)
        sl_table_printf(table, "%.3f", ratio);
    else
        sl_table_put(table, NULL);
    sl_table_put(table, sl_answer_text(run, "verdict"));
}

static int show(const struct sl_cli *cli, const cJSON *answer)
{
    static const char *const heads[] = {">RUN",    "~MODEL",  "~DEVICE", "KIND",
                                        "STARTED", ">OFF/ON", "VERDICT", NULL};
    struct sl_table table;
    const cJSON *run;
    sl_table_init(&table, "runs", "runs", heads);
    cJSON_ArrayForEach(run, cJSON_GetObjectItemCaseSensitive(answer, "runs")) put_run(&table, run);
    int code = sl_cli_table(cli, &table, "No runs.");
    uint64_t next = sl_answer_u64(answer, "next_cursor");
    if (next != 0 && !cli->quiet)
        sl_say(stderr, "older ones: sme2lab runs --cursor %" PRIu64 "\n", next);
    return code;
}

static int read_since(const char *text, char out[SL_ANSWER_TIME_BYTES], struct sl_diag *diag)
{
    uint64_t ms = 0;
    int rc = sl_time_word(text, "--since", &ms, diag);
    snprintf(out, SL_ANSWER_TIME_BYTES, "%" PRIu64, ms);
    return rc;
}

int sl_cmd_runs(const struct sl_cli *cli, int argc, char **argv)
{
    const char *model = NULL, *device = NULL, *since = NULL, *label = NULL;
    struct sl_list_options list = {.filter = NULL};
    const struct sl_option options[] = {
        {"--model", 0, SL_OPTION_TEXT, &model, "NAME", "of this model: the file's name, no suffix"},
        {"--device", 0, SL_OPTION_TEXT, &device, "NAME", "on this device"},
        {"--since", 0, SL_OPTION_TEXT, &since, "TIME", "begun since: 30m, 2h, 7d, 2026-11-21"},
        {"--label", 0, SL_OPTION_TEXT, &label, "K=V", "of jobs that were given this label"},
        SL_LIST_SEARCH(list),
        SL_LIST_PAGE(list),
    };
    const struct sl_usage usage = {.verb = "runs",
                                   .synopsis = "[option...]",
                                   .about = "Lists finished measurements, newest first.",
                                   .options = options,
                                   .option_count = sizeof(options) / sizeof(options[0]),
                                   .speaks_http = true};
    char path[SL_CLIENT_PATH_BYTES] = "/api/v1/runs", since_ms[SL_ANSWER_TIME_BYTES];
    struct sl_diag diag = {0};
    size_t count;
    int code;
    cJSON *answer;
    if (!sl_ask_words(cli, &usage, argc, argv, NULL, 0, NULL, &count, &code))
        return code;
    if (since && read_since(since, since_ms, &diag) < 0)
        return sl_cli_fail(cli, SL_EXIT_USAGE, &diag);
    bool fits = sl_url_query(path, sizeof(path), "model", model) &&
                sl_url_query(path, sizeof(path), "device", device) &&
                sl_url_query(path, sizeof(path), "since", since ? since_ms : NULL) &&
                sl_url_query(path, sizeof(path), "label", label);
    code = sl_ask_rows(cli, "runs", path, fits, &list, &answer);
    if (answer)
        code = show(cli, answer);
    cJSON_Delete(answer);
    return code;
}
