/* tests/unit/host/http/test_server.c: the server as its clients see it: routes, answers, limits. */
#include <inttypes.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "host/http/coding.h"
#include "host/http/context.h"
#include "host/http/listener.h"
#include "host/job/lab_open.h"
#include "host/job/queue.h"
#include "tests/support/http_case.h"
#include "tests/support/unit.h"

#define JSON "-H", "Content-Type: application/json"
#define CURL(bench, ...) sl_http_case_curl(bench, false, __VA_ARGS__, (char *)NULL)
#define CURL_TCP(bench, ...) sl_http_case_curl(bench, true, __VA_ARGS__, (char *)NULL)

static struct sl_http_case bench;

static int open_case(void **state)
{
    (void)state;
    sl_http_case_open(&bench, 0, 0);
    return 0;
}

static int open_small_case(void **state)
{
    (void)state;
    sl_http_case_open(&bench, 1 << 20, 1);
    return 0;
}

static int close_case(void **state)
{
    (void)state;
    sl_http_case_close(&bench);
    return 0;
}

static bool has(const char *text)
{
    return strstr(bench.output, text) != NULL;
}

#define CASE(name) TEST_WITH(name, open_case, close_case)

CASE(health_description_and_metrics_are_served)
{
    assert_int_equal(CURL(&bench, "/healthz"), 200);
    assert_true(has("\"alive\""));
    assert_int_equal(CURL(&bench, "/readyz"), 200);
    assert_int_equal(CURL(&bench, "/api/v1/openapi.yaml"), 200);
    assert_int_equal(strncmp(bench.body, "openapi: 3.1", 12), 0);
    assert_int_equal(CURL(&bench, "/metrics"), 200);
    assert_true(has("application/openmetrics-text"));
    assert_true(has("sme2lab_devices{state=\"ready\"} 2\n"));
    assert_true(has("sme2lab_devices{state=\"no-permissions\"} 0\n"));
    assert_true(has("sme2lab_device_recovery_steps_total{step=\"quarantine\"} 0\n"));
    assert_true(has("sme2lab_http_requests_total{status=\"2xx\"} 3\n"));
    assert_string_equal(bench.output + bench.output_size - 6, "# EOF\n");
    assert_int_equal(CURL(&bench, "/healthz", "-I"), 200);
    assert_string_equal(bench.body, "");
}

CASE(what_is_not_there_is_a_problem_document)
{
    assert_int_equal(CURL(&bench, "/nowhere"), 404);
    assert_true(has("application/problem+json"));
    assert_true(has("\"type\":\"urn:sme2lab:problem:not-found\""));
    assert_true(has("\"title\":\"Not Found\"") && has("\"status\":404") && has("\"detail\":"));
    assert_int_equal(CURL(&bench, "/api/v1/jobs", "-X", "DELETE"), 405);
    assert_true(has("allow: ") && has("POST"));
    assert_int_equal(CURL(&bench, "/api/v1/jobs", "-X", "OPTIONS"), 405);
    assert_int_equal(CURL(&bench, "/api/v1/jobs/77"), 404);
    assert_int_equal(CURL(&bench, "/api/v1/jobs/x"), 404);
    assert_int_equal(CURL(&bench, "/api/v1/runs/77/etdump"), 404);
    assert_int_equal(CURL(&bench, "/api/v1/jobs?state=odd"), 400);
    assert_int_equal(CURL(&bench, "/api/v1/jobs?limit=0"), 400);
    assert_int_equal(CURL(&bench, "/api/v1/jobs?limit="), 400);
    assert_int_equal(CURL(&bench, "/api/v1/jobs?cursor"), 400);
    assert_int_equal(CURL(&bench, "/api/v1/jobs?state="), 400);
    assert_int_equal(CURL(&bench, "/api/v1/runs?since="), 400);
    assert_int_equal(CURL(&bench, "/api/v1/jobs?cursor=-1"), 400);
}

