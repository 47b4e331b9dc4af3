/* tests/unit/host/http/test_requests.c: what HTTP allows and clients seldom send, byte by byte. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/error.h"
#include "host/http/listener.h"
#include "tests/support/http_case.h"
#include "tests/support/unit.h"

#define HOST "Host: lab\r\n"
#define JSON "Content-Type: application/json\r\n"

static struct sl_http_case bench;

static int open_case(void **state)
{
    (void)state;
    sl_http_case_open(&bench, 1000, 2);
    return 0;
}

static int close_case(void **state)
{
    (void)state;
    sl_http_case_close(&bench);
    return 0;
}

static void assert_answer(int fd, const char *wanted)
{
    if (sl_http_case_await(&bench, fd, wanted, SL_CASE_PATIENCE_MS) != 1)
        fail_msg("no '%s' in: %s", wanted, bench.output);
}

/* The connection is good for another request. */
static void assert_alive(int fd)
{
    sl_http_case_send(fd, "GET /healthz HTTP/1.1\r\n" HOST "\r\n");
    assert_answer(fd, "\"alive\"");
    close(fd);
}

static void assert_closed(int fd)
{
    assert_int_equal(sl_http_case_await(&bench, fd, NULL, SL_CASE_PATIENCE_MS), 0);
    close(fd);
}

static size_t count(const char *text)
{
    size_t found = 0;
    for (const char *at = bench.output; (at = strstr(at, text)) != NULL; at += strlen(text))
        found++;
    return found;
}

#define CASE(name) TEST_WITH(name, open_case, close_case)

CASE(a_body_in_chunks_is_put_together)
{
    static const char *const parts[] = {
        "POST /api/v1/jobs HTTP/1.1\r\n" HOST JSON "Transfer-Encoding: chunked\r\n\r\n4", "f",
        ";of=it\r\n{\"model\":\"" SL_HTTP_CASE_MODEL "\",  \"\r", "\nf\r\ndevice\":\"box\" }",
        "\r\n0\r\nX-Sum: 1\r\n\r\n"};
    int fd = sl_http_case_connect(&bench);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        sl_http_case_send(fd, parts[i]);
        sl_http_case_spin(&bench, 3);
    }
    assert_answer(fd, "HTTP/1.1 201 ");
    assert_alive(fd);
}

CASE(what_http_forbids_is_answered_by_its_status_and_a_problem_document)
{
    static const struct {
        const char *request, *status, *type;
    } cases[] = {
        {"BREW /healthz HTTP/1.1\r\n" HOST "\r\n", "501", "unknown-method"},
        {"CONNECT lab:80 HTTP/1.1\r\n" HOST "\r\n", "501", "unknown-method"},
        {"GET /healthz HTTP/2.0\r\n" HOST "\r\n", "505", "unknown-version"},
        {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "505", "unknown-version"},
        {"GET /healthz\r\n\r\n", "400", "bad-request"},
        {"GET  /healthz HTTP/1.1\r\n" HOST "\r\n", "400", "bad-request"},
        {"GET /healthz HTTP/1.1\n" HOST "\n", "400", "bad-request"},
        {"GET /healthz HTTP/1.1\r\nHo st: a\r\n\r\n", "400", "bad-request"},
        {"GET /healthz HTTP/1.1\r\n" HOST "A : b\r\n\r\n", "400", "bad-request"},
        {"GET /healthz HTTP/1.1\r\n" HOST "A: b\r\n c\r\n\r\n", "400", "bad-request"},
        {"GET /\xff HTTP/1.1\r\n" HOST "\r\n", "400", "bad-request"},
        {"\x16\x03\x01", "400", "bad-request"},
        {"GET /healthz HTTP/1.1\r\n\r\n", "400", "bad-header"},
        {"GET /healthz HTTP/1.1\r\n" HOST HOST "\r\n", "400", "bad-header"},
        {"GET /healthz HTTP/1.1\r\nHost: a b\r\n\r\n", "400", "bad-header"},
        {"GET /healthz HTTP/1.1\r\n" HOST "Expect: x\r\n\r\n", "417", "unknown-expectation"},
        {"GET /healthz HTTP/1.1\r\n" HOST "Content-Length: +3\r\n\r\nabc", "400", "bad-header"},
        {"GET /healthz HTTP/1.1\r\n" HOST "Content-Length: 1, 1\r\n\r\na", "400", "bad-header"},
        {"GET /healthz HTTP/1.1\r\n" HOST "Content-Length: 1\r\nContent-Length: 1\r\n\r\na", "400",
         "bad-header"},
        {"POST /api/v1/jobs HTTP/1.1\r\n" HOST
         "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
         "400", "bad-header"},
        {"POST /api/v1/jobs HTTP/1.0\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400",
         "bad-header"},
        {"POST /api/v1/jobs HTTP/1.1\r\n" HOST "Transfer-Encoding: gzip, chunked\r\n\r\n", "501",
         "not-implemented"},
        {"POST /api/v1/jobs HTTP/1.1\r\n" HOST JSON "Transfer-Encoding: chunked\r\n\r\n2\r\n{}XX",
         "400", "bad-request"},
        {"POST /api/v1/jobs HTTP/1.1\r\n" HOST JSON "Transfer-Encoding: chunked\r\n\r\n-2\r\n{}",
         "400", "bad-request"},
    };
    char wanted[96];
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int fd = sl_http_case_connect(&bench);
        sl_http_case_send(fd, cases[i].request);
        snprintf(wanted, sizeof(wanted), "urn:sme2lab:problem:%s\"", cases[i].type);
        assert_answer(fd, wanted);
        snprintf(wanted, sizeof(wanted), "HTTP/1.1 %s ", cases[i].status);
        if (strncmp(bench.output, wanted, strlen(wanted)) != 0)
            fail_msg("%s: not %s: %s", cases[i].request, wanted, bench.output);
        assert_non_null(strstr(bench.output, "application/problem+json"));
        assert_non_null(strstr(bench.output, "connection: close\r\n"));
        const char *length = strstr(bench.output, "content-length: ");
        const char *body = strstr(bench.output, "\r\n\r\n");
        assert_int_equal(atoi(length + sizeof("content-length:")), strlen(body + 4));
        assert_closed(fd);
    }
}

