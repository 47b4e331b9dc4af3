/* host/cli/device_results.c */
#include "host/cli/device_results.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/error.h"
#include "common/base/say.h"
#include "host/cli/ask.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "host/cli/exit_code.h"
#include "host/cli/upload.h"
#include "host/report/table.h"
#include "host/report/time_text.h"
#include "host/spec/json_value.h"
#include "host/spec/url.h"

static int list(const struct sl_cli *cli, const char *path)
{
    static const char *const heads[] = {"result", "outcome", "began", "of host",
                                        "model",  "size",    NULL};
    const struct sl_client_request request = {.method = "GET", .path = path};
    struct sl_table table;
    cJSON *answer = NULL;
    const cJSON *row;
    int code = sl_ask(cli, "results", &request, &answer);
    if (!answer)
        return code;
    sl_table_init(&table, "results", "results", heads);
    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(answer, "results"))
    {
        char time[SL_TIME_TEXT_BYTES];
        sl_table_put(&table, sl_value_text(row, "id", ""));
        sl_table_put(&table, sl_value_text(row, "outcome", ""));
        sl_table_put(&table, sl_time_text(sl_value_u64(row, "started_ms"), time));
        sl_table_put(&table, sl_value_text(row, "host", ""));
        sl_table_put(&table, sl_value_text(row, "model", ""));
        sl_table_printf(&table, "%.1f KiB", sl_value_number(row, "bytes", 0) / 1024);
    }
    cJSON_Delete(answer);
    return sl_cli_table(cli, &table,
                        "The device keeps no results of runs that the daemon does not know.");
}

static int send_files(const struct sl_cli *cli, const struct sl_option_list *files)
{
    char sha256[SL_SHA256_HEX_SIZE];
    struct sl_client *client = NULL;
    struct sl_diag diag = {0};
    int rc = files->count > 0 ? sl_client_open_any(cli, &client, &diag) : 0;
    for (size_t i = 0; i < files->count && rc == 0; i++)
        rc = sl_upload_file(cli, client, files->items[i], sha256, &diag);
    sl_client_free(client);
    return rc < 0 ? sl_cli_fail(cli, sl_exit_for_error(rc), &diag) : SL_EXIT_DONE;
}

/* Collecting is a job, which is watched like any. */
static int watch(const struct sl_cli *cli, uint64_t job, const char *directory)
{
    char number[24], verb[] = "watch", out[] = "--out";
    char *words[] = {verb, number, out, (char *)(uintptr_t)directory};
    snprintf(number, sizeof(number), "%" PRIu64, job);
    return sl_cmd_watch(cli, directory ? 4 : 2, words);
}

/* The job's number; 0: *out_code is the exit code. */
static uint64_t ask_to_collect(const struct sl_cli *cli, const char *path, int *out_code)
{
    const struct sl_client_request request = {.method = "POST", .path = path, .json = ""};
    struct sl_cli plain = *cli;
    cJSON *answer = NULL;
    plain.json = false; /* the answer is what becomes of the job */
    *out_code = sl_ask(&plain, "submission", &request, &answer);
    uint64_t job = sl_value_u64(answer, "id");
    cJSON_Delete(answer);
    return job;
}

int sl_device_results(const struct sl_cli *cli, const char *path,
                      const struct sl_device_results *what)
{
    char url[SL_CLIENT_PATH_BYTES];
    struct sl_diag diag = {0};
    const char *id = what->collect ? what->collect : what->forget;
    snprintf(url, sizeof(url), "%s", path);
    bool fits = sl_url_path(url, sizeof(url), "/results") &&
                (!id || (*id && !strchr(id, '/') && sl_url_path(url, sizeof(url), "/") &&
                         sl_url_path(url, sizeof(url), id)));
    if (!fits || (what->collect && what->forget)) {
        sl_diag_hint(&diag, "'sme2lab device results NAME' lists them");
        sl_diag_set(&diag, SL_E_UNSUPPORTED, "command line",
                    fits ? "A result is collected or forgotten, not both"
                         : "'%.60s' is no number of a result",
                    id);
        return sl_cli_fail(cli, SL_EXIT_USAGE, &diag);
    }
    if (!id)
        return list(cli, url);
    if (what->forget) {
        cJSON *none = NULL;
        return sl_ask(cli, "results", &(struct sl_client_request){.method = "DELETE", .path = url},
                      &none);
    }
    int code = send_files(cli, &what->files);
    uint64_t job = code == SL_EXIT_DONE ? ask_to_collect(cli, url, &code) : 0;
    return job != 0 ? watch(cli, job, what->directory) : code;
}