CASE(a_job_is_submitted_found_listed_and_cancelled)
{
    for (int i = 0; i < 2; i++) { /* the second time by the same key: the same job */
        assert_int_equal(CURL(&bench, "/api/v1/jobs", JSON, "-H", "Idempotency-Key: k1", "-d",
                              "{\"model\":\"" SL_HTTP_CASE_MODEL
                              "\",\"device\":\"box\",\"priority\":3}"),
                         201);
        assert_true(has("location: /api/v1/jobs/1\r\n"));
        assert_string_equal(bench.body, "{\"id\":1}");
    }
    assert_int_equal(CURL(&bench, "/api/v1/jobs", JSON, "-H", "Idempotency-Key: k1", "-d",
                          "{\"model\":\"" SL_HTTP_CASE_MODEL
                          "\",\"device\":\"box\",\"priority\":4}"),
                     409);
    assert_true(has("application/problem+json") && has("another body"));
    assert_int_equal(bench.started_job, 1);
    assert_int_equal(CURL(&bench, "/api/v1/jobs", JSON, "-d",
                          "{\"model\":\"" SL_HTTP_CASE_MODEL "\",\"device\":\"box\"}"),
                     201);
    assert_int_equal(CURL(&bench, "/api/v1/jobs/1"), 200);
    assert_true(has("\"state\":\"running\"") && has("\"device\":\"box\"") &&
                has("\"priority\":3") && has("\"config\":{\"model\":\"" SL_HTTP_CASE_MODEL "\""));
    assert_int_equal(CURL(&bench, "/api/v1/jobs?limit=1"), 200);
    assert_true(has("\"id\":2") && !has("\"id\":1,") && has("\"next_cursor\":"));
    assert_int_equal(CURL(&bench, "/api/v1/jobs?state=done"), 200);
    assert_string_equal(bench.body, "{\"jobs\":[],\"next_cursor\":null}");
    assert_int_equal(CURL(&bench, "/api/v1/jobs/2", "-X", "DELETE"), 200);
    assert_int_equal(CURL(&bench, "/api/v1/jobs/2"), 200);
    assert_true(has("\"state\":\"cancelled\""));
    assert_int_equal(CURL(&bench, "/api/v1/jobs/1", "-X", "DELETE"), 200);
    assert_int_equal(bench.cancelled, 1);
}

static uint64_t submit(const char *key, const char *body)
{
    char header[64];
    snprintf(header, sizeof(header), "Idempotency-Key: %s", key);
    int status = CURL(&bench, "/api/v1/jobs", JSON, "-H", header, "-d", body);
    return status == 201 ? strtoull(strstr(bench.body, ":") + 1, NULL, 10) : 0;
}

static bool job_1_has_ended(void)
{
    return !sl_lab_job(bench.lab, 1);
}

CASE(a_key_that_comes_again_answers_the_id_whatever_became_of_the_job)
{
    static const char body[] = "{\"model\":\"" SL_HTTP_CASE_MODEL "\",\"device\":\"box\"}";
    assert_int_equal(submit("a", body), 1);
    assert_int_equal(submit("b", body), 2);
    assert_int_equal(CURL(&bench, "/api/v1/jobs/2", "-X", "DELETE"), 200);
    assert_int_equal(sl_lab_job_ended(bench.lab, 1, "box", SL_CAUSE_RESULT, "no", NULL), 0);
    assert_true(sl_http_case_until(&bench, job_1_has_ended));
    for (int i = 0; i < 2; i++) { /* the second time there is no such device any more */
        assert_int_equal(submit("a", body), 1);
        assert_int_equal(submit("b", body), 2);
        sl_http_case_spin(&bench, 50);
        assert_int_equal(CURL(&bench, "/api/v1/jobs/1"), 200);
        assert_true(has("\"state\":\"failed\"") && has("\"attempts\":1"));
        assert_int_equal(CURL(&bench, "/api/v1/jobs/2"), 200);
        assert_true(has("\"state\":\"cancelled\"") && has("\"attempts\":0"));
        assert_int_equal(sl_queue_count(sl_lab_queue(bench.lab), SL_JOB_QUEUED), 0);
        assert_int_equal(sl_queue_count(sl_lab_queue(bench.lab), SL_JOB_RUNNING), 0);
        assert_int_equal(sl_lab_remove_device(bench.lab, "box"), i == 0 ? 0 : SL_E_NOT_FOUND);
    }
    assert_int_equal(bench.started_job, 1);
    assert_int_equal(submit("a", "{\"model\":\"" SL_HTTP_CASE_MODEL "\"}"), 0);
    assert_int_equal(bench.status, 409);
    assert_int_equal(submit("c", body), 0);
    assert_int_equal(bench.status, 422);
}

static bool nothing_is_owed(void)
{
    return bench.http->exchanges == 0;
}

/* Longer than what is read at once. Clients that leave meanwhile disturb nobody. */
CASE(a_long_submission_is_read_off_the_loop)
{
    static const char start[] = "{\"model\":\"" SL_HTTP_CASE_MODEL "\",\"device\":\"box\"";
    static char body[200000], request[sizeof(body) + 200];
    char path[128], data[160];
    memset(body, ' ', sizeof(body));
    memcpy(body, start, strlen(start));
    body[sizeof(body) - 1] = '}';
    snprintf(path, sizeof(path), "%s/long.json", bench.folder);
    assert_int_equal(sl_buf_write_file(path, body, sizeof(body)), 0);
    snprintf(data, sizeof(data), "@%s", path);
    assert_int_equal(CURL(&bench, "/api/v1/jobs", JSON, "--data-binary", data), 201);
    int len = snprintf(request, sizeof(request),
                       "POST /api/v1/jobs HTTP/1.1\r\nHost: l\r\nContent-Type: application/json\r\n"
                       "Content-Length: %zu\r\n\r\n%.*s",
                       sizeof(body), (int)sizeof(body), body);
    for (int i = 0; i < 20; i++) {
        int fd = sl_http_case_connect(&bench);
        for (int sent = 0; sent < len;) {
            ssize_t n = send(fd, request + sent, (size_t)(len - sent), MSG_NOSIGNAL);
            sent += n > 0 ? (int)n : 0;
            uv_run(&bench.loop, UV_RUN_NOWAIT);
        }
        close(fd);
    }
    assert_true(sl_http_case_until(&bench, nothing_is_owed));
    assert_int_equal(CURL(&bench, "/api/v1/jobs?limit=200"), 200);
}

