/* tests/unit/host/http/test_live.c: streams of events, and peers that behave badly. */
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/http/context.h"
#include "host/job/lab_open.h"
#include "tests/support/http_case.h"
#include "tests/support/unit.h"

#define CURL(bench, ...) sl_http_case_curl(bench, false, __VA_ARGS__, (char *)NULL)
#define SUBMIT                                                                                     \
    CURL(&bench, "/api/v1/jobs", "-H", "Content-Type: application/json", "-d",                     \
         "{\"model\":\"" SL_HTTP_CASE_MODEL "\",\"device\":\"box\"}")
#define WATCH "GET /api/v1/jobs/1/events HTTP/1.1\r\nHost: lab\r\n"

static struct sl_http_case bench;

static int open_case(void **state)
{
    (void)state;
    sl_http_case_open(&bench, 0, 1); /* a second without progress is too long */
    return 0;
}

static int open_patient_case(void **state)
{
    (void)state;
    sl_http_case_open(&bench, 0, 0);
    return 0;
}

static int close_case(void **state)
{
    (void)state;
    sl_http_case_close(&bench);
    return 0;
}

static void progress(const char *json)
{
    assert_int_equal(sl_lab_job_progress(bench.lab, bench.started_job, "box", "progress", json), 0);
}

static bool is_started(void)
{
    return bench.started_job != 0;
}

static int watch(const char *headers)
{
    int fd = sl_http_case_connect(&bench);
    sl_http_case_send(fd, WATCH);
    sl_http_case_send(fd, headers);
    sl_http_case_send(fd, "\r\n");
    assert_int_equal(sl_http_case_await(&bench, fd, "event: job\n", SL_CASE_PATIENCE_MS), 1);
    assert_true(sl_http_case_until(&bench, is_started));
    return fd;
}

#define CASE(name) TEST_WITH(name, open_case, close_case)

CASE(events_stream_and_end_with_the_job)
{
    assert_int_equal(SUBMIT, 201);
    int fd = watch("");
    assert_non_null(strstr(bench.output, "content-type: text/event-stream\r\n"));
    assert_non_null(strstr(bench.output, "\"state\":\"running\""));
    progress("{\"pair\":1}");
    assert_int_equal(sl_http_case_await(&bench, fd, "event: progress\ndata: {\"pair\":1}\n\n",
                                        SL_CASE_PATIENCE_MS),
                     1);
    sl_http_case_spin(&bench, 1500); /* longer than the timeout: waiting for events is allowed */
    sl_lab_job_ended(bench.lab, 1, "box", SL_CAUSE_NONE, "", NULL);
    assert_int_equal(sl_http_case_await(&bench, fd, NULL, SL_CASE_PATIENCE_MS), 0);
    assert_non_null(strstr(bench.output, "event: state\n"));
    assert_non_null(strstr(bench.output, "\"state\":\"done\""));
    close(fd);
    assert_int_equal(CURL(&bench, "/api/v1/jobs/1/events"), 200); /* of one that has ended */
    assert_non_null(strstr(bench.output, "\"state\":\"done\""));
}

CASE(a_stream_resumes_after_the_last_event_it_saw)
{
    char header[64];
    assert_int_equal(SUBMIT, 201);
    int fd = watch("");
    progress("{\"pair\":1}");
    assert_int_equal(sl_http_case_await(&bench, fd, "{\"pair\":1}\n\n", SL_CASE_PATIENCE_MS), 1);
    char *id = NULL;
    for (char *at = bench.output; (at = strstr(at, "id: ")) != NULL; at += 4)
        id = at;
    assert_non_null(id);
    snprintf(header, sizeof(header), "Last-Event-ID: %llu\r\n", strtoull(id + 4, NULL, 10));
    close(fd);
    progress("{\"pair\":2}");
    progress("{\"pair\":3}");
    sl_http_case_spin(&bench, 20);
    fd = watch(header);
    assert_int_equal(sl_http_case_await(&bench, fd, "{\"pair\":3}\n\n", SL_CASE_PATIENCE_MS), 1);
    assert_non_null(strstr(bench.output, "{\"pair\":2}"));
    assert_null(strstr(bench.output, "{\"pair\":1}"));
    close(fd);
    assert_int_equal(CURL(&bench, "/api/v1/jobs/1/events", "-H", "Last-Event-ID: x"), 400);
    assert_int_equal(CURL(&bench, "/api/v1/jobs/1/events", "-H", "Last-Event-ID;"),
                     400); /* empty */
}

