/* tests/unit/host/peer/test_fetch.c */
#include "host/peer/fetch.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/digest.h"
#include "common/base/error.h"
#include "host/job/keeper.h"
#include "host/peer/call.h"
#include "host/store/blobs.h"
#include "tests/support/http_case.h"
#include "tests/support/peer_case.h"

#define CURL(...) sl_http_case_curl(&bench, false, __VA_ARGS__, (char *)NULL)

static struct sl_http_case bench;
static struct peer_case peer;
static struct sl_peer_calls *calls;
static struct sl_blob_fetch *fetch;
static unsigned started, cancelled;
static bool closed;
static uint32_t lease_ms = 30000;
static char sha256[SL_SHA256_HEX_SIZE];

static void on_start(void *user, const struct sl_job_record *job, const char *config_json,
                     const struct sl_device_record *device)
{
    (void)user, (void)device;
    assert_int_equal(job->state, SL_JOB_RUNNING);
    assert_non_null(strstr(config_json, "model"));
    started++;
}

static void on_cancel(void *user, uint64_t job, const char *device)
{
    (void)user, (void)job, (void)device;
    cancelled++;
}

static void begin(const char *answer)
{
    started = cancelled = 0;
    sl_sha256_hex("weights", 7, sha256);
    peer_case_open(&peer, answer);
    sl_http_case_open_beside(&bench, peer.url);
    assert_int_equal(sl_peer_calls_new(&bench.loop, "sl_secret", NULL, &calls), 0);
    const struct sl_blob_fetch_setup setup = {.calls = calls,
                                              .inner = {.start = on_start, .cancel = on_cancel},
                                              .state_dir = bench.folder,
                                              .max_bytes = 100,
                                              .lease_ms = lease_ms};
    assert_int_equal(sl_blob_fetch_new(&bench.loop, &setup, &fetch), 0);
    sl_blob_fetch_serve(fetch, bench.lab, NULL);
}

static void on_closed(void *user)
{
    (void)user;
    closed = true;
}

static bool is_closed(void)
{
    return closed;
}

/* The rest, after the fetch. */
static void end_closed(void)
{
    assert_true(sl_http_case_until(&bench, is_closed));
    closed = false;
    sl_peer_calls_close(calls, on_closed, NULL);
    assert_true(sl_http_case_until(&bench, is_closed));
    sl_http_case_close(&bench);
    peer_case_close(&peer);
}

static void end(void)
{
    closed = false;
    sl_blob_fetch_close(fetch, on_closed, NULL);
    end_closed();
}

static bool has_begun(void)
{
    return bench.started_job != 0;
}

/* A job that the lab began on its device; its configuration names that model. */
static void start(const char *model)
{
    static const char body[] = "{\"model\":\"" SL_HTTP_CASE_MODEL "\",\"device\":\"box\"}";
    struct sl_device_record device = {.name = "box"};
    char config[256];
    assert_int_equal(CURL("/api/v1/jobs", "-H", "content-type: application/json", "-d", body), 201);
    assert_true(sl_http_case_until(&bench, has_begun));
    snprintf(config, sizeof(config), "{\"model\":\"%s\",\"device\":\"box\"}", model);
    struct sl_runner runner = sl_blob_fetch_runner(fetch);
    runner.start(runner.user, sl_lab_job(bench.lab, bench.started_job), config, &device);
}

static bool is_started(void)
{
    return started > 0;
}

static bool is_there(void)
{
    char path[192];
    snprintf(path, sizeof(path), "%s/blobs/%s", bench.folder, sha256);
    return access(path, F_OK) == 0;
}

TEST(a_file_comes_from_the_host_that_has_it_before_the_job_begins)
{
    begin("HTTP/1.1 200 OK\r\ncontent-length: 7\r\nconnection: close\r\n\r\nweights");
    start(sha256);
    assert_int_equal(started, 0);
    assert_true(sl_http_case_until(&bench, is_started));
    assert_true(is_there());
    assert_non_null(strstr(peer.request, sha256));
    assert_int_equal(sl_peer_counts(calls)->fetched, 1);
    assert_int_equal(sl_peer_counts(calls)->fetched_bytes, 7);
    end();
}