CASE(what_http_allows_but_this_server_does_not_keeps_the_connection)
{
    static const struct {
        const char *request, *status, *text;
    } cases[] = {
        {"OPTIONS /api/v1/jobs HTTP/1.1\r\n" HOST "\r\n", "405", "allow: GET, HEAD, POST\r\n"},
        {"OPTIONS * HTTP/1.1\r\n" HOST "\r\n", "405", "allow: GET, HEAD, POST, PUT, DELETE\r\n"},
        {"TRACE /healthz HTTP/1.1\r\n" HOST "\r\n", "405", "allow: GET, HEAD\r\n"},
        {"PATCH /healthz HTTP/1.1\r\n" HOST "\r\n", "405", "problem:wrong-method"},
        {"GET healthz HTTP/1.1\r\n" HOST "\r\n", "400", "not for a path"},
        {"GET * HTTP/1.1\r\n" HOST "\r\n", "400", "not for a path"},
        {"GET /healthz%zz HTTP/1.1\r\n" HOST "\r\n", "400", "problem:bad-request"},
        {"GET /api/v1/runs?model=%4 HTTP/1.1\r\n" HOST "\r\n", "400", "problem:bad-request"},
        {"GET http://lab/healthz HTTP/1.1\r\n" HOST "\r\n", "200", "alive"},
        {"GET HTTP://lab:80/healthz?a HTTP/1.1\r\n" HOST "\r\n", "200", "alive"},
        {"GET http://lab HTTP/1.1\r\n" HOST "\r\n", "200", "The lab takes jobs"},
        {"GET /%68ealthz HTTP/1.1\r\n" HOST "\r\n", "200", "alive"},
        {"\r\n\r\nGET /healthz HTTP/1.1\r\n" HOST "\r\n", "200", "alive"},
        {"GET /healthz HTTP/1.1\r\n" HOST "Upgrade: h2c\r\nConnection: upgrade\r\n\r\n", "200",
         "alive"},
    };
    char wanted[32];
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int fd = sl_http_case_connect(&bench);
        sl_http_case_send(fd, cases[i].request);
        assert_answer(fd, cases[i].text);
        snprintf(wanted, sizeof(wanted), "HTTP/1.1 %s ", cases[i].status);
        assert_int_equal(strncmp(bench.output, wanted, strlen(wanted)), 0);
        assert_alive(fd);
    }
}

CASE(a_client_of_http_1_0_or_that_closes_is_answered_and_closed)
{
    static const char *const requests[] = {"GET /healthz HTTP/1.0\r\n\r\n",
                                           "GET /healthz HTTP/1.1\r\n" HOST
                                           "Connection: keep-alive, Close\r\n\r\n"};
    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
        int fd = sl_http_case_connect(&bench);
        sl_http_case_send(fd, requests[i]);
        assert_answer(fd, "alive");
        assert_non_null(strstr(bench.output, "connection: close\r\n"));
        assert_closed(fd);
    }
}

/* A request that has sent all and ended its side is answered all the same. */
CASE(a_half_closed_client_gets_its_answer)
{
    int fd = sl_http_case_connect(&bench);
    sl_http_case_send(fd, "GET /api/v1/jobs HTTP/1.1\r\n" HOST "\r\n");
    shutdown(fd, SHUT_WR);
    assert_answer(fd, "{\"jobs\":[]");
    assert_closed(fd);
}