CASE(a_wrong_submission_says_what_is_wrong)
{
    assert_int_equal(CURL(&bench, "/api/v1/jobs", JSON, "-d", "{\"model\":"), 422);
    assert_int_equal(CURL(&bench, "/api/v1/jobs", JSON, "-d", "[]"), 422);
    assert_int_equal(CURL(&bench, "/api/v1/jobs", JSON, "-d", "{}"), 422);
    assert_true(has("A job needs a 'model'"));
    assert_int_equal(CURL(&bench, "/api/v1/jobs", JSON, "-d",
                          "{\"model\":\"" SL_HTTP_CASE_MODEL "\",\"device\":7}"),
                     422);
    assert_true(has("/device"));
    assert_int_equal(CURL(&bench, "/api/v1/jobs", JSON, "-d",
                          "{\"model\":\"" SL_HTTP_CASE_MODEL "\",\"device\":\"none\"}"),
                     422);
    assert_true(has("none"));
    static const char absent[] = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
    char body[128];
    snprintf(body, sizeof(body), "{\"model\":\"%s\"}", absent);
    assert_int_equal(CURL(&bench, "/api/v1/jobs", JSON, "-d", body), 422);
    assert_true(has(absent)); /* a blob that nobody has put */
    assert_int_equal(CURL(&bench, "/api/v1/jobs", "-d", "{\"model\":\"" SL_HTTP_CASE_MODEL "\"}"),
                     415);
    assert_int_equal(CURL(&bench, "/api/v1/jobs", "-X", "POST"), 411);
    assert_int_equal(CURL(&bench, "/api/v1/jobs", "-d", "", JSON), 422);
    assert_int_equal(CURL(&bench, "/api/v1/jobs", JSON, "-d",
                          "{\"model\":\"" SL_HTTP_CASE_MODEL "\",\"device\":7}", "-H",
                          "Transfer-Encoding: chunked"),
                     422);
    assert_true(has("/device"));
    assert_int_equal(CURL(&bench, "/api/v1/jobs"), 200); /* and the server lives */
}

static const char *write_file(const char *name, size_t size, char sha256[65])
{
    static char path[256];
    char *content = malloc(size);
    assert_non_null(content);
    for (size_t i = 0; i < size; i++)
        content[i] = (char)(i * 31 + i / 4096);
    sl_sha256_hex(content, size, sha256);
    snprintf(path, sizeof(path), "%s/%s", bench.folder, name);
    assert_int_equal(sl_buf_write_file(path, content, size), 0);
    free(content);
    return path;
}

CASE(a_blob_is_put_once_and_found)
{
    char sha256[65], url[128];
    const char *path = write_file("model.pte", 3 << 20, sha256);
    snprintf(url, sizeof(url), "/api/v1/blobs/%s", sha256);
    assert_int_equal(CURL(&bench, url, "-I"), 404);
    assert_int_equal(CURL(&bench, url, "-T", path), 201);
    assert_true(has("location: /api/v1/blobs/"));
    assert_int_equal(CURL(&bench, url, "-T", path), 200);
    assert_int_equal(CURL(&bench, url, "-T", path, "-H", "Expect:"), 200);
    assert_int_equal(CURL(&bench, url, "-I"), 200);
    assert_true(has("content-length: 3145728\r\n"));
    assert_int_equal(CURL(&bench, "/api/v1/blobs/abc", "-T", path), 422);
}

