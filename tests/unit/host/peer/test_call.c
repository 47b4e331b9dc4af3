/* tests/unit/host/peer/test_call.c */
#include "host/peer/call.h"

#include <errno.h>
#include <limits.h>

#include "common/base/error.h"
#include "tests/support/peer_case.h"

enum { BODY_MAX = 1 << 20 };

static uv_loop_t loop;
static struct peer_case peer;
static struct sl_peer_calls *calls;
static struct {
    struct sl_peer_call *call;
    int status, ended, rc;
    size_t size;
    unsigned refused; /* bodies that are not taken, before they are */
    bool stops_at_head, stops_in_body;
    char tag[64];
    char body[BODY_MAX];
} seen;
static uv_timer_t timer;

static void on_head(void *user, int status)
{
    (void)user;
    const char *tag = sl_peer_call_header(seen.call, "etag");
    seen.status = status;
    snprintf(seen.tag, sizeof(seen.tag), "%s", tag ? tag : "");
    assert_null(sl_peer_call_header(seen.call, "x-none"));
    if (seen.stops_at_head)
        sl_peer_call_stop(seen.call);
}

static void on_timer(uv_timer_t *handle)
{
    (void)handle;
    sl_peer_call_go_on(seen.call);
}

static bool on_body(void *user, const void *bytes, size_t len)
{
    (void)user;
    assert_int_not_equal(seen.status, 0);
    if (seen.refused > 0) {
        seen.refused--;
        uv_timer_start(&timer, on_timer, 1, 0);
        return false;
    }
    assert_true(seen.size + len <= BODY_MAX);
    memcpy(seen.body + seen.size, bytes, len);
    seen.size += len;
    if (seen.stops_in_body)
        sl_peer_call_stop(seen.call);
    return true;
}

static void on_ended(void *user, int rc, const char *why)
{
    (void)user;
    seen.ended++;
    seen.rc = rc;
    assert_int_equal(why[0] == '\0', rc == 0);
}

static const struct sl_peer_call_events events = {on_head, on_body, on_ended};

static int open_all(void **state)
{
    (void)state;
    memset(&seen, 0, sizeof(seen));
    peer.url[0] = '\0';
    assert_int_equal(uv_loop_init(&loop), 0);
    uv_timer_init(&loop, &timer);
    assert_int_equal(sl_peer_calls_new(&loop, "sl_secret", NULL, &calls), 0);
    return 0;
}

static void on_closed(void *user)
{
    *(bool *)user = true;
}

