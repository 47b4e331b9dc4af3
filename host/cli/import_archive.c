/* host/cli/import_archive.c */
#include "host/cli/import_archive.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/path.h"
#include "common/base/say.h"
#include "common/base/tree_remove.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "host/cli/stored_run.h"
#include "host/cli/upload.h"
#include "host/rundir/archive.h"
#include "host/spec/json_value.h"

enum { PATH_BYTES = 1024, MAX_JSON_BYTES = 1 << 20 };

/* Tells of each run, in words or as JSON. */
struct report {
    const struct sl_cli *cli;
    struct sl_buf text;
    struct sl_json json;
};

bool sl_import_archive_named(const char *path)
{
    size_t len = strlen(path), end = strlen(SL_ARCHIVE_END);
    return len > end && strcmp(path + len - end, SL_ARCHIVE_END) == 0;
}

static void report_begin(struct report *report, const struct sl_cli *cli)
{
    report->cli = cli;
    sl_buf_init(&report->text, MAX_JSON_BYTES);
    sl_json_init(&report->json, &report->text);
    sl_json_open_object(&report->json, NULL);
    sl_json_text(&report->json, "schema", "sme2lab.imported/1");
    sl_json_open_array(&report->json, "runs");
}

static void report_end(struct report *report, int rc)
{
    sl_json_close_array(&report->json);
    sl_json_close_object(&report->json);
    if (rc == 0 && report->cli->json)
        sl_buf_print_line(&report->text);
    sl_buf_fini(&report->text);
}

/* --- to a directory --- */

static void say_unpacked(struct report *report, const struct sl_archive_run *run)
{
    struct sl_json *json = &report->json;
    sl_json_open_object(json, NULL);
    sl_json_text(json, "name", run->name);
    sl_json_u64(json, "was", run->run);
    sl_json_text(json, "directory", run->directory);
    sl_json_close_object(json);
    if (!report->cli->json && !report->cli->quiet)
        sl_say(stdout, "%s: %zu files\n", run->directory, run->count);
}

static int to_folder(struct report *report, const char *path, const char *folder,
                     struct sl_diag *diag)
{
    struct sl_archive archive = {.runs = NULL};
    if (mkdir(folder, 0777) < 0) {
        int rc = -errno;
        sl_diag_hint(diag, "name a directory that does not exist yet; nothing is overwritten");
        return sl_diag_set(diag, rc, folder, "The directory cannot be made (%s)", sl_strerror(rc));
    }
    int rc = sl_archive_unpack(path, folder, &archive, diag);
    for (size_t i = 0; rc == 0 && i < archive.count; i++)
        say_unpacked(report, &archive.runs[i]);
    sl_archive_fini(&archive);
    if (rc < 0)
        sl_tree_remove(folder);
    return rc;
}

/* --- to the daemon --- */

/* Its files as blobs, and the body that names them. */
static int send_files(const struct sl_cli *cli, struct sl_client *client,
                      const struct sl_archive_run *run, struct sl_json *body, struct sl_diag *diag)
{
    int rc = 0;
    sl_json_open_object(body, NULL);
    sl_json_open_array(body, "files");
    for (size_t i = 0; rc == 0 && i < run->count; i++) {
        char path[PATH_BYTES], sha256[SL_SHA256_HEX_SIZE];
        sl_path_join(path, sizeof(path), run->directory, "%s", run->files[i].path);
        rc = sl_upload_file(cli, client, path, sha256, diag);
        sl_json_open_object(body, NULL);
        sl_json_text(body, "path", run->files[i].path);
        sl_json_text(body, "sha256", sha256);
        sl_json_close_object(body);
    }
    sl_json_close_array(body);
    sl_json_close_object(body);
    return rc < 0 ? rc : body->error;
}