CASE(a_blob_in_parts_ends_whole)
{
    char sha256[65], url[128], part[300], range[64];
    const char *path = write_file("model.pte", 100000, sha256);
    snprintf(url, sizeof(url), "/api/v1/blobs/%s", sha256);
    snprintf(part, sizeof(part), "head -c 40000 %s > %s.1 && tail -c +40001 %s > %s.2", path, path,
             path, path);
    assert_int_equal(system(part), 0);
    snprintf(part, sizeof(part), "%s.1", path);
    assert_int_equal(CURL(&bench, url, "-T", part, "-H", "Content-Range: bytes 0-39999/100000"),
                     202);
    assert_true(has("upload-offset: 40000\r\n"));
    assert_int_equal(CURL(&bench, url, "-I"), 404);
    assert_true(has("upload-offset: 40000\r\n"));
    snprintf(part, sizeof(part), "%s.2", path);
    assert_int_equal(CURL(&bench, url, "-T", part, "-H", "Upload-Offset: 50000"), 409);
    assert_int_equal(CURL(&bench, url, "-T", part, "-H", "Upload-Offset: x"), 400);
    assert_int_equal(CURL(&bench, url, "-T", part, "-H", "Content-Range: bytes 5-1/100000"), 400);
    snprintf(range, sizeof(range), "Upload-Offset: %d", 40000);
    assert_int_equal(CURL(&bench, url, "-T", part, "-H", range), 201);
    assert_int_equal(CURL(&bench, url, "-I"), 200);
}

TEST_WITH(wrong_and_large_blobs_are_refused, open_small_case, close_case)
{
    char sha256[65], url[128];
    const char *path = write_file("model.pte", 5000, sha256);
    sha256[0] = sha256[0] == '0' ? '1' : '0';
    snprintf(url, sizeof(url), "/api/v1/blobs/%s", sha256);
    assert_int_equal(CURL(&bench, url, "-T", path), 422);
    assert_true(has("wrong-digest"));
    path = write_file("model.pte", 2 << 20, sha256);
    snprintf(url, sizeof(url), "/api/v1/blobs/%s", sha256);
    assert_int_equal(CURL(&bench, url, "-T", path), 413);
    assert_int_equal(CURL(&bench, "/api/v1/jobs", JSON, "--data-binary", "@/dev/null"), 422);
    char data[300];
    snprintf(data, sizeof(data), "@%s", path);
    assert_int_equal(CURL(&bench, "/api/v1/jobs", JSON, "--data-binary", data), 413);
}

static uint64_t job_before;

static bool a_job_has_started(void)
{
    return bench.started_job != job_before;
}

static bool it_has_ended(void)
{
    return !sl_lab_job(bench.lab, bench.started_job);
}

static void add_run(const char *directory)
{
    struct sl_run_record run = {.job = 1,
                                .started_ms = 10,
                                .ratio = 2.5,
                                .device_kind = SL_DEVICE_COUNTED,
                                .model = "toy",
                                .device = "box"};
    snprintf(run.directory, sizeof(run.directory), "%s", directory);
    job_before = bench.started_job;
    assert_int_equal(CURL(&bench, "/api/v1/jobs", JSON, "-d",
                          "{\"model\":\"" SL_HTTP_CASE_MODEL "\",\"device\":\"box\"}"),
                     201);
    assert_true(sl_http_case_until(&bench, a_job_has_started));
    assert_int_equal(sl_lab_job_ended(bench.lab, bench.started_job, "box", SL_CAUSE_NONE, "", &run),
                     0);
    assert_true(sl_http_case_until(&bench, it_has_ended)); /* its run is stored, the box is free */
}

CASE(a_file_comes_in_parts_and_not_again_to_who_has_it)
{
    static const char path[] = "/api/v1/runs/1/etdump";
    char command[256], tag[128] = "", line[192];
    snprintf(command, sizeof(command),
             "mkdir -p %s/runs/r1/exp && printf 0123456789 >%s/runs/r1/exp/m.etdump", bench.folder,
             bench.folder);
    assert_int_equal(system(command), 0);
    add_run("runs/r1");
    assert_int_equal(CURL(&bench, path, "-H", "Range: bytes=2-4"), 206);
    assert_string_equal(bench.body, "234");
    assert_true(has("content-range: bytes 2-4/10"));
    assert_int_equal(CURL(&bench, path, "-H", "Range: bytes=-3"), 206);
    assert_string_equal(bench.body, "789");
    assert_int_equal(CURL(&bench, path, "-H", "Range: bytes=10-"), 416);
    assert_true(has("content-range: bytes */10"));
    assert_int_equal(CURL(&bench, path, "-H", "Range: bytes=0-1,4-5"), 200);
    assert_string_equal(bench.body, "0123456789");
    assert_int_equal(CURL(&bench, path, "-I"), 200);
    const char *at = strstr(bench.output, "etag: ");
    assert_non_null(at);
    snprintf(tag, sizeof(tag), "%.*s", (int)strcspn(at + 6, "\r\n"), at + 6);
    snprintf(line, sizeof(line), "If-None-Match: \"x\", %s", tag);
    assert_int_equal(CURL(&bench, path, "-H", line), 304);
    snprintf(line, sizeof(line), "If-Range: %s", tag);
    assert_int_equal(CURL(&bench, path, "-H", line, "-H", "Range: bytes=9-"), 206);
    assert_int_equal(CURL(&bench, path, "-H", "If-Range: \"x\"", "-H", "Range: bytes=9-"), 200);
    snprintf(command, sizeof(command), "printf 0123456780 >%s/runs/r1/exp/m.etdump", bench.folder);
    assert_int_equal(system(command), 0);
    snprintf(line, sizeof(line), "If-None-Match: %s", tag);
    assert_int_equal(CURL(&bench, path, "-H", line), 200);
}

