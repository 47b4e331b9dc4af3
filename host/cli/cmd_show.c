/* host/cli/cmd_show.c: `sme2lab show`: a run, what it found and the files it left; or a job. */
#include <inttypes.h>
#include <stdbool.h>
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
#include "host/cli/exit_code.h"
#include "host/cli/options.h"
#include "host/report/json_copy.h"
#include "host/report/table.h"
#include "host/report/time_text.h"
#include "host/spec/json_value.h"
#include "host/spec/url.h"

enum { MAX_JSON_BYTES = 64 << 20 };

static void print_run(const cJSON *run)
{
    char text[SL_TIME_TEXT_BYTES];
    double ratio = sl_value_number(run, "ratio", 0);
    const char *verdict = sl_value_text(run, "verdict", "");
    const char *sha256 = sl_value_text(run, "model_sha256", "");
    const char *runtime = sl_value_text(run, "runtime", "");
    sl_say(stdout, "run %" PRIu64 " of job %" PRIu64 "\n", sl_value_u64(run, "id"),
           sl_value_u64(run, "job"));
    sl_say(stdout, "  model    %s%s%.12s\n", sl_value_text(run, "model", ""), *sha256 ? "  " : "",
           sha256);
    sl_say(stdout, "  device   %s (%s)\n", sl_value_text(run, "device", ""),
           sl_value_text(run, "device_kind", ""));
    sl_say(stdout, "  started  %s", sl_time_text(sl_value_u64(run, "started_ms"), text));
    sl_say(stdout, ", took %s\n",
           sl_span_text(sl_value_u64(run, "started_ms"), sl_value_u64(run, "ended_ms"), text));
    if (*runtime)
        sl_say(stdout, "  runtime  %s\n", runtime);
    if (*verdict)
        sl_say(stdout, "  verdict  %s\n", verdict);
    if (ratio > 0)
        sl_say(stdout, "  off/on   %.3f\n", ratio);
}

static int print_files(const struct sl_cli *cli, const cJSON *files)
{
    static const char *const heads[] = {"~FILE", ">BYTES", NULL};
    struct sl_table table;
    const cJSON *file;
    sl_table_init(&table, "show", "show", heads);
    cJSON_ArrayForEach(file, sl_value(files, "files"))
    {
        sl_table_put(&table, sl_value_text(file, "path", ""));
        sl_table_printf(&table, "%" PRIu64, sl_value_u64(file, "bytes"));
    }
    sl_say(stdout, "\n");
    return sl_cli_table(cli, &table, "No files.");
}

static int print_json(const cJSON *run, const cJSON *files)
{
    struct sl_buf text;
    struct sl_json json;
    sl_buf_init(&text, MAX_JSON_BYTES);
    sl_json_init(&json, &text);
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "schema", "sme2lab.show/1");
    sl_json_copy(&json, "run", run);
    sl_json_copy(&json, "files", sl_value(files, "files"));
    sl_json_close_object(&json);
    int rc = json.error < 0 ? json.error : sl_buf_print_line(&text);
    sl_buf_fini(&text);
    return sl_exit_for_error(rc);
}

/* A file of the run onto standard output: as it is, but for a terminal, which nothing in it may
 * steer. */
static int print_file(struct sl_client *client, uint64_t id, const char *file, struct sl_diag *diag)
{
    char path[SL_CLIENT_PATH_BYTES];
    struct sl_buf body;
    snprintf(path, sizeof(path), "/api/v1/runs/%" PRIu64 "/files/", id);
    if (!sl_url_path(path, sizeof(path), file))
        return sl_diag_set(diag, SL_E_LIMIT, "--file", "No file has so long a name");
    int rc = sl_client_get(client, path, &body, NULL, diag);
    if (rc < 0)
        return rc;
    sl_say_file(stdout, &body);
    sl_buf_fini(&body);
    return 0;
}

static int show(const struct sl_cli *cli, struct sl_client *client, uint64_t id,
                struct sl_diag *diag)
{
    char path[96];
    cJSON *run = NULL, *files = NULL;
    snprintf(path, sizeof(path), "/api/v1/runs/%" PRIu64, id);
    int rc = sl_client_get(client, path, NULL, &run, diag);
    snprintf(path, sizeof(path), "/api/v1/runs/%" PRIu64 "/files", id);
    if (rc == 0)
        rc = sl_client_get(client, path, NULL, &files, diag);
    if (rc == 0 && cli->json)
        print_json(run, files);
    else if (rc == 0) {
        print_run(run);
        print_files(cli, files);
    }
    cJSON_Delete(run);
    cJSON_Delete(files);
    return rc;
}

/* --- a job, with what its attempts left --- */

