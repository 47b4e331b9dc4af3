/* host/cli/cmd_jobs.c: `sme2lab jobs`. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/error.h"
#include "host/cli/ask.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "host/cli/group.h"
#include "host/cli/options.h"
#include "host/report/table.h"
#include "host/report/time_text.h"
#include "host/spec/columns.h"
#include "host/spec/json_value.h"
#include "host/spec/url.h"

/* Which device it waits for, while none has it; in place of its end how long it took. */
static bool put_cell(struct sl_table *table, const cJSON *job, const char *column)
{
    char text[SL_TIME_TEXT_BYTES];
    if (strcmp(column, "ended_ms") == 0)
        sl_table_put(table, sl_span_text(sl_value_u64(job, "started_ms"),
                                         sl_value_u64(job, "ended_ms"), text));
    else if (strcmp(column, "device") == 0 && !*sl_value_text(job, "device", ""))
        sl_table_put(table, sl_value_text(job, "selector", ""));
    else
        return false;
    return true;
}

int sl_cmd_jobs(const struct sl_cli *cli, int argc, char **argv)
{
    const char *state = NULL, *group = NULL;
    uint64_t id = 0;
    struct sl_diag diag = {0};
    struct sl_list_options list = {.filter = NULL};
    const struct sl_option options[] = {
        {"--state", 0, SL_OPTION_TEXT, &state, "STATE",
         "only jobs in this state: queued, running (detached ones too), done, failed or cancelled"},
        {"--group", 0, SL_OPTION_TEXT, &group, "gN", "only jobs of this group"},
        SL_LIST_SEARCH(list),
        SL_LIST_PAGE(list),
    };
    const struct sl_usage usage = {.verb = "jobs",
                                   .synopsis = "[option...]",
                                   .about = "Lists the daemon's jobs, newest first.",
                                   .options = options,
                                   .option_count = sizeof(options) / sizeof(options[0]),
                                   .speaks_http = true};
    char path[SL_CLIENT_PATH_BYTES] = "/api/v1/jobs", number[SL_GROUP_WORD_BYTES];
    size_t count;
    int code;
    cJSON *answer;
    if (!sl_ask_words(cli, &usage, argc, argv, NULL, 0, NULL, &count, &code))
        return code;
    if (group && sl_group_id(group, &id, &diag) < 0)
        return sl_cli_fail(cli, SL_EXIT_USAGE, &diag);
    snprintf(number, sizeof(number), "%" PRIu64, id);
    bool fits = sl_url_query(path, sizeof(path), "state", state) &&
                sl_url_query(path, sizeof(path), "group", group ? number : NULL);
    code = sl_ask_rows(cli, "jobs", path, fits, &list, &answer);
    return sl_ask_show(cli, code, answer, "jobs", &sl_job_columns, put_cell,
                       "No jobs. 'sme2lab run MODEL.pte' measures a model.");
}
