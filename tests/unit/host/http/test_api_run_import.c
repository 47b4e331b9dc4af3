/* tests/unit/host/http/test_api_run_import.c: a run that is put together of blobs. */
#include <string.h>

#include "common/base/buf.h"
#include "common/base/digest.h"
#include "common/base/path.h"
#include "host/store/row_copy.h"
#include "tests/support/http_case.h"
#include "tests/support/unit.h"

#define CURL(bench, ...) sl_http_case_curl(bench, false, __VA_ARGS__, (char *)NULL)
#define ABSENT "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define RUN "runs/2026-11-23/000000.100-1"

static struct sl_http_case bench;
static bool answered;

static int close_case(void **state)
{
    *state = NULL;
    sl_http_case_close(&bench);
    return 0;
}

static int open_case(void **state)
{
    *state = &bench;
    sl_http_case_open(&bench, 0, 0);
    return 0;
}

static void on_id(void *user, int rc, uint64_t id)
{
    (void)user, (void)id;
    assert_int_equal(rc, 0);
    answered = true;
}

static bool is_answered(void)
{
    return answered;
}

/* The copy of the rows of a run that the store itself wrote, as one of another store, whose model
 * is "theirs"; as a blob, with its name. */
static void put_rows(char sha256[SL_SHA256_HEX_SIZE])
{
    const struct sl_job_record job = {.state = SL_JOB_DONE, .submitted_ms = 1795392000000};
    struct sl_run_record run = {.job = 1, .started_ms = 1795392000100, .device_kind = 3};
    char path[512], command[600], blob[600], url[128];
    struct sl_buf rows;
    snprintf(path, sizeof(path), "%s/" RUN "/streams", bench.folder);
    snprintf(command, sizeof(command), "mkdir -p %s", path);
    assert_int_equal(system(command), 0);
    snprintf(run.model, sizeof(run.model), "net");
    snprintf(run.directory, sizeof(run.directory), RUN);
    answered = false;
    assert_int_equal(sl_store_add_job(bench.store, &job, "{}", NULL, 0, on_id, NULL), 0);
    assert_true(sl_http_case_until(&bench, is_answered));
    answered = false;
    assert_int_equal(sl_store_add_run(bench.store, &run, on_id, NULL), 0);
    assert_true(sl_http_case_until(&bench, is_answered));
    sl_path_join(path, sizeof(path), bench.folder, RUN "/" SL_ROW_COPY);
    snprintf(command, sizeof(command), "sed -i 's/\"net\"/\"theirs\"/' %s", path);
    assert_int_equal(system(command), 0);
    assert_int_equal(sl_buf_read_file(path, SL_ROW_COPY_MAX_BYTES, &rows), 0);
    sl_sha256_hex(rows.data, rows.size, sha256);
    sl_buf_fini(&rows);
    snprintf(url, sizeof(url), "/api/v1/blobs/%s", sha256);
    snprintf(blob, sizeof(blob), "@%s", path);
    assert_int_equal(CURL(&bench, url, "-X", "PUT", "--data-binary", blob), 201);
}

static int post(const char *path, const char *sha256)
{
    char body[512];
    snprintf(body, sizeof(body), "{\"files\":[{\"path\":\"%s\",\"sha256\":\"%s\"}]}", path, sha256);
    return CURL(&bench, "/api/v1/runs", "-H", "Content-Type: application/json", "-d", body);
}

TEST_WITH(files_that_are_blobs_become_a_run_once, open_case, close_case)
{
    char rows[SL_SHA256_HEX_SIZE];
    put_rows(rows);
    assert_int_equal(post(SL_ROW_COPY, rows), 201);
    assert_non_null(strstr(bench.output, "location: /api/v1/runs/2\r\n"));
    assert_non_null(strstr(bench.body, "\"model\":\"theirs\""));
    assert_int_equal(post(SL_ROW_COPY, rows), 200);
    assert_non_null(strstr(bench.body, "\"id\":2,"));
    assert_int_equal(CURL(&bench, "/api/v1/runs/2/files"), 200);
    assert_non_null(strstr(bench.body, SL_ROW_COPY));
}

TEST_WITH(files_that_are_no_run_are_refused_with_their_place, open_case, close_case)
{
    char rows[SL_SHA256_HEX_SIZE];
    put_rows(rows);
    assert_int_equal(post("a.txt", rows), 422);
    assert_non_null(strstr(bench.body, SL_ROW_COPY));
    assert_int_equal(post("../" SL_ROW_COPY, rows), 422);
    assert_non_null(strstr(bench.body, "/files/0/path"));
    assert_int_equal(post("a/b/c/d", rows), 422);
    assert_int_equal(post(SL_ROW_COPY, "abc"), 422);
    assert_non_null(strstr(bench.body, "/files/0/sha256"));
    assert_int_equal(post(SL_ROW_COPY, ABSENT), 422);
    assert_non_null(strstr(bench.body, "is not here"));
    assert_int_equal(
        CURL(&bench, "/api/v1/runs", "-H", "Content-Type: application/json", "-d", "{}"), 422);
    assert_int_equal(CURL(&bench, "/api/v1/runs/2"), 404);
}
