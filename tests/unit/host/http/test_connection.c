/* tests/unit/host/http/test_connection.c: more clients than there is room for, and slow ones. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/http/context.h"
#include "host/http/listener.h"
#include "tests/support/http_case.h"
#include "tests/support/unit.h"

#define HOST "Host: lab\r\n"
#define HEALTH "GET /healthz HTTP/1.1\r\n" HOST "\r\n"
#define HALF                                                                                       \
    "POST /api/v1/jobs HTTP/1.1\r\n" HOST "Content-Type: application/json\r\nContent-Length: "     \
    "9\r\n"
#define CURL(bench, ...) sl_http_case_curl(bench, false, __VA_ARGS__, (char *)NULL)
#define CURL_TCP(bench, ...) sl_http_case_curl(bench, true, __VA_ARGS__, (char *)NULL)

static struct sl_http_case bench;
static char bearer[128]; /* a header line with a token, without its CRLF */

static void open_with(unsigned timeout_s)
{
    sl_http_case_open(&bench, 0, timeout_s);
    assert_int_equal(CURL(&bench, "/api/v1/tokens", "-H", "Content-Type: application/json", "-d",
                          "{\"name\":\"ci\",\"role\":\"submit\"}"),
                     201);
    snprintf(bearer, sizeof(bearer), "Authorization: Bearer %.67s", strstr(bench.body, "sl_"));
}

static int open_case(void **state)
{
    (void)state;
    open_with(0);
    return 0;
}

static int open_short_case(void **state)
{
    (void)state;
    open_with(1);
    return 0;
}

static int close_case(void **state)
{
    (void)state;
    sl_http_case_close(&bench);
    return 0;
}

#define CASE(name) TEST_WITH(name, open_case, close_case)
#define SHORT_CASE(name) TEST_WITH(name, open_short_case, close_case)

static int connect_tcp(const char *from)
{
    struct sockaddr_in own = {.sin_family = AF_INET}, to = {.sin_family = AF_INET};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    inet_pton(AF_INET, from, &own.sin_addr);
    inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
    to.sin_port = htons((uint16_t)sl_http_port(bench.http, 1));
    assert_int_equal(bind(fd, (const struct sockaddr *)&own, sizeof(own)), 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&to, sizeof(to)), 0);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    bench.output_size = 0;
    uv_run(&bench.loop, UV_RUN_NOWAIT);
    return fd;
}

static void assert_answer(int fd, const char *wanted)
{
    bench.output_size = 0;
    if (sl_http_case_await(&bench, fd, wanted, SL_CASE_PATIENCE_MS) != 1)
        fail_msg("no '%s' in: %s", wanted, bench.output);
}

static void close_all(const int *fds, size_t count)
{
    for (size_t i = 0; i < count; i++)
        close(fds[i]);
}

CASE(silent_connections_give_way_and_shut_nobody_out)
{
    enum { SILENT = 1000 };
    int fds[SILENT];
    int vouched = connect_tcp("127.0.0.1"); /* was there first, and asks now and then */
    sl_http_case_send(vouched, "GET /api/v1/jobs HTTP/1.1\r\n" HOST);
    sl_http_case_send(vouched, bearer);
    sl_http_case_send(vouched, "\r\n\r\n");
    assert_answer(vouched, "{\"jobs\":[]");
    for (size_t i = 0; i < SILENT; i++)
        fds[i] = connect_tcp("127.0.0.1");
    uint64_t before = uv_hrtime();
    assert_int_equal(CURL_TCP(&bench, "/healthz"), 200);
    assert_int_equal(CURL_TCP(&bench, "/api/v1/jobs", "-H", bearer), 200);
    assert_int_equal(CURL(&bench, "/api/v1/jobs"), 200);
    assert_true(uv_hrtime() - before < SL_HTTP_HEAD_S * UINT64_C(1000000000));
    assert_true(bench.http->clients.count < SILENT);
    sl_http_case_send(vouched, HEALTH);
    assert_answer(vouched, "alive");
    assert_int_equal(sl_http_case_await(&bench, fds[0], NULL, SL_CASE_PATIENCE_MS), 0);
    close_all(fds, SILENT);
    close(vouched);
}

static size_t wanted_busy, listener;

static bool so_many_are_busy(void)
{
    return bench.http->listeners[listener].busy == wanted_busy;
}