CASE(requests_with_bodies_follow_each_other_on_one_connection)
{
    static const char *const requests[] = {
        "GET /healthz HTTP/1.1\r\n" HOST "Content-Length: 3\r\n\r\nabc",
        "GET /nowhere HTTP/1.1\r\n" HOST "Content-Length: 3\r\n\r\nabc",
        "POST /api/v1/jobs HTTP/1.1\r\n" HOST "Content-Length: 3\r\n\r\nabc",
        "DELETE /api/v1/jobs/7 HTTP/1.1\r\n" HOST "Content-Length: 3\r\n\r\nabc",
        "GET /healthz HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        "GET /api/v1/jobs HTTP/1.1\r\n" HOST "Content-Length: 3\r\n\r\nabc"};
    enum { KINDS = sizeof(requests) / sizeof(requests[0]), ROUNDS = 40 };
    static char all[KINDS * ROUNDS * 128];
    for (size_t i = 0; i < (size_t)KINDS * ROUNDS; i++)
        strcat(all, requests[i % KINDS]);
    int fd = sl_http_case_connect(&bench);
    sl_http_case_send(fd, all);
    sl_http_case_send(fd, "GET /last HTTP/1.1\r\n" HOST "\r\n");
    assert_answer(fd, "nothing at /last");
    assert_int_equal(count("HTTP/1.1 "), KINDS * ROUNDS + 1);
    assert_int_equal(count("HTTP/1.1 200 "), KINDS * ROUNDS / 2);
    assert_int_equal(count("HTTP/1.1 415 "), ROUNDS);
    assert_int_equal(count("HTTP/1.1 404 "), 2 * ROUNDS + 1);
    assert_alive(fd);
}

CASE(a_client_that_asks_first_is_told_to_go_on)
{
    int fd = sl_http_case_connect(&bench);
    sl_http_case_send(fd, "POST /api/v1/jobs HTTP/1.1\r\n" HOST JSON
                          "Expect: 100-continue\r\nContent-Length: 96\r\n\r\n");
    assert_answer(fd, "HTTP/1.1 100 Continue\r\n\r\n");
    assert_null(strstr(bench.output, "HTTP/1.1 201"));
    sl_http_case_send(fd, "{\"model\":\"" SL_HTTP_CASE_MODEL "\",     \"device\":\"box\"}");
    assert_answer(fd, "HTTP/1.1 201 ");
    assert_alive(fd);
}

CASE(a_client_that_asks_first_is_not_told_to_send_what_is_refused)
{
    int fd = sl_http_case_connect(&bench);
    sl_http_case_send(fd, "POST /api/v1/jobs HTTP/1.1\r\n" HOST JSON
                          "Expect: 100-continue\r\nContent-Length: 2000000\r\n\r\n");
    assert_answer(fd, "urn:sme2lab:problem:too-large");
    assert_null(strstr(bench.output, "100 Continue"));
    assert_int_equal(sl_http_case_await(&bench, fd, NULL, SL_CASE_PATIENCE_MS), 0);
    close(fd);
}

static void send_much(int fd, size_t bytes)
{
    static const char part[10000] = {' '};
    while (bytes > 0) {
        ssize_t n = send(fd, part, bytes < sizeof(part) ? bytes : sizeof(part), MSG_NOSIGNAL);
        if (n < 0 && errno != EAGAIN)
            fail_msg("the server stopped reading with %zu bytes to come", bytes);
        bytes -= n > 0 ? (size_t)n : 0;
        uv_run(&bench.loop, UV_RUN_NOWAIT);
    }
}

CASE(a_body_beyond_the_limit_is_read_away_and_answered)
{
    static const char *const heads[] = {
        "POST /api/v1/jobs HTTP/1.1\r\n" HOST JSON "Content-Length: 3000000\r\n\r\n",
        "PUT /api/v1/blobs/0123456789012345678901234567890123456789012345678901234567890123 "
        "HTTP/1.1\r\n" HOST "Content-Length: 3000000\r\n\r\n"};
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        int fd = sl_http_case_connect(&bench);
        sl_http_case_send(fd, heads[i]);
        send_much(fd, 3000000);
        assert_answer(fd, "urn:sme2lab:problem:too-large");
        assert_alive(fd);
    }
}

CASE(a_head_has_the_length_and_no_body)
{
    static const char *const paths[] = {"/healthz", "/metrics", "/api/v1/runs", "/api/v1/jobs/7"};
    char request[128];
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        int fd = sl_http_case_connect(&bench);
        snprintf(request, sizeof(request), "HEAD %s HTTP/1.1\r\n" HOST "\r\n", paths[i]);
        sl_http_case_send(fd, request);
        assert_answer(fd, "\r\n\r\n");
        assert_non_null(strstr(bench.output, "content-length: "));
        assert_null(strstr(bench.output, "content-length: 0\r\n"));
        assert_string_equal(strstr(bench.output, "\r\n\r\n"), "\r\n\r\n");
        assert_alive(fd);
    }
}