CASE(the_stream_of_the_lab_has_all_jobs_and_devices)
{
    int fd = sl_http_case_connect(&bench);
    sl_http_case_send(fd, "GET /api/v1/events HTTP/1.1\r\nHost: lab\r\n\r\n");
    assert_int_equal(sl_http_case_await(&bench, fd, "retry: 1000\n\n", SL_CASE_PATIENCE_MS), 1);
    assert_int_equal(SUBMIT, 201);
    assert_int_equal(
        sl_http_case_await(&bench, fd, "{\"job\":1,\"state\":\"running\"", SL_CASE_PATIENCE_MS), 1);
    assert_true(sl_http_case_until(&bench, is_started));
    progress("{\"pair\":1}");
    assert_int_equal(CURL(&bench, "/api/v1/devices/box/quarantine", "-d", ""), 200);
    progress("{}");
    assert_int_equal(sl_http_case_await(&bench, fd, "data: {\"job\":1}\n\n", SL_CASE_PATIENCE_MS),
                     1);
    assert_non_null(strstr(bench.output, "event: progress\ndata: {\"job\":1,\"pair\":1}\n\n"));
    assert_non_null(strstr(bench.output, "event: device\ndata: {\"device\":\"box\""));
    assert_null(strstr(bench.output, "missed"));
    sl_lab_job_ended(bench.lab, 1, "box", SL_CAUSE_NONE, "", NULL);
    assert_int_equal(sl_http_case_await(&bench, fd, "\"state\":\"done\"", SL_CASE_PATIENCE_MS), 1);
    assert_int_equal(CURL(&bench, "/api/v1/devices/box/release", "-d", ""), 200);
    assert_int_equal(SUBMIT, 201); /* it goes on */
    assert_int_equal(
        sl_http_case_await(&bench, fd, "{\"job\":2,\"state\":\"running\"", SL_CASE_PATIENCE_MS), 1);
    close(fd);
    /* An event of an earlier daemon: all that this one told, and a word that something is missing.
     */
    fd = sl_http_case_connect(&bench);
    sl_http_case_send(fd, "GET /api/v1/events HTTP/1.1\r\nHost: lab\r\nLast-Event-ID: 7\r\n\r\n");
    assert_int_equal(
        sl_http_case_await(&bench, fd, "{\"job\":2,\"state\":\"running\"", SL_CASE_PATIENCE_MS), 1);
    assert_true(strstr(bench.output, "event: missed\ndata: {}\n\n") <
                strstr(bench.output, "event: state\n"));
    assert_non_null(strstr(bench.output, "{\"job\":1,\"state\":\"done\""));
    close(fd);
}

static size_t watchers;

static bool one_is_cut(void)
{
    return bench.http->streams == watchers - 1;
}

CASE(a_client_that_does_not_read_is_cut_off)
{
    char json[400];
    assert_int_equal(SUBMIT, 201);
    int fd = watch("");
    watchers = 1;
    memset(json, 'x', sizeof(json));
    memcpy(json, "{\"a\":\"", 6);
    memcpy(json + sizeof(json) - 3, "\"}", 3);
    for (int i = 0; i < 3000; i++) { /* far more than the socket and the queue take */
        progress(json);
        if (i % 100 == 0)
            sl_http_case_spin(&bench, 1);
    }
    assert_true(sl_http_case_until(&bench, one_is_cut));
    assert_int_equal(CURL(&bench, "/metrics"), 200);
    assert_non_null(strstr(bench.output, "sme2lab_http_streams 0\n"));
    close(fd);
}

#define PATIENT_CASE(name) TEST_WITH(name, open_patient_case, close_case)

PATIENT_CASE(two_hundred_streams_all_hear_an_event_while_one_does_not_read)
{
    enum { STREAMS = 200 };
    int fds[STREAMS];
    char json[400];
    assert_int_equal(SUBMIT, 201);
    for (size_t i = 0; i < STREAMS; i++)
        fds[i] = watch("");
    watchers = STREAMS;
    memset(json, 'x', sizeof(json));
    memcpy(json, "{\"a\":\"", 6);
    memcpy(json + sizeof(json) - 3, "\"}", 3);
    for (int round = 0; round < 30; round++) { /* the first one reads none of them */
        char last[32];
        for (int i = 0; i < 40; i++)
            progress(json);
        snprintf(last, sizeof(last), "{\"round\":%d}", round);
        progress(last);
        for (size_t i = 1; i < STREAMS; i++) {
            bench.output_size = 0;
            assert_int_equal(sl_http_case_await(&bench, fds[i], last, SL_CASE_PATIENCE_MS), 1);
        }
    }
    assert_true(sl_http_case_until(&bench, one_is_cut));
    assert_int_equal(CURL(&bench, "/metrics"), 200);
    assert_non_null(strstr(bench.output, "sme2lab_http_streams 199\n"));
    assert_non_null(strstr(bench.output, "sme2lab_http_streams_cut_total"));
    for (size_t i = 0; i < STREAMS; i++)
        close(fds[i]);
}