static int close_all(void **state)
{
    bool closed = false;
    (void)state;
    sl_peer_calls_close(calls, on_closed, &closed);
    assert_false(closed);
    uv_close((uv_handle_t *)&timer, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_true(closed);
    assert_int_equal(uv_loop_close(&loop), 0);
    if (peer.url[0])
        peer_case_close(&peer);
    return 0;
}

static void get(const char *url, const char *path)
{
    static const char *const headers[] = {"Range: bytes=1-2"};
    const struct sl_peer_request request = {
        .url = url, .path = path, .headers = headers, .header_count = 1};
    assert_int_equal(sl_peer_call_start(calls, &request, &events, NULL, &seen.call), 0);
    assert_int_equal(seen.ended, 0);
}

static void run_until_ended(void)
{
    while (!seen.ended)
        uv_run(&loop, UV_RUN_ONCE);
}

TEST_WITH(an_answer_comes_with_its_head_and_the_request_says_who_asks, open_all, close_all)
{
    peer_case_open(&peer, "HTTP/1.1 206 Partial Content\r\ncontent-length: 5\r\netag: \"x\"\r\n"
                          "connection: close\r\n\r\nhello");
    get(peer.url, "/runs/1/files/a b?%.txt");
    run_until_ended();
    assert_int_equal(seen.rc, 0);
    assert_int_equal(seen.status, 206);
    assert_string_equal(seen.tag, "\"x\"");
    assert_string_equal(seen.body, "hello");
    assert_int_equal(strncmp(peer.request, "GET /runs/1/files/a%20b%3F%25.txt HTTP/1.1\r\n", 44),
                     0);
    assert_non_null(strstr(peer.request, "\r\nAuthorization: Bearer sl_secret\r\n"));
    assert_non_null(strstr(peer.request, "\r\nRange: bytes=1-2\r\n"));
}

TEST_WITH(a_redirect_is_not_followed, open_all, close_all)
{
    peer_case_open(&peer, "HTTP/1.1 307 Temporary Redirect\r\nlocation: http://127.0.0.1:1/\r\n"
                          "content-length: 0\r\nconnection: close\r\n\r\n");
    get(peer.url, "/");
    run_until_ended();
    assert_int_equal(seen.rc, 0);
    assert_int_equal(seen.status, 307);
    assert_int_equal(peer.requests, 1);
}

TEST_WITH(a_body_that_is_not_taken_comes_again, open_all, close_all)
{
    seen.refused = 3;
    peer_case_open(&peer, "HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nagain");
    get(peer.url, "/");
    run_until_ended();
    assert_int_equal(seen.rc, 0);
    assert_string_equal(seen.body, "again");
}

static bool passed;

static void on_pass(uv_timer_t *handle)
{
    (void)handle;
    passed = true;
}

/* Nothing but the promise to go on has the timer by then. */
TEST_WITH(a_call_goes_on_also_when_another_ends_at_once, open_all, close_all)
{
    static const struct sl_peer_call_events silent = {on_head, on_body, on_ended};
    struct sl_peer_call *other = NULL, *first;
    peer_case_open(&peer, "HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nagain");
    seen.refused = UINT_MAX;
    get(peer.url, "/");
    first = seen.call;
    while (seen.refused == UINT_MAX)
        uv_run(&loop, UV_RUN_ONCE);
    seen.refused = 0;
    passed = false;
    uv_timer_start(&timer, on_pass, 1500, 0); /* libcurl's own time for the first is over */
    while (!passed)
        uv_run(&loop, UV_RUN_ONCE);
    const struct sl_peer_request request = {.url = "http://127.0.0.1:1", .path = "/"};
    assert_int_equal(sl_peer_call_start(calls, &request, &silent, NULL, &other), 0);
    sl_peer_call_go_on(first);
    sl_peer_call_stop(other);
    passed = false;
    uv_timer_start(&timer, on_pass, 3000, 0);
    while (!seen.ended && !passed)
        uv_run(&loop, UV_RUN_ONCE);
    uv_timer_stop(&timer);
    assert_string_equal(seen.body, "again");
    assert_int_equal(seen.rc, 0);
}

TEST_WITH(an_answer_that_breaks_off_is_a_failure, open_all, close_all)
{
    peer_case_open(&peer, "HTTP/1.1 200 OK\r\ncontent-length: 9\r\nconnection: close\r\n\r\nhalf");
    get(peer.url, "/");
    run_until_ended();
    assert_int_equal(seen.rc, -EPROTO);
    assert_int_equal(seen.status, 200);
}

TEST_WITH(a_host_that_is_not_there_is_a_failure_without_a_head, open_all, close_all)
{
    get("http://127.0.0.1:1", "/");
    run_until_ended();
    assert_int_equal(seen.rc, -ECONNREFUSED);
    assert_int_equal(seen.status, 0);
}

TEST_WITH(a_file_is_no_address_of_a_host, open_all, close_all)
{
    get("file://", "/etc/passwd");
    run_until_ended();
    assert_int_equal(seen.rc, -EPROTO);
    assert_int_equal(seen.size, 0);
}

static void run_until_asked(void)
{
    while (peer.requests == 0)
        uv_run(&loop, UV_RUN_ONCE);
    for (int i = 0; i < 50; i++)
        uv_run(&loop, UV_RUN_NOWAIT);
}

static const char abc[] = "HTTP/1.1 200 OK\r\ncontent-length: 3\r\nconnection: close\r\n\r\nabc";

TEST_WITH(a_call_that_is_stopped_before_its_answer_says_nothing_more, open_all, close_all)
{
    peer_case_open(&peer, NULL);
    get(peer.url, "/");
    run_until_asked();
    sl_peer_call_stop(seen.call);
    assert_int_equal(seen.status + seen.ended, 0);
}

static void stop_inside(void)
{
    peer_case_open(&peer, abc);
    get(peer.url, "/");
    while (seen.status == 0)
        uv_run(&loop, UV_RUN_ONCE);
    for (int i = 0; i < 50; i++)
        uv_run(&loop, UV_RUN_NOWAIT);
    assert_int_equal(seen.ended, 0);
}

TEST_WITH(a_call_that_is_stopped_at_its_head_says_nothing_more, open_all, close_all)
{
    seen.stops_at_head = true;
    stop_inside();
    assert_int_equal(seen.size, 0);
}

TEST_WITH(a_call_that_is_stopped_in_its_body_says_nothing_more, open_all, close_all)
{
    seen.stops_in_body = true;
    stop_inside();
    assert_int_equal(seen.size, 3);
}

TEST_WITH(more_calls_than_may_be_are_refused, open_all, close_all)
{
    peer_case_open(&peer, NULL);
    struct sl_peer_request request = {.url = peer.url, .path = "/"};
    for (int i = 0; i < SL_PEER_MAX_CALLS - SL_PEER_KEPT_CALLS; i++)
        assert_int_equal(sl_peer_call_start(calls, &request, &events, NULL, &seen.call), 0);
    assert_int_equal(sl_peer_call_start(calls, &request, &events, NULL, &seen.call), SL_E_FULL);
    request.ours = true;
    for (int i = 0; i < SL_PEER_KEPT_CALLS; i++)
        assert_int_equal(sl_peer_call_start(calls, &request, &events, NULL, &seen.call), 0);
    assert_int_equal(sl_peer_call_start(calls, &request, &events, NULL, &seen.call), SL_E_FULL);
    run_until_asked(); /* and all are ended by the close */
}

TEST_WITH(a_path_that_is_too_long_is_refused, open_all, close_all)
{
    static char path[4096];
    const struct sl_peer_request request = {.url = "http://127.0.0.1:1", .path = path};
    memset(path, '/', sizeof(path) - 1);
    assert_int_equal(sl_peer_call_start(calls, &request, &events, NULL, &seen.call), SL_E_LIMIT);
}