TEST(a_job_whose_files_are_here_begins_at_once)
{
    begin("HTTP/1.1 500 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    start(SL_HTTP_CASE_MODEL);
    assert_int_equal(started, 1);
    assert_int_equal(peer.requests, 0);
    end();
}

TEST(bytes_that_are_not_the_files_are_not_kept_and_the_job_begins_without_it_at_last)
{
    begin("HTTP/1.1 200 OK\r\ncontent-length: 7\r\nconnection: close\r\n\r\nforgery");
    start(sha256);
    assert_true(sl_http_case_until(&bench, is_started));
    assert_false(is_there());
    assert_int_equal(sl_peer_counts(calls)->missing, 1);
    assert_int_equal(peer.requests, SL_BLOB_FETCH_ROUNDS);
    end();
}

TEST(a_file_that_is_too_long_is_not_taken)
{
    static char answer[400];
    snprintf(answer, sizeof(answer),
             "HTTP/1.1 200 OK\r\ncontent-length: 200\r\nconnection: close\r\n\r\n%0200d", 0);
    begin(answer);
    start(sha256);
    assert_true(sl_http_case_until(&bench, is_started));
    assert_int_equal(sl_peer_counts(calls)->fetched, 0);
    end();
}

static bool has_ended(void)
{
    return !sl_lab_job(bench.lab, bench.started_job);
}

TEST(a_job_that_is_cancelled_meanwhile_ends_and_does_not_begin)
{
    begin("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    start(sha256);
    struct sl_runner runner = sl_blob_fetch_runner(fetch);
    runner.cancel(runner.user, bench.started_job, "box");
    assert_true(sl_http_case_until(&bench, has_ended));
    assert_int_equal(started + cancelled, 0);
    end();
}

TEST(a_close_drops_jobs_whose_files_are_under_way)
{
    begin("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    start(sha256);
    end();
    assert_int_equal(started, 0);
}

TEST(a_close_asks_the_inner_runner_nothing_more)
{
    begin("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    start(SL_HTTP_CASE_MODEL);
    assert_int_equal(started, 1);
    closed = false;
    sl_blob_fetch_close(fetch, on_closed, NULL);
    const struct sl_device_record device = {.name = "box"};
    struct sl_runner runner = sl_blob_fetch_runner(fetch);
    runner.start(runner.user, sl_lab_job(bench.lab, bench.started_job), "{}", &device);
    runner.cancel(runner.user, bench.started_job, "box");
    assert_int_equal(started, 1);
    assert_int_equal(cancelled, 0);
    end_closed();
}

static bool is_asked_often(void)
{
    return peer.requests > SL_BLOB_FETCH_ROUNDS;
}

TEST(a_host_that_cannot_answer_is_asked_until_it_can)
{
    static char answer[] =
        "HTTP/1.1 401 No\r\ncontent-length: 7\r\nconnection: close\r\n\r\nweights";
    begin(answer);
    start(sha256);
    assert_true(sl_http_case_until(&bench, is_asked_often));
    assert_int_equal(started, 0);
    memcpy(answer + 9, "200", 3);
    assert_true(sl_http_case_until(&bench, is_started));
    assert_true(is_there());
    assert_int_equal(sl_peer_counts(calls)->missing, 0);
    end();
}

/* The hosts are asked for no longer than the rounds take. */
static void begin_without_patience(const char *answer)
{
    lease_ms = 1;
    begin(answer);
    lease_ms = 30000;
}

TEST(a_host_that_can_never_answer_is_not_asked_for_ever)
{
    begin_without_patience("HTTP/1.1 503 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    start(sha256);
    assert_true(sl_http_case_until(&bench, is_started));
    assert_int_equal(sl_peer_counts(calls)->missing, 1);
    end();
}

static const char weights[] =
    "HTTP/1.1 200 OK\r\ncontent-length: 7\r\nconnection: close\r\n\r\nweights";

TEST(a_file_whose_upload_stands_still_holds_no_device_for_ever)
{
    struct sl_blob_upload *upload = NULL;
    struct sl_diag diag = {0};
    struct sl_blobs blobs;
    begin_without_patience(weights);
    assert_int_equal(sl_blobs_init(&blobs, bench.folder, &diag), 0);
    assert_int_equal(sl_blob_upload_new(&blobs, sha256, 0, 100, &upload), 0);
    start(sha256);
    assert_true(sl_http_case_until(&bench, is_started));
    assert_false(is_there());
    sl_blob_upload_free(upload);
    end();
}

TEST(a_file_for_which_there_is_no_room_is_not_taken)
{
    struct sl_keeper *keeper = NULL;
    begin_without_patience(weights);
    const struct sl_keeper_options options = {.store = bench.store,
                                              .state_dir = bench.folder,
                                              .limits = {0, UINT64_C(1) << 62},
                                              .every_seconds = 3600};
    assert_int_equal(sl_keeper_new(&bench.loop, &options, &keeper), 0);
    sl_blob_fetch_serve(fetch, bench.lab, keeper);
    start(sha256);
    assert_true(sl_http_case_until(&bench, is_started));
    assert_int_equal(sl_peer_counts(calls)->fetched, 0);
    assert_true(peer.requests > 0);
    closed = false;
    sl_keeper_close(keeper, on_closed, NULL);
    assert_true(sl_http_case_until(&bench, is_closed));
    end();
}

static void on_no_head(void *user, int status)
{
    (void)user, (void)status;
}

static bool on_no_body(void *user, const void *bytes, size_t len)
{
    (void)user, (void)bytes, (void)len;
    return true;
}

static void on_no_end(void *user, int rc, const char *why)
{
    (void)user, (void)rc, (void)why;
}

static uint64_t loop_end_ms;

static bool is_time(void)
{
    return uv_now(&bench.loop) >= loop_end_ms;
}

TEST(a_host_that_there_is_no_call_for_counts_as_not_asked)
{
    static const struct sl_peer_call_events none = {on_no_head, on_no_body, on_no_end};
    struct sl_peer_call *all[SL_PEER_MAX_CALLS];
    struct peer_case silent;
    begin(weights);
    peer_case_open(&silent, NULL);
    const struct sl_peer_request request = {.url = silent.url, .path = "/", .ours = true};
    for (int i = 0; i < SL_PEER_MAX_CALLS; i++)
        assert_int_equal(sl_peer_call_start(calls, &request, &none, NULL, &all[i]), 0);
    start(sha256);
    loop_end_ms = uv_now(&bench.loop) + (SL_BLOB_FETCH_ROUNDS + 1) * SL_BLOB_FETCH_PAUSE_MS;
    assert_true(sl_http_case_until(&bench, is_time));
    assert_int_equal(started + peer.requests, 0);
    for (int i = 0; i < SL_PEER_MAX_CALLS; i++)
        sl_peer_call_stop(all[i]);
    assert_true(sl_http_case_until(&bench, is_started));
    assert_true(is_there());
    end();
    peer_case_close(&silent);
}

TEST(a_job_that_began_anew_elsewhere_is_not_begun_here)
{
    begin(weights);
    start(SL_HTTP_CASE_MODEL);
    struct sl_job_record earlier = *sl_lab_job(bench.lab, bench.started_job);
    struct sl_runner runner = sl_blob_fetch_runner(fetch);
    const struct sl_device_record device = {.name = "box"};
    char config[256];
    earlier.attempts--;
    snprintf(config, sizeof(config), "{\"model\":\"%s\",\"device\":\"box\"}", sha256);
    started = 0;
    runner.start(runner.user, &earlier, config, &device);
    assert_true(sl_http_case_until(&bench, is_there));
    loop_end_ms = uv_now(&bench.loop) + SL_BLOB_FETCH_PAUSE_MS;
    assert_true(sl_http_case_until(&bench, is_time));
    assert_int_equal(started, 0);
    end();
}