/* Asks for the same plain and in each coding, which comes out the same. */
static void compare_codings(const char *path)
{
    static const char *const accepted[] = {"Accept-Encoding: gzip", "Accept-Encoding: gzip, zstd"};
    static const char *const said[] = {"content-encoding: gzip\r\n", "content-encoding: zstd\r\n"};
    assert_int_equal(CURL(&bench, path), 200);
    assert_true(has("vary: accept-encoding\r\n") && !has("content-encoding"));
    char *plain = strdup(bench.body);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(CURL(&bench, path, "--compressed", "-H", accepted[i]), 200);
        assert_true(has(said[i]) && has("vary: accept-encoding\r\n") && !has("content-length"));
        assert_string_equal(bench.body, plain);
    }
    free(plain);
}

CASE(texts_are_packed_for_who_takes_that)
{
    static const char path[] = "/api/v1/runs/1/files/exp/m_latency.log";
    static const char gzip[] = "Accept-Encoding: gzip";
    char command[256], tag[64], line[128];
    snprintf(command, sizeof(command),
             "mkdir -p %s/runs/r1/exp && seq 1 90000 >%s/runs/r1/exp/m_latency.log", bench.folder,
             bench.folder);
    assert_int_equal(system(command), 0);
    add_run("runs/r1");
    compare_codings("/api/v1/openapi.yaml");
    compare_codings(path);
    assert_int_equal(CURL(&bench, path, "-I", "-H", gzip), 200);
    const char *at = strstr(bench.output, "etag: ");
    assert_non_null(at);
    snprintf(tag, sizeof(tag), "%.*s", (int)strcspn(at + 6, "\r\n"), at + 6);
    assert_non_null(strstr(tag, "-gzip\""));
    snprintf(line, sizeof(line), "If-None-Match: %s", tag);
    assert_int_equal(CURL(&bench, path, "-H", gzip, "-H", line), 304);
    assert_false(has("content-encoding"));
    assert_int_equal(CURL(&bench, path, "-H", line), 200); /* the plain one is another */
    assert_int_equal(CURL(&bench, path, "-H", gzip, "-H", "Range: bytes=0-1"), 206);
    assert_string_equal(bench.body, "1\n");
    assert_int_equal(CURL(&bench, path, "-H", gzip, "--http1.0"), 200);
    assert_false(has("content-encoding"));
    assert_int_equal(CURL(&bench, "/healthz", "-H", gzip), 200);
    assert_false(has("vary"));
    assert_int_equal(bench.http->packers, 0);
    bench.http->packers = SL_HTTP_MAX_PACKERS;
    assert_int_equal(CURL(&bench, path, "-H", gzip), 200);
    assert_true(has("vary: accept-encoding\r\n") && !has("content-encoding"));
    bench.http->packers = 0;
}

/* The body of a request for it, with two further words for curl. */
static void file_comes_whole(const char *path, const char *option, const char *value,
                             const char *sha256, size_t size)
{
    char to[256], got[65];
    struct sl_buf file;
    snprintf(to, sizeof(to), "%s/got", bench.folder);
    CURL(&bench, path, "-o", to, option, value);
    assert_int_equal(sl_buf_read_file(to, size + 4096, &file), 0);
    assert_in_range(file.size, size, size + 4096); /* its head is before it */
    const uint8_t *body = file.data + file.size - size;
    assert_memory_equal(body - 4, "\r\n\r\n", 4);
    sl_sha256_hex(body, size, got);
    assert_string_equal(got, sha256);
    sl_buf_fini(&file);
}

/* More than a socket has room for: the client reads it slowly, and all the same. */
CASE(a_large_file_comes_whole_in_the_clear)
{
    enum { SIZE = 5000000, FROM = 70001 };
    char sha256[65], part[65], command[300];
    struct sl_buf file;
    const char *path = write_file("m.etdump", SIZE, sha256);
    assert_int_equal(sl_buf_read_file(path, SIZE, &file), 0);
    sl_sha256_hex(file.data + FROM, SIZE - FROM, part);
    sl_buf_fini(&file);
    snprintf(command, sizeof(command), "mkdir -p %s/runs/r1 && mv %s %s/runs/r1", bench.folder,
             path, bench.folder);
    assert_int_equal(system(command), 0);
    add_run("runs/r1");
    uint64_t before = bench.http->clients.sent_bytes;
    file_comes_whole("/api/v1/runs/1/etdump", "--limit-rate", "30M", sha256, SIZE);
    assert_in_range(bench.http->clients.sent_bytes - before, SIZE, SIZE + 1000);
    file_comes_whole("/api/v1/runs/1/etdump", "-r", "70001-", part, SIZE - FROM);
    file_comes_whole("/api/v1/runs/1/files/m.etdump", "-r", "70001-", part, SIZE - FROM);
}