CASE(a_long_address_is_refused_and_the_connection_goes_on)
{
    char request[4096], name[3000];
    memset(name, 'a', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    int fd = sl_http_case_connect(&bench);
    snprintf(request, sizeof(request), "GET /api/v1/%s HTTP/1.1\r\n" HOST "\r\n", name);
    sl_http_case_send(fd, request);
    assert_answer(fd, "urn:sme2lab:problem:too-long");
    assert_non_null(strstr(bench.output, "HTTP/1.1 414 "));
    assert_alive(fd);
    fd = sl_http_case_connect(&bench);
    snprintf(request, sizeof(request), "GET /api/v1/runs?model=%s HTTP/1.1\r\n" HOST "\r\n", name);
    sl_http_case_send(fd, request);
    assert_answer(fd, "urn:sme2lab:problem:bad-query");
    assert_alive(fd);
}

/* The second request is read as soon as the first is answered, and the store has others to answer.
 */
static void send_to_a_busy_store(int fd, const char *requests)
{
    enum { OTHERS = 40 };
    int others[OTHERS];
    for (size_t i = 0; i < OTHERS; i++)
        others[i] = sl_http_case_connect(&bench);
    sl_http_case_spin(&bench, 20);
    sl_http_case_send(fd, requests);
    for (size_t i = 0; i < OTHERS; i++)
        sl_http_case_send(others[i], "GET /api/v1/runs HTTP/1.1\r\n" HOST "\r\n");
    assert_answer(fd, "{\"tokens\":[");
    for (size_t i = 0; i < OTHERS; i++)
        close(others[i]);
}

CASE(a_token_is_known_or_forgotten_when_that_is_answered)
{
    int fd = sl_http_case_connect(&bench);
    send_to_a_busy_store(fd, "POST /api/v1/tokens HTTP/1.1\r\n" HOST JSON
                             "Content-Length: 27\r\n\r\n{\"name\":\"x\",\"role\":\"admin\"}"
                             "GET /api/v1/tokens HTTP/1.1\r\n" HOST "\r\n");
    assert_non_null(strstr(bench.output, "HTTP/1.1 201 "));
    assert_non_null(strstr(bench.output, "{\"tokens\":[{\"id\":1,\"name\":\"x\""));
    send_to_a_busy_store(fd, "DELETE /api/v1/tokens/1 HTTP/1.1\r\n" HOST "\r\n"
                             "GET /api/v1/tokens HTTP/1.1\r\n" HOST "\r\n");
    assert_non_null(strstr(bench.output, "HTTP/1.1 204 "));
    assert_non_null(strstr(bench.output, "{\"tokens\":[]}"));
    assert_alive(fd);
}

CASE(an_address_that_fills_the_headers_ends_its_own_connection_alone)
{
    static char name[20000];
    int other = sl_http_case_connect(&bench), fd = sl_http_case_connect(&bench);
    memset(name, 'a', sizeof(name) - 1);
    sl_http_case_send(fd, "GET /");
    sl_http_case_send(fd, name);
    assert_int_equal(sl_http_case_await(&bench, fd, NULL, SL_CASE_PATIENCE_MS), 0);
    close(fd);
    assert_alive(other);
}

static bool other_is_closed;

static void on_closed(void *user)
{
    *(bool *)user = true;
}

static bool is_other_closed(void)
{
    return other_is_closed;
}

CASE(the_daemon_listens_on_loopback_of_ipv6)
{
    struct sl_http_options options = {.listen = {"tcp:[::1]:0"}, .listen_count = 1};
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    struct sl_http *http = NULL;
    struct sl_diag diag = {0};
    other_is_closed = false;
    int fd = socket(AF_INET6, SOCK_STREAM, 0);
    if (fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
        skip(); /* this machine has no IPv6 */
    close(fd);
    fd = socket(AF_INET6, SOCK_STREAM, 0);
    assert_int_equal(sl_http_new(&bench.loop, bench.lab, &options, &http, &diag), 0);
    sl_http_case_await_tokens(&bench, http);
    address.sin6_port = htons((uint16_t)sl_http_port(http, 0));
    assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
    sl_http_case_send(fd, "GET /api/v1/runs HTTP/1.1\r\nHost: [::1]\r\n\r\n");
    assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
    assert_answer(fd, "HTTP/1.1 401 "); /* TCP asks for a token */
    assert_alive(fd);
    sl_http_close(http, on_closed, &other_is_closed);
    assert_true(sl_http_case_until(&bench, is_other_closed));
}