static double cpu_s(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6 +
           (double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec / 1e6;
}

static void stop_loop(uv_timer_t *timer)
{
    uv_close((uv_handle_t *)timer, NULL);
    uv_stop(&bench.loop);
}

/* A loop that polls a descriptor in vain takes all of its core. */
CASE(waiting_streams_cost_nothing_even_when_their_clients_talk_or_leave)
{
    uv_timer_t timer;
    int fds[3];
    assert_int_equal(SUBMIT, 201);
    for (size_t i = 0; i < 3; i++)
        fds[i] = watch("");
    sl_http_case_send(fds[0], "GET /healthz HTTP/1.1\r\n\r\n");
    shutdown(fds[1], SHUT_WR);
    close(fds[2]);
    uv_timer_init(&bench.loop, &timer);
    uv_timer_start(&timer, stop_loop, 1000, 0);
    double before = cpu_s();
    uv_run(&bench.loop, UV_RUN_DEFAULT);
    assert_true(cpu_s() - before < 0.3);
    close(fds[0]);
    close(fds[1]);
}

CASE(one_stream_too_many_is_told_so)
{
    int fds[SL_HTTP_MAX_STREAMS];
    bench.http->places.most = SL_HTTP_MAX_CONNECTIONS;
    assert_int_equal(SUBMIT, 201);
    for (size_t i = 0; i < SL_HTTP_MAX_STREAMS; i++)
        fds[i] = watch("");
    assert_int_equal(CURL(&bench, "/api/v1/jobs/1/events"), 429);
    assert_non_null(strstr(bench.output, "retry-after: 1\r\n"));
    for (size_t i = 0; i < SL_HTTP_MAX_STREAMS; i++)
        close(fds[i]);
}

/* close_case() asserts that the loop is empty afterwards. */
CASE(the_server_closes_with_streams_and_requests_under_way)
{
    assert_int_equal(SUBMIT, 201);
    int stream = watch("");
    int half = sl_http_case_connect(&bench);
    sl_http_case_send(half, "POST /api/v1/jobs HTTP/1.1\r\nHost: l\r\nContent-Length: 50\r\n");
    int asking = sl_http_case_connect(&bench);
    sl_http_case_spin(&bench, 20);
    progress("{\"pair\":1}");
    for (int i = 0; i < 20; i++)
        sl_http_case_send(asking, "GET /api/v1/jobs HTTP/1.1\r\nHost: l\r\n\r\n");
    uv_run(&bench.loop, UV_RUN_NOWAIT);
    sl_http_case_close_http(&bench);
    assert_int_equal(sl_http_case_await(&bench, stream, NULL, SL_CASE_PATIENCE_MS), 0);
    close(stream);
    close(half);
    close(asking);
}

CASE(pipelined_requests_are_answered_in_order)
{
    int fd = sl_http_case_connect(&bench);
    for (int i = 0; i < 5; i++)
        sl_http_case_send(fd, "GET /api/v1/jobs HTTP/1.1\r\nHost: l\r\n\r\n"
                              "GET /healthz HTTP/1.1\r\nHost: l\r\n\r\n");
    sl_http_case_send(fd, "GET /last HTTP/1.1\r\nHost: l\r\n\r\n");
    assert_int_equal(sl_http_case_await(&bench, fd, "/last", SL_CASE_PATIENCE_MS), 1);
    int alive = 0;
    for (const char *at = bench.output; (at = strstr(at, "alive")) != NULL; at += 5)
        alive++;
    assert_int_equal(alive, 5);
    close(fd);
}

CASE(silent_and_broken_peers_are_closed)
{
    static const char *const peers[] = {
        "",
        "GET /healthz HTTP/1.1\r\nHost: l\r\nX-",
        "\r\n\r\n\r\n\r\n",
        "NONSENSE\r\n\r\n",
        "GET\r\n\r\n",
        "POST /api/v1/jobs HTTP/1.1\r\nHost: l\r\nContent-Type: application/json\r\n"
        "Content-Length: 100\r\n\r\n{\"mo",
        "POST /api/v1/jobs HTTP/1.1\r\nHost: l\r\nContent-Length: 12x\r\n\r\n{}",
        "POST /api/v1/jobs HTTP/1.1\r\nHost: l\r\nContent-Length: -1\r\n\r\n{}",
        "POST /api/v1/jobs HTTP/1.1\r\nHost: l\r\nContent-Length: 99999999999999999999\r\n\r\n{}",
        "POST /api/v1/jobs HTTP/1.1\r\nHost: l\r\nTransfer-Encoding: "
        "chunked\r\n\r\n2\r\n{}\r\n0\r\n",
        "GET /healthz HTTP/1.1\r\nHost: l\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n"
        "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: l\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
        "CONNECT example.org:80 HTTP/1.1\r\nHost: l\r\n\r\nhello",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    };
    int fds[sizeof(peers) / sizeof(peers[0])];
    for (size_t i = 0; i < sizeof(peers) / sizeof(peers[0]); i++) {
        fds[i] = sl_http_case_connect(&bench);
        sl_http_case_send(fds[i], peers[i]);
    }
    for (size_t i = 0; i < sizeof(peers) / sizeof(peers[0]); i++) {
        if (sl_http_case_await(&bench, fds[i], NULL, SL_CASE_PATIENCE_MS) != 0)
            fail_msg("this peer is still connected: %s", peers[i]);
        close(fds[i]);
    }
    assert_int_equal(CURL(&bench, "/api/v1/jobs"), 200);
    assert_non_null(strstr(bench.output, "\"jobs\":[]"));
}

static bool all_are_accepted(void)
{
    return bench.http->clients.count == SL_HTTP_MAX_CONNECTIONS;
}

static bool none_is_connected(void)
{
    return bench.http->clients.count == 0;
}

PATIENT_CASE(connections_that_came_and_went_leave_nothing_behind)
{
    int first = dup(0);
    close(first);
    for (int round = 0; round < 3; round++) {
        int fds[SL_HTTP_MAX_CONNECTIONS];
        for (size_t i = 0; i < SL_HTTP_MAX_CONNECTIONS; i++) {
            fds[i] = sl_http_case_connect(&bench);
            if (i % 2)
                sl_http_case_send(fds[i], "GET /api/v1/jobs HTTP/1.1\r\nHost: l\r\n\r\n");
            if (i % 8 == 0)
                sl_http_case_spin(&bench, 1);
        }
        if (round == 0) {
            assert_true(sl_http_case_until(&bench, all_are_accepted));
            assert_int_equal(CURL(&bench, "/api/v1/jobs"), 200); /* nobody is busy */
        }
        for (size_t i = 0; i < SL_HTTP_MAX_CONNECTIONS; i++)
            close(fds[i]);
        assert_true(sl_http_case_until(&bench, none_is_connected));
    }
    assert_int_equal(CURL(&bench, "/metrics"), 200);
    assert_non_null(strstr(bench.output, "sme2lab_http_connections 1\n"));
    assert_true(sl_http_case_until(&bench, none_is_connected));
    int last = dup(0);
    close(last);
    assert_int_equal(last, first); /* no descriptor is left open */
}

CASE(headers_without_end_are_refused)
{
    int fd = sl_http_case_connect(&bench);
    sl_http_case_send(fd, "GET /healthz HTTP/1.1\r\nHost: l\r\n");
    for (int i = 0; i < 2000; i++) {
        if (send(fd, "X-Pad: 0123456789012345678901234567890123456789\r\n", 49, MSG_NOSIGNAL) < 0)
            break;
        uv_run(&bench.loop, UV_RUN_NOWAIT);
    }
    assert_int_not_equal(sl_http_case_await(&bench, fd, "alive", 3000), 1);
    close(fd);
    assert_int_equal(CURL(&bench, "/healthz"), 200);
}

static void keep_busy(uv_work_t *work)
{
    (void)work;
    sleep(3);
}

/* The peer has sent all of it; how long the answer takes is not its doing. */
CASE(a_request_that_has_come_whole_waits_for_its_answer)
{
    static uv_work_t busy[4]; /* as many as libuv works at a time */
    static char request[8192];
    int head = snprintf(request, sizeof(request),
                        "POST /api/v1/jobs HTTP/1.1\r\nHost: l\r\nContent-Type: "
                        "application/json\r\nContent-Length: 6000\r\n\r\n");
    memset(request + head, ' ', 6000);
    int len =
        snprintf(request + head, 200, "{\"model\":\"" SL_HTTP_CASE_MODEL "\",\"device\":\"box\"");
    request[head + len] = ' ';
    request[head + 5999] = '}';
    request[head + 6000] = '\0';
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(uv_queue_work(&bench.loop, &busy[i], keep_busy, NULL), 0);
    int fd = sl_http_case_connect(&bench);
    sl_http_case_send(fd, request);
    assert_int_equal(sl_http_case_await(&bench, fd, "HTTP/1.1 201", SL_CASE_PATIENCE_MS), 1);
    close(fd);
}
