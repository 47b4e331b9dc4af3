/* host/cli/cmd_runs.c: `sme2lab runs`, `sme2lab rm` and `sme2lab gc`. */
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
#include "host/cli/answer.h"
#include "host/cli/ask.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "host/cli/exit_code.h"
#include "host/cli/options.h"
#include "host/cli/time_word.h"
#include "host/cli/url.h"
#include "host/report/table.h"

enum { MAX_RUNS = 256, MAX_JSON_BYTES = 64 << 20 };

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

static int read_since(const char *text, char out[SL_ANSWER_TIME_BYTES], struct sl_diag *diag)
{
    uint64_t ms = 0;
    int rc = sl_time_word(text, "--since", &ms, diag);
    snprintf(out, SL_ANSWER_TIME_BYTES, "%" PRIu64, ms);
    return rc;
}

int sl_cmd_runs(const struct sl_cli *cli, int argc, char **argv)
{
    const char *model = NULL, *device = NULL, *since = NULL, *cursor = NULL, *limit = NULL;
    const char *label = NULL, *filter = NULL;
    int64_t top = 0;
    const struct sl_option options[] = {
        {"--model", 0, SL_OPTION_TEXT, &model, "NAME", "of this model: the file's name, no suffix"},
        {"--device", 0, SL_OPTION_TEXT, &device, "NAME", "on this device"},
        {"--since", 0, SL_OPTION_TEXT, &since, "TIME", "begun since: 30m, 2h, 7d, 2026-11-21"},
        {"--label", 0, SL_OPTION_TEXT, &label, "K=V", "of jobs that were given this label"},
        {"--filter", 0, SL_OPTION_TEXT, &filter, "TEXT",
         "that have this in a column; looks through all"},
        {"--top", 0, SL_OPTION_COUNT, &top, "N", "of these at most so many (all)"},
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
                sl_url_query(path, sizeof(path), "since", since ? since_ms : NULL) &&
                sl_url_query(path, sizeof(path), "label", label);
    const struct sl_list_wish wish = {"runs", path, filter, (uint64_t)top};
    code = fits && (filter || top > 0)
               ? sl_ask_list(cli, &wish, &answer)
               : sl_ask_page(cli, "runs", path, fits, limit, cursor, &answer);
    if (answer)
        code = show(cli, answer);
    cJSON_Delete(answer);
    return code;
}

/* --- runs that are wanted no more --- */

static int remove_run(struct sl_client *client, uint64_t id, struct sl_diag *diag)
{
    char path[64];
    struct sl_answer answer;
    snprintf(path, sizeof(path), "/api/v1/runs/%" PRIu64, id);
    const struct sl_request request = {.method = "DELETE", .path = path};
    int rc = sl_client_send(client, &request, &answer, diag);
    if (rc == 0)
        sl_buf_fini(&answer.body);
    return rc;
}

/* What went, or with a rehearsal would go. */
static void tell(const struct sl_cli *cli, const uint64_t *runs, size_t count, bool rehearsal)
{
    struct sl_buf text;
    struct sl_json json;
    if (!cli->json) {
        for (size_t i = 0; i < count && !cli->quiet; i++)
            printf("run %" PRIu64 " %s\n", runs[i], rehearsal ? "would go" : "is removed");
        return;
    }
    sl_buf_init(&text, MAX_JSON_BYTES);
    sl_json_init(&json, &text);
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "schema", "sme2lab.removal/1");
    sl_json_bool(&json, "rehearsal", rehearsal);
    sl_json_open_array(&json, "runs");
    for (size_t i = 0; i < count; i++)
        sl_json_u64(&json, NULL, runs[i]);
    sl_json_close_array(&json);
    sl_json_close_object(&json);
    if (json.error == 0)
        sl_buf_print_line(&text);
    sl_buf_fini(&text);
}

int sl_cmd_rm(const struct sl_cli *cli, int argc, char **argv)
{
    static const struct sl_usage usage = {
        .verb = "rm",
        .synopsis = "RUN... [option...]",
        .about =
            "Removes runs with all their files from the daemon's store. Their numbers are not\n"
            "given out again; the files that 'sme2lab run' put into --out stay.",
        .speaks_http = true,
        .notes = "Exit codes: 0 all are gone, 2 there is no such run, 5 the daemon failed."};
    const char *words[MAX_RUNS];
    uint64_t runs[MAX_RUNS];
    struct sl_diag diag = {0};
    struct sl_client *client = NULL;
    size_t count, gone = 0;
    int code, rc = 0;
    if (!sl_ask_words(cli, &usage, argc, argv, words, MAX_RUNS, "the number of a run", &count,
                      &code))
        return code;
    for (size_t i = 0; i < count && rc == 0; i++)
        rc = sl_answer_id(words[i], "run", &runs[i], &diag);
    if (rc == 0)
        rc = sl_client_open_any(cli, &client, &diag);
    for (; gone < count && rc == 0; gone += rc == 0 ? 1 : 0)
        rc = remove_run(client, runs[gone], &diag);
    sl_client_free(client);
    if (rc == 0 || (gone > 0 && !cli->json))
        tell(cli, runs, gone, false);
    return rc < 0 ? sl_cli_fail(cli, sl_exit_for_error(rc), &diag) : SL_EXIT_DONE;
}

