/* host/cli/cmd_jobs.c: `sme2lab jobs`. */
#include <inttypes.h>
#include <stdio.h>

#include <cjson/cJSON.h>

#include "common/base/say.h"
#include "host/cli/answer.h"
#include "host/cli/ask.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "host/cli/options.h"
#include "host/cli/url.h"
#include "host/report/table.h"

static void put_job(struct sl_table *table, const cJSON *job)
{
    char text[SL_ANSWER_TIME_BYTES];
    uint64_t run = sl_answer_u64(job, "run");
    const char *device = sl_answer_text(job, "device");
    sl_table_printf(table, "%" PRIu64, sl_answer_u64(job, "id"));
    sl_table_put(table, sl_answer_text(job, "state"));
    sl_table_put(table, *device ? device : sl_answer_text(job, "selector"));
    sl_table_put(table, sl_answer_time(sl_answer_u64(job, "submitted_ms"), text));
    sl_table_put(table, sl_answer_span(sl_answer_u64(job, "started_ms"),
                                       sl_answer_u64(job, "ended_ms"), text));
    if (run != 0)
        sl_table_printf(table, "%" PRIu64, run);
    else
        sl_table_put(table, NULL);
    sl_table_put(table, sl_answer_text(job, "detail"));
}

static int show(const struct sl_cli *cli, const cJSON *answer)
{
    static const char *const heads[] = {">JOB",  "STATE", "~DEVICE", "SUBMITTED",
                                        ">TOOK", ">RUN",  "~DETAIL", NULL};
    struct sl_table table;
    const cJSON *job;
    sl_table_init(&table, "jobs", "jobs", heads);
    cJSON_ArrayForEach(job, cJSON_GetObjectItemCaseSensitive(answer, "jobs")) put_job(&table, job);
    int code = sl_cli_table(cli, &table, "No jobs.");
    uint64_t next = sl_answer_u64(answer, "next_cursor");
    if (next != 0 && !cli->quiet)
        sl_say(stderr, "older ones: sme2lab jobs --cursor %" PRIu64 "\n", next);
    return code;
}

int sl_cmd_jobs(const struct sl_cli *cli, int argc, char **argv)
{
    const char *state = NULL;
    struct sl_list_options list = {.filter = NULL};
    const struct sl_option options[] = {
        {"--state", 0, SL_OPTION_TEXT, &state, "STATE",
         "queued, running, done, failed or cancelled (all)"},
        SL_LIST_SEARCH(list),
        SL_LIST_PAGE(list),
    };
    const struct sl_usage usage = {.verb = "jobs",
                                   .synopsis = "[option...]",
                                   .about = "Lists the daemon's jobs, newest first.",
                                   .options = options,
                                   .option_count = sizeof(options) / sizeof(options[0]),
                                   .speaks_http = true};
    char path[SL_CLIENT_PATH_BYTES] = "/api/v1/jobs";
    size_t count;
    int code;
    cJSON *answer;
    if (!sl_ask_words(cli, &usage, argc, argv, NULL, 0, NULL, &count, &code))
        return code;
    bool fits = sl_url_query(path, sizeof(path), "state", state);
    code = sl_ask_rows(cli, "jobs", path, fits, &list, &answer);
    if (answer)
        code = show(cli, answer);
    cJSON_Delete(answer);
    return code;
}
