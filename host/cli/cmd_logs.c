/* host/cli/cmd_logs.c: `sme2lab logs`: what the agent said during a run. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/say.h"
#include "common/base/utf8.h"
#include "host/cli/ask.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "host/cli/exit_code.h"
#include "host/cli/options.h"
#include "host/spec/json_value.h"
#include "host/spec/url.h"

enum { MAX_FILES_SHOWN = 64 };

#define EARLY_LOG "streams/log"

static int print_log(const struct sl_cli *cli, const char *name, const struct sl_buf *body)
{
    struct sl_buf text;
    struct sl_json json;
    if (!cli->json) {
        sl_say(stdout, "%s", body->size > 0 ? (const char *)body->data : "");
        return 0;
    }
    sl_buf_init(&text, (size_t)SL_CLIENT_MAX_ANSWER * 6);
    sl_json_init(&json, &text);
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "schema", "sme2lab.log/1");
    sl_json_text(&json, "file", name);
    sl_json_text(&json, "log", body->size > 0 ? (const char *)body->data : "");
    sl_json_close_object(&json);
    int rc = json.error < 0 ? json.error : sl_buf_print_line(&text);
    sl_buf_fini(&text);
    return rc;
}

static bool is_log(const char *path)
{
    size_t len = strlen(path);
    return len > 4 && strcmp(path + len - 4, ".log") == 0;
}

static int print_attempt(const struct sl_cli *cli, struct sl_client *client, uint64_t job,
                         int64_t number, struct sl_diag *diag)
{
    char path[SL_CLIENT_PATH_BYTES];
    struct sl_buf body;
    snprintf(path, sizeof(path), "/api/v1/jobs/%" PRIu64 "/attempts/%" PRId64 "/log", job, number);
    int rc = sl_client_get(client, path, &body, NULL, diag);
    if (rc < 0)
        return rc;
    rc = print_log(cli, "log", &body);
    sl_buf_fini(&body);
    return rc;
}

static int print_file(const struct sl_cli *cli, struct sl_client *client, uint64_t id,
                      const char *name, struct sl_diag *diag)
{
    char path[SL_CLIENT_PATH_BYTES];
    struct sl_buf body;
    snprintf(path, sizeof(path), "/api/v1/runs/%" PRIu64 "/files/", id);
    if (!sl_url_path(path, sizeof(path), name))
        return 0;
    int rc = sl_client_get(client, path, &body, NULL, diag);
    if (rc < 0)
        return rc;
    rc = print_log(cli, name, &body);
    sl_buf_fini(&body);
    return rc;
}

/* A run that failed early has no log but what its device's process said. */
static bool has_early_log(const cJSON *files)
{
    const cJSON *file;
    cJSON_ArrayForEach(file, files)
    {
        if (strcmp(sl_value_text(file, "path", ""), EARLY_LOG) == 0)
            return sl_value_u64(file, "bytes") > 0;
    }
    return false;
}

/* All logs among the run's files, or that of one attempt; with --json an object a line. */
static int print_logs(const struct sl_cli *cli, struct sl_client *client, uint64_t id, void *user,
                      struct sl_diag *diag)
{
    const int64_t *attempt = user;
    if (*attempt > 0)
        return print_attempt(cli, client, id, *attempt, diag);
    char path[SL_CLIENT_PATH_BYTES];
    cJSON *files = NULL;
    const cJSON *file;
    size_t shown = 0;
    snprintf(path, sizeof(path), "/api/v1/runs/%" PRIu64 "/files", id);
    int rc = sl_client_get(client, path, NULL, &files, diag);
    cJSON_ArrayForEach(file, sl_value(files, "files"))
    {
        const char *name = sl_value_text(file, "path", "");
        if (rc < 0 || !is_log(name) || shown == MAX_FILES_SHOWN)
            continue;
        rc = print_file(cli, client, id, name, diag);
        shown++;
    }
    if (rc == 0 && shown == 0 && has_early_log(sl_value(files, "files"))) {
        rc = print_file(cli, client, id, EARLY_LOG, diag);
        shown++;
    }
    cJSON_Delete(files);
    if (rc == 0 && shown == 0) {
        sl_diag_hint(diag, "'sme2lab show %" PRIu64 "' lists its files", id);
        rc = sl_diag_set(diag, SL_E_NOT_FOUND, "run", "Run %" PRIu64 " has no log", id);
    }
    return rc;
}

int sl_cmd_logs(const struct sl_cli *cli, int argc, char **argv)
{
    int64_t attempt = 0;
    const struct sl_option options[] = {
        {"--attempt", 0, SL_OPTION_COUNT, &attempt, "N",
         "the number is a job's: what this attempt of it said, which made no run"},
    };
    const struct sl_usage usage = {
        .verb = "logs",
        .synopsis = "RUN [option...]",
        .about = "Prints what the agent and the model's process said during a run.",
        .options = options,
        .option_count = sizeof(options) / sizeof(options[0]),
        .speaks_http = true};
    return sl_ask_run(cli, &usage, argc, argv, print_logs, &attempt);
}
