/* tests/unit/host/http/test_relay.c: files that another host of the store has. */
#include "host/http/relay.h"

#include <stdlib.h>

#include "host/http/context.h"
#include "host/peer/call.h"
#include "tests/support/http_case.h"
#include "tests/support/peer_case.h"

#define CURL(...) sl_http_case_curl(&bench, false, __VA_ARGS__, (char *)NULL)
#define FILE_7 "/api/v1/runs/7/files/a.txt"

static struct sl_http_case bench;
static struct peer_case peer;
static bool calls_closed;

static void on_calls_closed(void *user)
{
    (void)user;
    calls_closed = true;
}

static bool are_closed(void)
{
    return calls_closed;
}

static int never(void *user, const struct sl_http_comparison *what, struct sl_buf *out,
                 struct sl_diag *diag)
{
    (void)user, (void)what, (void)out, (void)diag;
    fail_msg("the files are not here");
    return 0;
}

static void peer_says(const char *answer)
{
    peer_case_open(&peer, answer);
    sl_http_case_open_beside(&bench, peer.url);
    assert_int_equal(sl_peer_calls_new(&bench.loop, "sl_secret", NULL, &bench.http->peers), 0);
}

static int close_all(void **state)
{
    struct sl_peer_calls *calls = bench.http->peers;
    (void)state;
    sl_http_case_close_http(&bench);
    calls_closed = false;
    sl_peer_calls_close(calls, on_calls_closed, NULL);
    assert_true(sl_http_case_until(&bench, are_closed));
    sl_http_case_close(&bench);
    peer_case_close(&peer);
    return 0;
}

TEST_WITH(the_other_hosts_answer_is_passed_on_with_what_was_asked, NULL, close_all)
{
    peer_says("HTTP/1.1 206 Partial Content\r\ncontent-length: 4\r\ncontent-type: text/plain\r\n"
              "content-range: bytes 2-5/9\r\netag: \"t\"\r\nx-own: 1\r\nconnection: close\r\n\r\n"
              "part");
    assert_int_equal(CURL(FILE_7, "-H", "Range: bytes=2-5", "-H", "If-Range: \"t\""), 206);
    assert_string_equal(bench.body, "part");
    assert_non_null(strstr(bench.output, "content-range: bytes 2-5/9\r\n"));
    assert_non_null(strstr(bench.output, "etag: \"t\"\r\n"));
    assert_non_null(strstr(bench.output, "content-type: text/plain\r\n"));
    assert_null(strstr(bench.output, "x-own"));
    assert_non_null(strstr(peer.request, "GET " FILE_7 " HTTP/1.1\r\n"));
    assert_non_null(strstr(peer.request, "\r\nrange: bytes=2-5\r\nif-range: \"t\"\r\n"));
    assert_non_null(strstr(peer.request, "Bearer sl_secret\r\n"));
}

TEST_WITH(a_page_and_a_trace_come_with_their_query_and_are_counted, NULL, close_all)
{
    peer_says("HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-type: text/html\r\n"
              "referrer-policy: same-origin\r\nconnection: close\r\n\r\n<p>hi");
    assert_int_equal(CURL("/runs/7"), 200);
    assert_string_equal(bench.body, "<p>hi");
    assert_non_null(strstr(bench.output, "referrer-policy: same-origin\r\n"));
    assert_non_null(strstr(peer.request, "GET /runs/7 HTTP/1.1\r\n"));
    bench.http->compare.call = never;
    assert_int_equal(CURL("/api/v1/runs/7/trace.perfetto?variant=off"), 200);
    assert_non_null(strstr(peer.request, "/trace.perfetto?variant=off HTTP/1.1\r\n"));
    assert_int_equal(CURL("/api/v1/compare?baseline=7&candidate=7"), 404);
    assert_non_null(strstr(bench.body, "the files of run 7 are on host other"));
    assert_int_equal(CURL("/metrics"), 200);
    assert_non_null(strstr(bench.body, "sme2lab_peer_files_total{what=\"relayed\"} 2\n"));
}

TEST_WITH(a_large_file_goes_through_whole, NULL, close_all)
{
    enum { BYTES = 900000 }; /* more than is kept at a time */
    static char answer[BYTES + 128];
    int head =
        snprintf(answer, 128, "HTTP/1.1 200 OK\r\ncontent-length: %d\r\nconnection: close\r\n\r\n",
                 (int)BYTES);
    memset(answer + head, 'x', BYTES);
    peer_says(answer);
    assert_int_equal(CURL(FILE_7, "--limit-rate", "2M"), 200);
    assert_int_equal(strspn(bench.body, "x"), BYTES);
}

TEST_WITH(what_the_other_host_refuses_us_is_not_the_clients_fault, NULL, close_all)
{
    peer_says("HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\nconnection: close\r\n\r\nno");
    assert_int_equal(CURL(FILE_7), 503);
    assert_non_null(strstr(bench.body, "the files are on host other, which does not give them: it "
                                       "answered 401"));
}

TEST_WITH(an_answer_without_a_length_is_not_passed_on, NULL, close_all)
{
    peer_says("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nsome");
    assert_int_equal(CURL(FILE_7), 503);
    assert_non_null(strstr(bench.body, "without a length"));
}

TEST_WITH(an_answer_that_breaks_off_breaks_off_here_too, NULL, close_all)
{
    peer_says("HTTP/1.1 200 OK\r\ncontent-length: 9\r\nconnection: close\r\n\r\nhalf");
    CURL(FILE_7);
    assert_int_equal(bench.exit_code, 18); /* curl: a partial file */
}

TEST_WITH(a_head_has_no_body, NULL, close_all)
{
    peer_says("HTTP/1.1 200 OK\r\ncontent-length: 9\r\nconnection: close\r\n\r\n");
    assert_int_equal(CURL(FILE_7, "-I"), 200);
    assert_non_null(strstr(bench.output, "content-length: 9\r\n"));
}

TEST(a_host_without_an_address_is_named)
{
    sl_http_case_open_beside(&bench, "");
    assert_int_equal(CURL(FILE_7), 409);
    assert_non_null(strstr(bench.body, "host other, which does not say where it is reached"));
    assert_int_equal(CURL("/api/v1/runs/7/files"), 409);
    assert_int_equal(CURL("/runs/7"), 200); /* a page without files */
    sl_http_case_close(&bench);
}