/* --- gc --- */

struct sweep {
    uint64_t before_ms, keep; /* runs that began before go, but for so many of each series */
    const char *model;
    bool rehearsal;
};

/* How many newer runs of its series there are; one without a series is alone. */
static uint64_t newer_than(const cJSON *run)
{
    const char *series = sl_answer_text(run, "series");
    uint64_t count = 0;
    for (const cJSON *at = run->prev; *series && at && at->next; at = at->prev)
        count += strcmp(sl_answer_text(at, "series"), series) == 0;
    return count;
}

static int sweep(struct sl_client *client, const struct sweep *what, const cJSON *list,
                 uint64_t *out, size_t *out_count, struct sl_diag *diag)
{
    const cJSON *run;
    int rc = 0;
    cJSON_ArrayForEach(run, list)
    {
        bool fits = !what->model || strcmp(sl_answer_text(run, "model"), what->model) == 0;
        if (rc < 0 || !fits || sl_answer_u64(run, "started_ms") >= what->before_ms ||
            newer_than(run) < what->keep)
            continue;
        out[*out_count] = sl_answer_u64(run, "id");
        rc = what->rehearsal ? 0 : remove_run(client, out[*out_count], diag);
        *out_count += rc == 0 ? 1 : 0;
    }
    return rc;
}

static int collect(const struct sl_cli *cli, const struct sweep *what, struct sl_diag *diag)
{
    const struct sl_list_wish wish = {.name = "runs", .path = "/api/v1/runs"};
    struct sl_client *client = NULL;
    cJSON *answer = NULL;
    uint64_t *gone = NULL;
    size_t count = 0;
    int rc = sl_client_open_any(cli, &client, diag);
    if (rc == 0)
        rc = sl_ask_pages(client, &wish, &answer, diag);
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(answer, "runs");
    if (rc == 0) {
        gone = sl_calloc((size_t)cJSON_GetArraySize(list) + 1, sizeof(*gone));
        rc = gone ? sweep(client, what, list, gone, &count, diag) : -ENOMEM;
    }
    if (gone && (rc == 0 || !cli->json))
        tell(cli, gone, count, what->rehearsal);
    if (rc == 0 && count == 0 && !cli->json && !cli->quiet)
        puts("No run is that old.");
    sl_free(gone);
    cJSON_Delete(answer);
    sl_client_free(client);
    return rc;
}

int sl_cmd_gc(const struct sl_cli *cli, int argc, char **argv)
{
    const char *before = NULL;
    int64_t keep = 1;
    struct sweep what = {.keep = 0};
    const struct sl_option options[] = {
        {"--older-than", 0, SL_OPTION_TEXT, &before, "TIME", "begun before: 7d, 4w, 2026-11-21"},
        {"--keep", 0, SL_OPTION_COUNT, &keep, "N", "but for the newest N of each series (1)"},
        {"--model", 0, SL_OPTION_TEXT, &what.model, "NAME", "of this model alone"},
        {"--dry-run", 0, SL_OPTION_FLAG, &what.rehearsal, NULL,
         "say what would go, remove nothing"},
    };
    const struct sl_usage usage = {
        .verb = "gc",
        .synopsis = "--older-than TIME [option...]",
        .about = "Removes old runs with their files from the daemon's store. The newest of each\n"
                 "series stays, so that the next run has something to be compared with.",
        .options = options,
        .option_count = sizeof(options) / sizeof(options[0]),
        .speaks_http = true,
        .notes = "Example: sme2lab gc --older-than 4w --keep 10 --dry-run"};
    struct sl_diag diag = {0};
    size_t count;
    int code;
    if (!sl_ask_words(cli, &usage, argc, argv, NULL, 0, NULL, &count, &code))
        return code;
    if (!before) {
        sl_diag_hint(&diag, "say --older-than 4w; --dry-run shows what would go");
        sl_diag_set(&diag, SL_E_UNSUPPORTED, "--older-than", "Nothing says which runs are old");
        return sl_cli_fail(cli, SL_EXIT_USAGE, &diag);
    }
    what.keep = (uint64_t)keep;
    int rc = sl_time_word(before, "--older-than", &what.before_ms, &diag);
    if (rc == 0)
        rc = collect(cli, &what, &diag);
    return rc < 0 ? sl_cli_fail(cli, sl_exit_for_error(rc), &diag) : SL_EXIT_DONE;
}
