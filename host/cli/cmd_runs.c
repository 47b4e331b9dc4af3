/* host/cli/cmd_runs.c: `sme2lab runs`. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "common/base/error.h"
#include "host/cli/ask.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "host/cli/exit_code.h"
#include "host/cli/options.h"
#include "host/cli/time_word.h"
#include "host/report/time_text.h"
#include "host/spec/columns.h"
#include "host/spec/url.h"

static int read_since(const char *text, char out[SL_TIME_TEXT_BYTES], struct sl_diag *diag)
{
    uint64_t ms = 0;
    int rc = sl_time_word(text, "--since", &ms, diag);
    snprintf(out, SL_TIME_TEXT_BYTES, "%" PRIu64, ms);
    return rc;
}

int sl_cmd_runs(const struct sl_cli *cli, int argc, char **argv)
{
    const char *model = NULL, *device = NULL, *since = NULL, *label = NULL;
    struct sl_list_options list = {.filter = NULL};
    const struct sl_option options[] = {
        {"--model", 0, SL_OPTION_TEXT, &model, "NAME",
         "only runs of this model: its file's name without suffix"},
        {"--device", 0, SL_OPTION_TEXT, &device, "NAME", "only runs on this device"},
        {"--since", 0, SL_OPTION_TEXT, &since, "TIME",
         "only runs begun since then: 30m, 2h, 7d, 2026-11-21"},
        {"--label", 0, SL_OPTION_TEXT, &label, "K=V", "only runs with this label"},
        SL_LIST_SEARCH(list),
        SL_LIST_PAGE(list),
    };
    const struct sl_usage usage = {.verb = "runs",
                                   .synopsis = "[option...]",
                                   .about = "Lists finished measurements, newest first.",
                                   .options = options,
                                   .option_count = sizeof(options) / sizeof(options[0]),
                                   .speaks_http = true};
    char path[SL_CLIENT_PATH_BYTES] = "/api/v1/runs", since_ms[SL_TIME_TEXT_BYTES];
    struct sl_diag diag = {0};
    size_t count;
    int code;
    struct cJSON *answer;
    if (!sl_ask_words(cli, &usage, argc, argv, NULL, 0, NULL, &count, &code))
        return code;
    if (since && read_since(since, since_ms, &diag) < 0)
        return sl_cli_fail(cli, SL_EXIT_USAGE, &diag);
    bool fits = sl_url_query(path, sizeof(path), "model", model) &&
                sl_url_query(path, sizeof(path), "device", device) &&
                sl_url_query(path, sizeof(path), "since", since ? since_ms : NULL) &&
                sl_url_query(path, sizeof(path), "label", label);
    code = sl_ask_rows(cli, "runs", path, fits, &list, &answer);
    return sl_ask_show(cli, code, answer, "runs", &sl_run_columns, NULL,
                       "No runs. 'sme2lab run MODEL.pte' measures a model.");
}
