/* host/http/api_run_import.c: POST /api/v1/runs: a run of another store, file by file. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "common/base/path.h"
#include "common/base/tree_remove.h"
#include "host/http/api.h"
#include "host/http/context.h"
#include "host/http/exchange.h"
#include "host/http/record_json.h"
#include "host/http/reply.h"
#include "host/job/lab.h"
#include "host/spec/json_doc.h"
#include "host/spec/json_read.h"
#include "host/spec/path_stem.h"
#include "host/store/row_copy.h"
#include "host/store/run_file.h"
#include "host/store/store.h"

enum { MAX_ROW_BYTES = 8192 };

/* Below the state directory: runs that are being put together. */
#define STAGING "imports"

/* From the body to the answer. */
struct importing {
    uv_work_t work;
    struct sl_http_exchange *exchange;
    char path[2 * SL_PATH_BYTES]; /* of the directory that it is put together in; "": none */
    char key[SL_SHA256_HEX_SIZE]; /* of all names and digests */
    struct sl_diag diag;
    int rc;
};

void sl_api_imports_sweep(struct sl_http *http)
{
    char path[2 * SL_PATH_BYTES];
    sl_path_join(path, sizeof(path), sl_lab_state_dir(http->lab), STAGING);
    sl_tree_remove(path);
}

/* --- off the loop: the files of the body, each a blob, linked into a directory --- */

int sl_api_imports_stage(const struct sl_http *http, char *out_path)
{
    const char *state = sl_lab_state_dir(http->lab);
    char path[2 * SL_PATH_BYTES];
    sl_path_join(path, sizeof(path), state, STAGING);
    if (mkdir(path, 0700) < 0 && errno != EEXIST)
        return -errno;
    sl_path_join(path, sizeof(path), state, STAGING "/XXXXXX");
    if (!mkdtemp(path))
        return -errno;
    memcpy(out_path, path, sizeof(path));
    return 0;
}

static void link_file(struct importing *importing, const struct sl_json_at *file, const char *name,
                      const char *sha256)
{
    const struct sl_blobs *blobs = &importing->exchange->http->blobs;
    char from[SL_PATH_BYTES], to[2 * SL_PATH_BYTES + SL_RUN_FILE_PATH_BYTES];
    uint64_t bytes;
    int rc = sl_blobs_touch(blobs, sha256, &bytes);
    if (rc == SL_E_NOT_FOUND) {
        sl_json_hint(file, "PUT it to /api/v1/blobs/%s first", sha256);
        sl_json_refuse(file, "The file %.12s... is not here", sha256);
        return;
    }
    if (rc == 0)
        rc = sl_blobs_path(blobs, sha256, from);
    if (rc == 0) {
        sl_path_join(to, sizeof(to), importing->path, "%s", name);
        rc = sl_run_file_make_folders(to, strlen(importing->path) + 1);
    }
    if (rc == 0 && link(from, to) < 0)
        rc = -errno;
    if (rc == -EEXIST || rc == -ENOTDIR)
        sl_json_refuse(file, "'%.200s' is there twice", name);
    else
        sl_json_stop(file, rc);
}

static void take_file(struct importing *importing, const struct sl_json_at *file,
                      struct sl_sha256 *sum)
{
    static const char *const keys[] = {"path", "sha256"};
    enum { MOST_FOLDERS = 2 }; /* as many levels as sl_run_file_list() looks at */
    struct sl_json_at path = sl_json_member(file, keys[0]), digest = sl_json_member(file, keys[1]);
    sl_json_need_object(file, keys, 2, 2);
    const char *name = sl_json_get_text(path), *sha256 = sl_json_get_text(digest);
    if (file->reader->error < 0)
        return;
    size_t folders = 0;
    for (const char *at = name; (at = strchr(at, '/')) != NULL; at++)
        folders++;
    if (!sl_path_is_below(name) || strlen(name) >= SL_RUN_FILE_PATH_BYTES || folders > MOST_FOLDERS)
        sl_json_refuse(&path, "This is no path of a run's file");
    else if (!sl_blobs_name_ok(sha256))
        sl_json_refuse(&digest, "This is no SHA-256 of 64 lower-case digits");
    else
        link_file(importing, file, name, sha256);
    sl_sha256_update(sum, name, strlen(name) + 1);
    sl_sha256_update(sum, sha256, strlen(sha256) + 1);
}