/* Prints an attempt: where it ran, for how long, how it ended. */
static void print_attempt(const cJSON *attempt, uint64_t job)
{
    char began[SL_TIME_TEXT_BYTES], took[SL_TIME_TEXT_BYTES];
    uint64_t number = sl_value_u64(attempt, "number"), run = sl_value_u64(attempt, "run"),
             start = sl_value_u64(attempt, "started_ms"), end = sl_value_u64(attempt, "ended_ms");
    const char *cause = sl_value_text(attempt, "cause", ""),
               *detail = sl_value_text(attempt, "detail", "");
    sl_say(stdout, "  attempt %" PRIu64 " on %s, %s, %s", number,
           sl_value_text(attempt, "device", ""), sl_time_text(start, began),
           end == 0 ? "runs" : sl_span_text(start, end, took));
    if (end > 0 && strcmp(cause, "none") != 0)
        sl_say(stdout, ": %s%s%s", cause, *detail ? ": " : "", detail);
    if (run > 0)
        sl_say(stdout, "; run %" PRIu64, run);
    else if (*sl_value_text(attempt, "log", ""))
        sl_say(stdout, "; 'sme2lab logs %" PRIu64 " --attempt %" PRIu64 "' has its log", job,
               number);
    sl_say(stdout, "\n");
}

static void print_job(const cJSON *job)
{
    char text[SL_TIME_TEXT_BYTES];
    const cJSON *attempt, *directory;
    const char *device = sl_value_text(job, "device", ""),
               *detail = sl_value_text(job, "detail", ""),
               *selector = sl_value_text(job, "selector", "");
    uint64_t run = sl_value_u64(job, "run");
    sl_say(stdout, "job %" PRIu64 " is %s\n", sl_value_u64(job, "id"),
           sl_value_text(job, "state", ""));
    if (*selector && strcmp(selector, device) != 0)
        sl_say(stdout, "  wants     %s\n", selector);
    sl_say(stdout, "  device    %s\n", *device ? device : "none yet");
    sl_say(stdout, "  submitted %s\n", sl_time_text(sl_value_u64(job, "submitted_ms"), text));
    if (*sl_value_text(job, "after_jobs", ""))
        sl_say(stdout, "  after     %s\n", sl_value_text(job, "after_jobs", ""));
    if (sl_value_u64(job, "begin_ms") > 0)
        sl_say(stdout, "  begins    %s\n", sl_time_text(sl_value_u64(job, "begin_ms"), text));
    if (sl_value_u64(job, "deadline_ms") > 0)
        sl_say(stdout, "  deadline  %s\n", sl_time_text(sl_value_u64(job, "deadline_ms"), text));
    sl_say(stdout, "  attempts  %" PRIu64 "\n", sl_value_u64(job, "attempts"));
    if (run != 0)
        sl_say(stdout, "  run       %" PRIu64 "\n", run);
    if (*detail)
        sl_say(stdout, "  detail    %s\n", detail);
    cJSON_ArrayForEach(attempt, cJSON_GetObjectItemCaseSensitive(job, "attempt_records"))
        print_attempt(attempt, sl_value_u64(job, "id"));
    cJSON_ArrayForEach(directory, cJSON_GetObjectItemCaseSensitive(job, "attempt_directories"))
        sl_say(stdout, "  left      %s\n", cJSON_GetStringValue(directory));
}

static int show_job(const struct sl_cli *cli, struct sl_client *client, uint64_t id,
                    struct sl_diag *diag)
{
    char path[96];
    struct sl_buf body;
    cJSON *job = NULL;
    snprintf(path, sizeof(path), "/api/v1/jobs/%" PRIu64, id);
    int rc = sl_client_get(client, path, &body, &job, diag);
    if (rc < 0)
        return rc;
    if (cli->json)
        sl_answer_print("job", &body);
    else
        print_job(job);
    sl_buf_fini(&body);
    cJSON_Delete(job);
    return 0;
}

struct wish {
    const char *file; /* NULL: the run */
    bool job;
};

static int show_or_print(const struct sl_cli *cli, struct sl_client *client, uint64_t id,
                         void *user, struct sl_diag *diag)
{
    const struct wish *wish = user;
    if (wish->job)
        return show_job(cli, client, id, diag);
    return wish->file ? print_file(client, id, wish->file, diag) : show(cli, client, id, diag);
}

int sl_cmd_show(const struct sl_cli *cli, int argc, char **argv)
{
    struct wish wish = {.file = NULL};
    const struct sl_option options[] = {
        {"--file", 'f', SL_OPTION_TEXT, &wish.file, "NAME", "print this file of the run instead"},
        {"--job", 0, SL_OPTION_FLAG, &wish.job, NULL,
         "the number is a job's: its state, its attempts, and what those without a run left"},
    };
    const struct sl_usage usage = {.verb = "show",
                                   .synopsis = "RUN [option...]",
                                   .about = "Shows a run: model, device, verdict and its files.",
                                   .options = options,
                                   .option_count = sizeof(options) / sizeof(options[0]),
                                   .speaks_http = true,
                                   .notes = "Example: sme2lab show 7 --file manifest.json"};
    return sl_ask_run(cli, &usage, argc, argv, show_or_print, &wish);
}