static void say_stored(struct report *report, const struct sl_archive_run *run, const cJSON *row,
                       bool is_new)
{
    struct sl_json *json = &report->json;
    uint64_t id = sl_value_u64(row, "id");
    sl_json_open_object(json, NULL);
    sl_json_text(json, "name", run->name);
    sl_json_u64(json, "was", run->run);
    sl_json_u64(json, "run", id);
    sl_json_u64(json, "job", sl_value_u64(row, "job"));
    sl_json_bool(json, "new", is_new);
    sl_json_close_object(json);
    if (!report->cli->json)
        sl_say(stdout, "%s is run %" PRIu64 " here%s\n", run->name, id,
               is_new ? "" : ", as it was before");
}

static int send_run(struct report *report, struct sl_client *client,
                    const struct sl_archive_run *run, struct sl_diag *diag)
{
    struct sl_buf text;
    struct sl_json body;
    struct sl_answer answer;
    sl_buf_init(&text, MAX_JSON_BYTES);
    sl_json_init(&body, &text);
    int rc = send_files(report->cli, client, run, &body, diag);
    if (rc == 0)
        rc = sl_client_send(client,
                            &(struct sl_client_request){.method = "POST",
                                                        .path = "/api/v1/runs",
                                                        .json = (const char *)text.data},
                            &answer, diag);
    sl_buf_fini(&text);
    if (rc < 0)
        return rc;
    cJSON *row = cJSON_ParseWithLength((const char *)answer.body.data, answer.body.size);
    say_stored(report, run, row, answer.status == 201);
    cJSON_Delete(row);
    sl_buf_fini(&answer.body);
    return 0;
}

static bool was_stored(const struct sl_archive_run *run)
{
    for (size_t i = 0; i < run->count; i++)
        if (strcmp(run->files[i].path, "streams/rows.json") == 0)
            return true;
    return false;
}

/* A run that no daemon can take is found before any is sent. */
static int send_runs(struct report *report, struct sl_client *client,
                     const struct sl_archive *archive, struct sl_diag *diag)
{
    int rc = 0;
    for (size_t i = 0; i < archive->count; i++) {
        if (was_stored(&archive->runs[i]))
            continue;
        sl_diag_hint(diag, "'sme2lab import FILE -o NEW' unpacks it for report, compare and show");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, archive->runs[i].name,
                           "This was exported from a directory, not from a daemon's store, which "
                           "keeps more of a run");
    }
    for (size_t i = 0; rc == 0 && i < archive->count; i++)
        rc = send_run(report, client, &archive->runs[i], diag);
    return rc;
}

static int to_daemon(struct report *report, const char *path, struct sl_diag *diag)
{
    struct sl_client *client = NULL;
    struct sl_archive archive = {.runs = NULL};
    struct sl_stored_run place = {.directory = ""};
    int rc = sl_client_open_any(report->cli, &client, diag);
    if (rc == 0)
        rc = sl_stored_run_directory(&place, diag);
    if (rc == 0)
        rc = sl_archive_unpack(path, place.directory, &archive, diag);
    if (rc == 0)
        rc = send_runs(report, client, &archive, diag);
    sl_archive_fini(&archive);
    sl_stored_runs_remove(&place, 1);
    sl_client_free(client);
    return rc;
}

int sl_import_runs(const struct sl_cli *cli, size_t count, sl_import_make_fn make, void *user,
                   struct sl_diag *diag)
{
    struct report report;
    struct sl_client *client = NULL;
    struct sl_stored_run place = {.directory = ""};
    report_begin(&report, cli);
    int rc = sl_client_open_any(cli, &client, diag);
    if (rc == 0)
        rc = sl_stored_run_directory(&place, diag);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        struct sl_archive archive = {.runs = NULL};
        rc = make(user, i, place.directory, &archive, diag);
        if (rc == 0)
            rc = send_run(&report, client, &archive.runs[0], diag);
        sl_archive_fini(&archive);
    }
    sl_stored_runs_remove(&place, 1);
    sl_client_free(client);
    report_end(&report, rc);
    return rc;
}

int sl_import_archive(const struct sl_cli *cli, const char *path, const char *folder,
                      struct sl_diag *diag)
{
    struct report report;
    report_begin(&report, cli);
    int rc = folder ? to_folder(&report, path, folder, diag) : to_daemon(&report, path, diag);
    report_end(&report, rc);
    return rc;
}