static void take_files(struct importing *importing, const struct cJSON *document)
{
    static const char *const keys[] = {"files"};
    struct sl_json_reader reader = {.diag = &importing->diag};
    struct sl_json_at root = sl_json_root(&reader, document);
    struct sl_json_at files = sl_json_member(&root, keys[0]);
    struct sl_sha256 sum;
    sl_sha256_init(&sum);
    sl_json_need_object(&root, keys, 1, 1);
    sl_json_need_array(&files, SL_RUN_FILES_MAX, "files");
    if (reader.error == 0)
        sl_json_stop(&root, sl_api_imports_stage(importing->exchange->http, importing->path));
    for (struct sl_json_at file = sl_json_first(&files); sl_json_more(&file); sl_json_next(&file))
        take_file(importing, &file, &sum);
    sl_sha256_final_hex(&sum, importing->key);
    importing->rc = reader.error;
}

static void do_import(uv_work_t *work)
{
    struct importing *importing = work->data;
    struct cJSON *document = NULL;
    importing->rc = sl_http_body_json(importing->exchange, &document, &importing->diag);
    if (importing->rc == 0)
        take_files(importing, document);
    sl_json_doc_free(document);
}

/* --- on the loop --- */

static void do_clean(uv_work_t *work)
{
    struct importing *importing = work->data;
    sl_tree_remove(importing->path);
}

static void after_clean(uv_work_t *work, int status)
{
    (void)status;
    sl_free(work->data);
}

/* Removes the directory unless it has become a run. */
static void end(struct importing *importing, bool moved)
{
    uv_loop_t *loop = importing->exchange->http->loop;
    if (!importing->path[0] || moved ||
        uv_queue_work(loop, &importing->work, do_clean, after_clean) < 0)
        sl_free(importing);
}

static void refuse(struct importing *importing, int rc)
{
    struct sl_http_exchange *exchange = importing->exchange;
    struct sl_diag diag = importing->diag;
    end(importing, false);
    if (!sl_http_exchange_settle(exchange))
        return;
    if (rc == SL_E_MISMATCH)
        sl_http_problem(exchange, 422, "no-rows", "export the run again where it was measured",
                        "the run has no " SL_ROW_COPY ", or it is damaged");
    else
        sl_http_problem_of(exchange, rc, &diag);
}

static void answer(struct sl_http_exchange *exchange, int rc, const struct sl_run_record *rows,
                   size_t count, int status)
{
    struct sl_http_json text;
    if (!sl_http_reply_due(exchange, rc == 0 && count != 1 ? SL_E_NOT_FOUND : rc))
        return;
    sl_http_reply_header(exchange, "location", "/api/v1/runs/%" PRIu64, rows[0].id);
    sl_http_json_begin(&text, MAX_ROW_BYTES);
    sl_json_of_run(&text.json, NULL, &rows[0]);
    sl_http_reply_json(exchange, status, &text);
}

static void on_new(void *user, int rc, const struct sl_run_record *rows, size_t count,
                   uint64_t next_cursor)
{
    (void)next_cursor;
    answer(user, rc, rows, count, 201);
}

static void on_known(void *user, int rc, const struct sl_run_record *rows, size_t count,
                     uint64_t next_cursor)
{
    (void)next_cursor;
    answer(user, rc, rows, count, 200);
}

static void on_stored(void *user, int rc, uint64_t run)
{
    struct importing *importing = user;
    struct sl_http_exchange *exchange = importing->exchange;
    const struct sl_runs_filter filter = {.limit = 1, .id = run};
    if (rc < 0) {
        refuse(importing, rc);
        return;
    }
    end(importing, rc == 0);
    rc = sl_store_list_runs(sl_lab_store(exchange->http->lab), &filter, rc == 0 ? on_new : on_known,
                            exchange);
    if (rc < 0 && sl_http_exchange_settle(exchange))
        sl_http_problem_of(exchange, rc, NULL);
}

static void after_import(uv_work_t *work, int status)
{
    struct importing *importing = work->data;
    struct sl_http_exchange *exchange = importing->exchange;
    int rc = status < 0 ? status : importing->rc;
    const char *staged = importing->path + strlen(importing->path) - strlen(STAGING "/XXXXXX");
    if (rc == 0)
        rc = sl_store_import_run(sl_lab_store(exchange->http->lab), staged, importing->key,
                                 exchange->who.name, on_stored, importing);
    if (rc < 0)
        refuse(importing, rc);
}

void sl_api_run_post(struct sl_http_exchange *exchange)
{
    struct importing *importing = sl_calloc(1, sizeof(*importing));
    if (!importing) {
        sl_http_problem_of(exchange, -ENOMEM, NULL);
        return;
    }
    importing->exchange = exchange;
    importing->work.data = importing;
    sl_http_exchange_owe(exchange);
    int rc = uv_queue_work(exchange->http->loop, &importing->work, do_import, after_import);
    if (rc < 0)
        refuse(importing, rc);
}
