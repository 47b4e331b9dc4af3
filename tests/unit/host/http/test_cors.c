/* tests/unit/host/http/test_cors.c: pages of other origins, byte by byte. */
#include "host/http/cors.h"

#include <unistd.h>

#include "host/http/context.h"
#include "host/spec/web_origin.h"
#include "tests/support/http_case.h"
#include "tests/support/unit.h"

#define HOST "Host: lab\r\n"
#define LISTED "https://lab.example"
#define ASKS "Access-Control-Request-Method: POST\r\n"
#define PREFLIGHT "OPTIONS /api/v1/jobs HTTP/1.1\r\n" HOST ASKS
#define ALLOWED "access-control-allow-origin: " LISTED "\r\n"

static struct sl_http_case bench;

static int open_off(void **state)
{
    (void)state;
    sl_http_case_open(&bench, 1000, 2);
    return 0;
}

static int open_on(void **state)
{
    open_off(state);
    snprintf(bench.http->origins.texts[0], SL_WEB_ORIGIN_BYTES, "%s", "http://localhost:3000");
    snprintf(bench.http->origins.texts[1], SL_WEB_ORIGIN_BYTES, "%s", LISTED);
    bench.http->origins.count = 2;
    return 0;
}

static int close_case(void **state)
{
    (void)state;
    sl_http_case_close(&bench);
    return 0;
}

/* The answer is in bench.output; its connection goes on. */
static void ask(const char *request)
{
    int fd = sl_http_case_connect(&bench);
    sl_http_case_send(fd, request);
    sl_http_case_send(fd, "\r\nGET /no-such-place HTTP/1.1\r\nHost: l\r\n\r\n");
    if (sl_http_case_await(&bench, fd, "no-such-place", SL_CASE_PATIENCE_MS) != 1)
        fail_msg("%s", bench.output);
    *strstr(bench.output + 1, "HTTP/1.1 404") = '\0';
    close(fd);
}

static void assert_status(const char *status)
{
    if (strncmp(bench.output + strlen("HTTP/1.1 "), status, strlen(status)) != 0)
        fail_msg("not %s: %s", status, bench.output);
}

static void assert_says(const char *line)
{
    if (!strstr(bench.output, line))
        fail_msg("no %s in: %s", line, bench.output);
}

TEST_WITH(without_a_list_nobody_hears_of_it, open_off, close_case)
{
    ask(PREFLIGHT "Origin: " LISTED "\r\n");
    assert_status("405");
    assert_null(strstr(bench.output, "access-control"));
    ask("GET /healthz HTTP/1.1\r\n" HOST "Origin: " LISTED "\r\n");
    assert_status("200");
    assert_null(strstr(bench.output, "access-control"));
    assert_null(strstr(bench.output, "vary"));
}

TEST_WITH(a_listed_origin_is_told_before_what_it_may_send, open_on, close_case)
{
    ask(PREFLIGHT "Access-Control-Request-Headers: authorization\r\nOrigin: " LISTED "\r\n");
    assert_status("204");
    assert_says(ALLOWED);
    assert_says("vary: origin\r\n");
    assert_says("access-control-allow-methods: GET, HEAD, POST\r\n");
    assert_says("access-control-allow-headers: authorization, content-type, ");
    assert_says("access-control-max-age: 600\r\n");
    assert_null(strstr(bench.output, "content-length"));
    assert_null(strstr(bench.output, "allow-credentials"));
    ask("OPTIONS /nowhere HTTP/1.1\r\n" HOST ASKS "Origin: " LISTED "\r\n");
    assert_status("404");
    ask("OPTIONS /api/v1/jobs HTTP/1.1\r\n" HOST "Origin: " LISTED "\r\n"); /* asks nothing */
    assert_status("405");
    ask("TRACE /api/v1/jobs HTTP/1.1\r\n" HOST ASKS "Origin: " LISTED "\r\n");
    assert_status("405");
}

TEST_WITH(answers_and_problems_of_all_kinds_name_the_listed_origin, open_on, close_case)
{
    static const char *const requests[] = {"GET /healthz",       "GET /api/v1/jobs",
                                           "GET /api/v1/jobs/7", "DELETE /api/v1/jobs",
                                           "GET /%zz",           "HEAD /api/v1/jobs"};
    char request[200];
    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
        snprintf(request, sizeof(request), "%s HTTP/1.1\r\n" HOST "Origin: " LISTED "\r\n",
                 requests[i]);
        ask(request);
        assert_says(ALLOWED);
        assert_says("vary: origin\r\n");
        assert_says("access-control-expose-headers: content-range, etag, ");
    }
    int fd = sl_http_case_connect(&bench);
    sl_http_case_send(fd, "GET /api/v1/events HTTP/1.1\r\n" HOST "Origin: " LISTED "\r\n\r\n");
    assert_int_equal(sl_http_case_await(&bench, fd, "retry: 1000", SL_CASE_PATIENCE_MS), 1);
    assert_says(ALLOWED);
    close(fd);
}

TEST_WITH(who_is_not_listed_or_not_clear_is_told_nothing, open_on, close_case)
{
    static const char *const lines[] = {
        "",
        "Origin:\r\n",
        "Origin: null\r\n",
        "Origin: *\r\n",
        "Origin: https://lab.example.evil\r\n",
        "Origin: https://lab.exampl\r\n",
        "Origin: http://lab.example\r\n",
        "Origin: https://lab.example:443\r\n",
        "Origin: https://lab.example/\r\n",
        "Origin: HTTPS://LAB.EXAMPLE\r\n",
        "Origin: https://lab.example https://lab.example\r\n",
        "Origin: https://lab.example\r\nOrigin: https://lab.example\r\n",
        "Origin: https://evil\r\nOrigin: https://lab.example\r\n",
        "Origin: https://lab.example\x80\r\n",
        "Origin: https://lab\texample\r\n",
    };
    char request[300];
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        snprintf(request, sizeof(request), PREFLIGHT "%s", lines[i]);
        ask(request);
        assert_status("405");
        assert_null(strstr(bench.output, "access-control"));
        snprintf(request, sizeof(request), "GET /healthz HTTP/1.1\r\n" HOST "%s", lines[i]);
        ask(request);
        assert_status("200");
        assert_says("vary: origin\r\n");
        assert_null(strstr(bench.output, "access-control"));
    }
}

TEST_WITH(long_and_many_origins_and_control_characters_are_refused_or_not_listed, open_on,
          close_case)
{
    static char request[9000];
    size_t at = (size_t)snprintf(request, sizeof(request), PREFLIGHT "Origin: " LISTED);
    memset(request + at, 'a', 4000);
    snprintf(request + at + 4000, sizeof(request) - at - 4000, "\r\n");
    ask(request);
    assert_status("405");
    assert_null(strstr(bench.output, "access-control"));
    at = (size_t)snprintf(request, sizeof(request), PREFLIGHT);
    for (int i = 0; i < 20; i++)
        at += (size_t)snprintf(request + at, sizeof(request) - at, "Origin: " LISTED "\r\n");
    ask(request);
    assert_status("405");
    assert_null(strstr(bench.output, "access-control"));
    int fd = sl_http_case_connect(&bench);
    sl_http_case_send(fd, PREFLIGHT "Origin: " LISTED "\x01\r\n\r\n");
    assert_int_equal(sl_http_case_await(&bench, fd, NULL, SL_CASE_PATIENCE_MS), 0);
    assert_status("400");
    assert_null(strstr(bench.output, "access-control"));
    close(fd);
}