CASE(requests_beyond_the_listeners_limit_are_told_503_and_health_is_told)
{
    int fds[SL_HTTP_MAX_CONNECTIONS];
    bench.http->places.most = SL_HTTP_MAX_CONNECTIONS + 1;
    for (size_t i = 0; i < SL_HTTP_MAX_CONNECTIONS; i++) {
        fds[i] = sl_http_case_connect(&bench);
        sl_http_case_send(fds[i], HALF "\r\n{");
        uv_run(&bench.loop, UV_RUN_NOWAIT);
    }
    listener = 0;
    wanted_busy = SL_HTTP_MAX_CONNECTIONS;
    assert_true(sl_http_case_until(&bench, so_many_are_busy));
    assert_int_equal(CURL(&bench, "/api/v1/jobs"), 503);
    assert_non_null(strstr(bench.output, "retry-after: 1\r\n"));
    assert_non_null(strstr(bench.output, "urn:sme2lab:problem:busy"));
    assert_int_equal(CURL(&bench, "/healthz"), 200);
    assert_int_equal(CURL_TCP(&bench, "/api/v1/jobs", "-H", bearer), 200); /* the other listener */
    close(fds[0]);
    wanted_busy--;
    assert_true(sl_http_case_until(&bench, so_many_are_busy));
    assert_int_equal(CURL(&bench, "/api/v1/jobs"), 200);
    close_all(fds + 1, SL_HTTP_MAX_CONNECTIONS - 1);
}

CASE(requests_beyond_a_peers_limit_are_told_503_and_others_are_served)
{
    int fds[SL_HTTP_MAX_PEER_CONNECTIONS];
    bench.http->places.most = SL_HTTP_MAX_CONNECTIONS;
    for (size_t i = 0; i < SL_HTTP_MAX_PEER_CONNECTIONS; i++) {
        fds[i] = connect_tcp("127.0.0.1");
        sl_http_case_send(fds[i], HALF);
        sl_http_case_send(fds[i], bearer);
        sl_http_case_send(fds[i], "\r\n\r\n{");
        uv_run(&bench.loop, UV_RUN_NOWAIT);
    }
    listener = 1;
    wanted_busy = SL_HTTP_MAX_PEER_CONNECTIONS;
    assert_true(sl_http_case_until(&bench, so_many_are_busy));
    assert_int_equal(CURL_TCP(&bench, "/api/v1/jobs", "-H", bearer), 503);
    assert_int_equal(CURL_TCP(&bench, "/healthz"), 200);
    assert_int_equal(CURL_TCP(&bench, "/api/v1/jobs", "-H", bearer, "--interface", "127.0.0.2"),
                     200);
    assert_int_equal(CURL(&bench, "/api/v1/jobs"), 200);
    close_all(fds, SL_HTTP_MAX_PEER_CONNECTIONS);
}

CASE(a_closed_stream_of_events_frees_its_place_at_once)
{
    int fds[SL_HTTP_MAX_STREAMS];
    bench.http->places.most = SL_HTTP_MAX_CONNECTIONS;
    assert_int_equal(CURL(&bench, "/api/v1/jobs", "-H", "Content-Type: application/json", "-d",
                          "{\"model\":\"" SL_HTTP_CASE_MODEL "\",\"device\":\"box\"}"),
                     201);
    for (size_t i = 0; i < SL_HTTP_MAX_STREAMS; i++) {
        fds[i] = sl_http_case_connect(&bench);
        sl_http_case_send(fds[i], "GET /api/v1/jobs/1/events HTTP/1.1\r\n" HOST "\r\n");
        assert_answer(fds[i], "event: job\n");
    }
    assert_int_equal(CURL(&bench, "/api/v1/jobs/1/events"), 429);
    for (int i = 0; i < 3; i++) {
        close(fds[0]);
        fds[0] = sl_http_case_connect(&bench);
        sl_http_case_send(fds[0], "GET /api/v1/jobs/1/events HTTP/1.1\r\n" HOST "\r\n");
        assert_answer(fds[0], "event: job\n");
    }
    assert_int_equal(CURL_TCP(&bench, "/api/v1/jobs/1/events", "-H", bearer, "-I"),
                     200); /* of its own */
    close_all(fds, SL_HTTP_MAX_STREAMS);
}

/* The default, with the whole number at one address. */
CASE(one_client_leaves_places_to_others)
{
    static int fds[SL_HTTP_CLIENT_AT_ONCE];
    char other[128];
    assert_true(SL_HTTP_CLIENT_AT_ONCE < SL_HTTP_MAX_STREAMS);
    assert_int_equal(CURL(&bench, "/api/v1/tokens", "-H", "Content-Type: application/json", "-d",
                          "{\"name\":\"people\",\"role\":\"submit\"}"),
                     201);
    snprintf(other, sizeof(other), "Authorization: Bearer %.67s", strstr(bench.body, "sl_"));
    for (size_t i = 0; i < SL_HTTP_CLIENT_AT_ONCE; i++) {
        fds[i] = sl_http_case_connect(&bench);
        sl_http_case_send(fds[i], "GET /api/v1/events HTTP/1.1\r\n" HOST "\r\n");
        assert_answer(fds[i], "retry: 1000");
    }
    assert_int_equal(CURL(&bench, "/api/v1/jobs"), 429);
    assert_non_null(strstr(bench.output, "retry-after: 1\r\n"));
    assert_non_null(strstr(bench.output, "urn:sme2lab:problem:too-many-requests"));
    assert_int_equal(CURL(&bench, "/healthz"), 200);
    assert_int_equal(CURL_TCP(&bench, "/api/v1/jobs", "-H", bearer), 200);
    assert_int_equal(CURL_TCP(&bench, "/api/v1/jobs", "-H", other), 200);
    close_all(fds, SL_HTTP_CLIENT_AT_ONCE);
    listener = wanted_busy = 0;
    assert_true(sl_http_case_until(&bench, so_many_are_busy));
    assert_int_equal(CURL(&bench, "/api/v1/jobs"), 200);
    assert_int_equal(bench.http->places.count, 0);
}