/* Within the moment in which the store is not asked again. */
CASE(a_run_that_was_known_is_gone_when_it_is_removed)
{
    static const char path[] = "/api/v1/runs/1/files/m.etdump";
    char command[300];
    snprintf(command, sizeof(command), "mkdir -p %s/runs/r1 && printf E >%s/runs/r1/m.etdump",
             bench.folder, bench.folder);
    assert_int_equal(system(command), 0);
    add_run("runs/r1");
    for (int again = 0; again < 2; again++) {
        assert_int_equal(CURL(&bench, path), 200);
        assert_string_equal(bench.body, "E");
    }
    assert_int_equal(CURL(&bench, "/api/v1/runs/1/files/n.etdump"), 404);
    assert_true(has("run 1 has no file n.etdump"));
    assert_int_equal(CURL(&bench, "/api/v1/runs/1x/files/m.etdump"), 404);
    assert_int_equal(CURL(&bench, "/api/v1/runs/1", "-X", "DELETE"), 204);
    assert_null(sl_known_runs_find(&bench.http->known_runs, 1, 0));
    assert_int_equal(CURL(&bench, path), 404);
}

CASE(a_runs_files_are_served_and_nothing_beside_them)
{
    char command[1024];
    snprintf(
        command, sizeof(command),
        "cd %s && mkdir -p runs/r1/exp && printf E >runs/r1/exp/m.etdump && printf '{}' "
        ">runs/r1/analysis_summary.json && printf L >runs/r1/exp/m_latency.log && printf "
        "secret >secret && ln -s ../../secret runs/r1/link && ln -s ../.. runs/r1/up && mkfifo "
        "runs/r1/pipe && mkdir runs/r2 && printf 1 >runs/r2/a.etdump && printf 2 "
        ">runs/r2/b.etdump",
        bench.folder);
    assert_int_equal(system(command), 0);
    add_run("runs/r1");
    add_run("runs/r2");
    add_run("../etc");
    assert_int_equal(CURL(&bench, "/api/v1/runs/1"), 200);
    assert_true(has("\"model\":\"toy\"") && has("\"ratio\":2.5") && !has("directory"));
    assert_int_equal(CURL(&bench, "/api/v1/runs?model=toy&device=box&since=5&limit=2"), 200);
    assert_true(has("\"id\":3") && has("\"next_cursor\":"));
    assert_int_equal(CURL(&bench, "/api/v1/runs/1/etdump"), 200);
    assert_string_equal(bench.body, "E");
    assert_int_equal(CURL(&bench, "/api/v1/runs/1/log"), 200);
    assert_string_equal(bench.body, "L");
    assert_int_equal(CURL(&bench, "/api/v1/runs/1/analysis"), 200);
    assert_true(has("application/json"));
    assert_int_equal(CURL(&bench, "/api/v1/runs/1/files"), 200);
    assert_true(has("{\"path\":\"exp/m.etdump\",\"bytes\":1}") && !has("link"));
    assert_int_equal(CURL(&bench, "/api/v1/runs/1/files/exp/m.etdump"), 200);
    assert_int_equal(CURL(&bench, "/api/v1/runs/2/etdump"), 409);
    assert_true(has("files/a.etdump"));
    static const char *const bad[] = {
        "/api/v1/runs/1/files/link",
        "/api/v1/runs/1/files/up/secret",
        "/api/v1/runs/1/files/pipe",
        "/api/v1/runs/1/files/exp",
        "/api/v1/runs/1/files/../../secret",
        "/api/v1/runs/1/files/%2e%2e/%2e%2e/secret",
        "/api/v1/runs/1/files/..%2f..%2fsecret",
        "/api/v1/runs/1/files/exp/../../../secret",
        "/api/v1/runs/1/files/exp/m.etdump%00",
        "/api/v1/runs/3/files/passwd",
        "/api/v1/runs/1/files/",
        "/api/v1/runs/1/odd",
        "/api/v1/runs/1/files/exp/m.etdump/",
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        int status = CURL(&bench, bad[i]);
        if ((status != 404 && status != 403 && status != 0) || has("secret\n"))
            fail_msg("%s gives %d %s", bad[i], status, bench.output);
        assert_null(strstr(bench.body, "secret") == bench.body ? bench.body : NULL);
    }
    add_run("runs/none"); /* whose files somebody removed */
    assert_int_equal(CURL(&bench, "/api/v1/runs/4/files"), 404);
    assert_true(has("the files of run 4 are gone"));
}

