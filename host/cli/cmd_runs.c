/* host/cli/cmd_runs.c: `sme2lab runs`. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cjson/cJSON.h>

#include "common/base/error.h"
#include "host/cli/answer.h"
#include "host/cli/ask.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "host/cli/options.h"
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
        fprintf(stderr, "older ones: sme2lab runs --cursor %" PRIu64 "\n", next);
    return code;
}

/* "2h", "7d", "2026-11-21" or Unix milliseconds as the daemon takes them: milliseconds. */
static int read_since(const char *text, char out[SL_ANSWER_TIME_BYTES], struct sl_diag *diag)
{
    static const struct {
        char letter;
        uint64_t ms;
    } units[] = {{'m', 60000}, {'h', 3600000}, {'d', 86400000}, {'w', 604800000}};
    char *end = NULL;
    struct tm day = {.tm_isdst = -1};
    int used = 0;
    unsigned long long number = strtoull(text, &end, 10);
    uint64_t now = (uint64_t)time(NULL) * 1000, ms = 0;
    bool digits = text[0] >= '0' && text[0] <= '9' && number <= INT64_MAX / 604800000;
    for (size_t i = 0; digits && i < sizeof(units) / sizeof(units[0]); i++) {
        if (end[0] == units[i].letter && !end[1] && number * units[i].ms < now)
            ms = now - number * units[i].ms;
    }
    if (ms == 0 &&
        sscanf(text, "%4d-%2d-%2d%n", &day.tm_year, &day.tm_mon, &day.tm_mday, &used) == 3 &&
        !text[used]) {
        day.tm_year -= 1900;
        day.tm_mon -= 1;
        time_t begin = mktime(&day);
        ms = begin > 0 ? (uint64_t)begin * 1000 : 0;
    } else if (ms == 0 && digits && !*end) {
        ms = number;
    }
    if (ms == 0) {
        sl_diag_hint(diag, "say --since 2h, --since 7d or --since 2026-11-21");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--since", "'%.60s' is no time", text);
    }
    snprintf(out, SL_ANSWER_TIME_BYTES, "%" PRIu64, ms);
    return 0;
}

int sl_cmd_runs(const struct sl_cli *cli, int argc, char **argv)
{
    const char *model = NULL, *device = NULL, *since = NULL, *cursor = NULL, *limit = NULL;
    const struct sl_option options[] = {
        {"--model", 0, SL_OPTION_TEXT, &model, "NAME", "of this model: the file's name, no suffix"},
        {"--device", 0, SL_OPTION_TEXT, &device, "NAME", "on this device"},
        {"--since", 0, SL_OPTION_TEXT, &since, "TIME", "begun since: 30m, 2h, 7d, 2026-11-21"},
        {"--limit", 'n', SL_OPTION_TEXT, &limit, "N", "at most so many (50)"},
        {"--cursor", 0, SL_OPTION_TEXT, &cursor, "C", "go on where the last page ended"},
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
                sl_url_query(path, sizeof(path), "since", since ? since_ms : NULL);
    code = sl_ask_page(cli, path, fits, limit, cursor, &answer);
    if (answer)
        code = show(cli, answer);
    cJSON_Delete(answer);
    return code;
}