CASE(a_token_has_its_places_once_whatever_the_connections_and_gets_each_back)
{
    int fds[3];
    bench.http->places.most = 3;
    for (size_t i = 0; i < 3; i++) {
        fds[i] = connect_tcp(i == 0 ? "127.0.0.1" : "127.0.0.2");
        sl_http_case_send(fds[i], HALF);
        sl_http_case_send(fds[i], bearer);
        sl_http_case_send(fds[i], "\r\n\r\n{");
    }
    listener = 1;
    wanted_busy = 3;
    assert_true(sl_http_case_until(&bench, so_many_are_busy));
    assert_int_equal(CURL_TCP(&bench, "/api/v1/jobs", "-H", bearer, "--interface", "127.0.0.3"),
                     429);
    assert_null(strstr(bench.output, "connection: close"));
    assert_int_equal(CURL_TCP(&bench, "/api/v1/jobs", "-H", bearer, "-H",
                              "Content-Type: application/json", "-d", "{}"),
                     429);
    assert_non_null(strstr(bench.output, "connection: close")); /* its body is not waited for */
    sl_http_case_send(fds[0], "12345678");
    assert_answer(fds[0], "HTTP/1.1 4");
    assert_int_equal(CURL_TCP(&bench, "/api/v1/jobs", "-H", bearer), 200);
    close_all(fds, 3);
    wanted_busy = 0;
    assert_true(sl_http_case_until(&bench, so_many_are_busy));
    assert_int_equal(bench.http->places.count, 0);
}

/* Drop by drop is no progress: a second for the head, whatever comes of it. */
SHORT_CASE(slow_heads_and_bodies_are_told_408)
{
    static const char *const starts[] = {"GET /heal", HALF, HALF "\r\n{"};
    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
        int fd = sl_http_case_connect(&bench);
        uint64_t begin = uv_hrtime();
        sl_http_case_send(fd, starts[i]);
        for (int drop = 0; drop < 6 && i == 0; drop++) {
            sl_http_case_spin(&bench, 120);
            sl_http_case_send(fd, "x");
        }
        assert_answer(fd, "urn:sme2lab:problem:timeout");
        assert_non_null(strstr(bench.output, "HTTP/1.1 408 "));
        assert_non_null(strstr(bench.output, "connection: close\r\n"));
        assert_true(uv_hrtime() - begin >= UINT64_C(900000000));
        assert_int_equal(sl_http_case_await(&bench, fd, NULL, SL_CASE_PATIENCE_MS), 0);
        close(fd);
    }
}

/* Each piece comes in time, and so many of them would hold a place for days. */
SHORT_CASE(a_body_that_trickles_is_told_408)
{
    int fd = sl_http_case_connect(&bench);
    uint64_t begin = uv_hrtime();
    sl_http_case_send(fd, "POST /api/v1/jobs HTTP/1.1\r\n" HOST
                          "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n");
    for (int drop = 0; drop < 14; drop++) {
        sl_http_case_send(fd, " ");
        sl_http_case_spin(&bench, 200);
    }
    assert_answer(fd, "urn:sme2lab:problem:timeout");
    assert_true(uv_hrtime() - begin >= UINT64_C(2900000000));
    assert_true(uv_hrtime() - begin < UINT64_C(20000000000));
    close(fd);
}

/* The answer stays readable although bytes come that nobody reads any more. */
CASE(a_refused_client_that_goes_on_sending_can_read_why)
{
    static char noise[4000];
    memset(noise, 'x', sizeof(noise));
    int fd = sl_http_case_connect(&bench);
    sl_http_case_send(fd, "BREW / HTTP/1.1\r\n" HOST "\r\n");
    for (int i = 0; i < 50; i++) {
        sl_http_case_spin(&bench, 2);
        if (send(fd, noise, sizeof(noise), MSG_NOSIGNAL) < 0)
            assert_int_equal(errno, EAGAIN);
    }
    assert_answer(fd, "urn:sme2lab:problem:unknown-method");
    assert_int_equal(sl_http_case_await(&bench, fd, NULL, SL_CASE_PATIENCE_MS), 0);
    close(fd);
}