CASE(a_token_lets_in_and_its_role_says_how_far)
{
    static const char *const roles[] = {"read", "submit", "admin"};
    static const int submits[] = {403, 201, 201}, admins[] = {403, 403, 200};
    char bearer[128], body[96];
    assert_int_equal(CURL_TCP(&bench, "/healthz"), 200);
    assert_int_equal(CURL_TCP(&bench, "/api/v1/jobs"), 401);
    assert_true(has("www-authenticate: Bearer"));
    assert_int_equal(CURL_TCP(&bench, "/api/v1/jobs", "-H", "Authorization: Bearer sl_0"), 401);
    for (size_t i = 0; i < 3; i++) {
        snprintf(body, sizeof(body), "{\"name\":\"ci\",\"role\":\"%s\"}", roles[i]);
        assert_int_equal(CURL(&bench, "/api/v1/tokens", JSON, "-d", body), 201);
        snprintf(bearer, sizeof(bearer), "Authorization: Bearer %.67s", strstr(bench.body, "sl_"));
        assert_int_equal(CURL_TCP(&bench, "/api/v1/jobs", "-H", bearer), 200);
        assert_int_equal(CURL_TCP(&bench, "/api/v1/jobs", "-H", bearer, JSON, "-d",
                                  "{\"model\":\"" SL_HTTP_CASE_MODEL "\"}"),
                         submits[i]);
        assert_int_equal(CURL_TCP(&bench, "/api/v1/tokens", "-H", bearer), admins[i]);
        assert_false(has("sha256"));
    }
    assert_int_equal(CURL(&bench, "/api/v1/tokens/3", "-X", "DELETE"), 204);
    assert_int_equal(CURL_TCP(&bench, "/api/v1/jobs", "-H", bearer), 401);
    assert_int_equal(CURL(&bench, "/api/v1/tokens/3", "-X", "DELETE"), 404);
    assert_int_equal(CURL(&bench, "/api/v1/tokens", JSON, "-d", "{\"role\":\"god\"}"), 422);
}

/* The second one's job would be the first one's, whom alone it would obey. */
CASE(a_key_is_its_submitters_own)
{
    static const char job[] = "{\"model\":\"" SL_HTTP_CASE_MODEL "\",\"device\":\"box\"}";
    static const char *const names[] = {"ann", "bob"};
    char bearer[2][128], body[96], id[32];
    for (size_t i = 0; i < 2; i++) {
        snprintf(body, sizeof(body), "{\"name\":\"%s\",\"role\":\"submit\"}", names[i]);
        assert_int_equal(CURL(&bench, "/api/v1/tokens", JSON, "-d", body), 201);
        snprintf(bearer[i], sizeof(bearer[i]), "Authorization: Bearer %.67s",
                 strstr(bench.body, "sl_"));
    }
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(CURL_TCP(&bench, "/api/v1/jobs", "-H", bearer[i % 2], JSON, "-H",
                                  "Idempotency-Key: build-7", "-d", job),
                         201);
        snprintf(id, sizeof(id), "{\"id\":%zu}", i % 2 + 1);
        assert_string_equal(bench.body, id);
    }
}

CASE(a_token_without_a_role_reads_and_names_have_no_zeros)
{
    assert_int_equal(CURL(&bench, "/api/v1/tokens", JSON, "-d", "{\"name\":\"ci\"}"), 201);
    assert_true(has("\"scopes\":\"read\""));
    assert_int_equal(CURL(&bench, "/api/v1/tokens", JSON, "-d", "{\"name\":\"c\\u0000i\"}"), 422);
    assert_true(has("character 0"));
    assert_int_equal(
        CURL(&bench, "/api/v1/jobs", JSON, "-d", "{\"model\":\"m\",\"device\":\"box\\u0000y\"}"),
        422);
}

CASE(tokens_that_have_expired_make_room)
{
    static struct sl_token_record full[SL_AUTH_MAX_TOKENS];
    for (int i = 0; i < 3; i++)
        assert_int_equal(
            CURL(&bench, "/api/v1/tokens", JSON, "-d", "{\"name\":\"short\",\"expires_in_s\":1}"),
            201);
    sl_http_case_spin(&bench, 1100);
    assert_int_equal(CURL(&bench, "/api/v1/tokens", JSON, "-d", "{\"name\":\"long\"}"), 201);
    assert_int_equal(CURL(&bench, "/api/v1/tokens"), 200);
    assert_true(has("\"long\"") && !has("\"short\""));
    for (size_t i = 0; i < SL_AUTH_MAX_TOKENS; i++)
        full[i] = (struct sl_token_record){.id = 1000 + i, .role = SL_TOKEN_READ};
    assert_int_equal(sl_auth_set(&bench.http->auth, full, SL_AUTH_MAX_TOKENS), 0);
    assert_int_equal(CURL(&bench, "/api/v1/tokens", JSON, "-d", "{\"name\":\"more\"}"), 503);
    for (size_t i = 0; i < SL_AUTH_MAX_TOKENS; i++)
        full[i].expires_ms = 1;
    assert_int_equal(sl_auth_set(&bench.http->auth, full, SL_AUTH_MAX_TOKENS), 0);
    assert_int_equal(CURL(&bench, "/api/v1/tokens", JSON, "-d", "{\"name\":\"more\"}"), 201);
}

CASE(a_device_is_quarantined_and_released)
{
    assert_int_equal(CURL(&bench, "/api/v1/devices"), 200);
    assert_true(has("\"name\":\"box\",\"kind\":\"counted\",\"state\":\"ready\""));
    assert_int_equal(CURL(&bench, "/api/v1/devices/box/quarantine", "-d", ""), 200);
    assert_true(has("\"state\":\"quarantined\""));
    assert_int_equal(CURL(&bench, "/api/v1/devices/box/release", "-d", ""), 200);
    assert_true(has("\"state\":\"ready\""));
    assert_int_equal(CURL(&bench, "/api/v1/devices/box/explode", "-d", ""), 404);
    assert_int_equal(CURL(&bench, "/api/v1/devices/none/release", "-d", ""), 404);
}

CASE(the_socket_is_its_owners_alone)
{
    struct stat info;
    assert_int_equal(stat(bench.socket, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
}

static int first_free; /* descriptor, before servers that could not be made */

static bool no_descriptor_is_left_open(void)
{
    int last = dup(0);
    close(last);
    return last == first_free;
}

CASE(an_address_that_cannot_be_had_is_refused_with_words)
{
    char own[160], taken[64], file[160];
    first_free = dup(0);
    close(first_free);
    snprintf(own, sizeof(own), "unix:%s", bench.socket);
    snprintf(taken, sizeof(taken), "tcp:127.0.0.1:%d", sl_http_port(bench.http, 1));
    snprintf(file, sizeof(file), "unix:%s/precious", bench.folder);
    assert_int_equal(sl_buf_write_file(file + 5, "kept", 4), 0);
    const char *const addresses[] = {own,
                                     taken,
                                     file,
                                     "tcp:0.0.0.0:0",
                                     "tcp:1.2.3.4:80",
                                     "tcp:127.0.0.1",
                                     "tcp:127.0.0.1:70000",
                                     "unix:here",
                                     "nonsense"};
    for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
        struct sl_http_options options = {.listen = {addresses[i]}, .listen_count = 1};
        struct sl_diag diag = {0};
        struct sl_http *http = NULL;
        if (sl_http_new(&bench.loop, bench.lab, &options, &http, &diag) >= 0)
            fail_msg("%s was taken", addresses[i]);
        assert_null(http);
        assert_true(diag.what[0] && diag.where[0]);
    }
    assert_true(sl_http_case_until(&bench, no_descriptor_is_left_open));
    assert_int_equal(CURL(&bench, "/healthz"), 200); /* the first server still has its socket */
    struct sl_buf kept;
    assert_int_equal(sl_buf_read_file(file + 5, 100, &kept), 0);
    assert_string_equal((const char *)kept.data, "kept");
    sl_buf_fini(&kept);
}

static bool remote_is_closed;

static void on_remote_closed(void *user)
{
    *(bool *)user = true;
}

static bool is_remote_closed(void)
{
    return remote_is_closed;
}

CASE(addresses_beyond_loopback_are_had_by_who_allows_them)
{
    struct sl_http_options options = {
        .listen = {"tcp:0.0.0.0:0"}, .listen_count = 1, .allow_remote = true};
    struct sl_http *http = NULL;
    struct sl_diag diag = {0};
    assert_int_equal(sl_http_check_address("tcp:[::]:0", true, false, &diag), 0);
    assert_int_equal(sl_http_check_address("tcp:[::]:0", false, false, &diag), SL_E_UNSUPPORTED);
    assert_int_equal(sl_http_check_address("tcp:here:0", true, false, &diag), SL_E_FORMAT);
    assert_int_equal(sl_http_check_address("tls:[::]:0", false, true, &diag), 0);
    assert_int_equal(sl_http_check_address("tls:[::]:0", true, false, &diag), SL_E_FORMAT);
    assert_non_null(strstr(diag.what, "no certificate"));
    assert_int_equal(sl_http_new(&bench.loop, bench.lab, &options, &http, &diag), 0);
    sl_http_case_await_tokens(&bench, http);
    snprintf(bench.url, sizeof(bench.url), "http://127.0.0.1:%d", sl_http_port(http, 0));
    assert_int_equal(CURL_TCP(&bench, "/api/v1/jobs"), 401);
    sl_http_close(http, on_remote_closed, &remote_is_closed);
    assert_true(sl_http_case_until(&bench, is_remote_closed));
}
