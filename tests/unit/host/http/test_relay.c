/* tests/unit/host/http/test_relay.c: files that another host of the store has. */
#include "host/http/relay.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "host/http/context.h"
#include "host/http/exchange.h"
#include "host/job/keeper.h"
#include "host/job/peers.h"
#include "host/peer/call.h"
#include "tests/support/http_case.h"
#include "tests/support/peer_case.h"

#define CURL(...) sl_http_case_curl(&bench, false, __VA_ARGS__, (char *)NULL)
#define FILE_7 "/api/v1/runs/7/files/a.txt"

static struct sl_http_case bench;
static struct peer_case peer;
static bool is_closed;

static void on_closed(void *user)
{
    (void)user;
    is_closed = true;
}

static bool has_closed(void)
{
    return is_closed;
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

static void close_keeper(struct sl_keeper *keeper)
{
    is_closed = false;
    sl_keeper_close(keeper, on_closed, NULL);
    assert_true(sl_http_case_until(&bench, has_closed));
}

static int close_all(void **state)
{
    struct sl_peer_calls *calls = bench.http->peers;
    struct sl_keeper *keeper = bench.http->keeper;
    (void)state;
    sl_http_case_close_http(&bench);
    if (keeper)
        close_keeper(keeper);
    is_closed = false;
    sl_peer_calls_close(calls, on_closed, NULL);
    assert_true(sl_http_case_until(&bench, has_closed));
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

static void assert_part_is_asked_for(const char *condition, bool wanted)
{
    assert_int_equal(CURL(FILE_7, "-H", "Range: bytes=2-5", "-H", condition), 200);
    assert_int_equal(strstr(peer.request, "\r\nrange: ") != NULL, wanted);
    assert_int_equal(strstr(peer.request, "\r\nif-range: ") != NULL, wanted);
}

TEST_WITH(no_part_is_asked_for_where_its_condition_cannot_be_read, NULL, close_all)
{
    char condition[SL_HTTP_VALUE_BYTES + 16];
    peer_says("HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nwhole");
    int name = snprintf(condition, sizeof(condition), "If-Range: ");
    memset(condition + name, 'x', SL_HTTP_VALUE_BYTES - 1);
    condition[name + SL_HTTP_VALUE_BYTES - 1] = '\0';
    assert_part_is_asked_for(condition, true);
    strcat(condition, "x");
    assert_part_is_asked_for(condition, false);
    assert_string_equal(bench.body, "whole");
}

TEST_WITH(what_a_browser_may_do_with_it_is_ours_to_say, NULL, close_all)
{
    peer_says("HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-type: text/html\r\n"
              "content-security-policy: script-src *\r\nreferrer-policy: unsafe-url\r\n"
              "connection: close\r\n\r\nhi");
    static const char *const paths[] = {FILE_7, "/runs/7"};
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        assert_int_equal(CURL(paths[i]), 200);
        assert_non_null(strstr(bench.output, "content-security-policy: sandbox allow-scripts "
                                             "allow-downloads; frame-ancestors 'none'\r\n"));
        assert_null(strstr(bench.output, "script-src"));
        assert_null(strstr(bench.output, "unsafe-url"));
    }
}

TEST_WITH(what_another_host_asks_is_not_asked_again, NULL, close_all)
{
    peer_says("HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nwhole");
    for (int tcp = 0; tcp < 2; tcp++)
        assert_int_equal(sl_http_case_curl(&bench, tcp, FILE_7, "-H",
                                           "Authorization: Bearer " SL_CASE_OTHER_TOKEN,
                                           (char *)NULL),
                         404);
    assert_int_equal(peer.requests, 0);
    assert_int_equal(CURL(FILE_7), 200);
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
    assert_int_equal(CURL("/api/v1/compare?baseline=7&candidate=7"), 503);
    assert_non_null(strstr(bench.body, "the files are on host other, which does not give them: its "
                                       "list of files cannot be used"));
    assert_int_equal(CURL("/metrics"), 200);
    assert_non_null(strstr(bench.body, "sme2lab_peer_files_total{what=\"relayed\"} 2\n"));
}

#define DIGEST "a6b46dd0d1ae5e86cbc8f37e75ceeb6760230c1ca4ffbcb0c97b96dd7d9c464b" /* of "some" */

/* The files of the run lie here while it is compared. */
static int compare_copied(void *user, const struct sl_http_comparison *what, struct sl_buf *out,
                          struct sl_diag *diag)
{
    char path[SL_PATH_BYTES + 32];
    struct sl_buf text;
    (void)user, (void)diag;
    assert_string_equal(what->directories[0], what->directories[1]);
    assert_non_null(strstr(what->directories[0], "/imports/"));
    snprintf(path, sizeof(path), "%s/toy/log", what->directories[0]);
    assert_int_equal(sl_buf_read_file(path, 100, &text), 0);
    assert_memory_equal(text.data, "some", 4);
    sl_buf_fini(&text);
    return sl_buf_printf(out, "{\"in\":\"%s\"}", what->directories[0]);
}

TEST_WITH(a_run_of_another_host_is_compared_with_its_files_copied, NULL, close_all)
{
    char folder[2 * SL_PATH_BYTES];
    peer_says("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{\"files\":[{\"path\":\"toy/log\","
              "\"bytes\":4,\"sha256\":\"" DIGEST "\"}]}");
    peer.then = "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nsome";
    bench.http->compare.call = compare_copied;
    assert_int_equal(CURL("/api/v1/compare?baseline=7&candidate=7"), 200);
    assert_int_equal(peer.requests, 2);
    snprintf(folder, sizeof(folder), "%s", strchr(bench.body, '/'));
    folder[strcspn(folder, "\"")] = '\0';
    assert_int_equal(access(folder, F_OK), -1); /* removed before the answer */
    assert_int_equal(CURL("/api/v1/compare?baseline=7&candidate=7"), 503); /* no list any more */
    assert_int_equal(bench.http->copying, 0);
    bench.http->copying = 8;
    assert_int_equal(CURL("/api/v1/compare?baseline=7&candidate=7"), 503);
    assert_non_null(strstr(bench.body, "8 comparisons with runs of other hosts are under way"));
    assert_int_equal(bench.http->copying, 8);
    bench.http->copying = 0;
}

static void assert_nothing_is_left(void)
{
    char folder[2 * SL_PATH_BYTES];
    snprintf(folder, sizeof(folder), "%s/imports", bench.folder);
    assert_int_equal(rmdir(folder), 0); /* it was there, and it is empty */
    assert_int_equal(bench.http->copying, 0);
}

TEST_WITH(a_second_side_that_fails_leaves_no_copy_of_the_first, NULL, close_all)
{
    static const char list[] =
        "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{\"files\":[{\"path\":\"toy/log\","
        "\"bytes\":4,\"sha256\":\"" DIGEST "\"}]}";
    peer_says(list);
    peer.then = "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nsome";
    bench.http->compare.call = never;
    assert_int_equal(CURL("/api/v1/compare?baseline=7&candidate=9"), 404);
    assert_non_null(strstr(bench.body, "there is no run 9"));
    assert_int_equal(peer.requests, 2);
    assert_nothing_is_left();
}

TEST_WITH(a_second_side_that_is_not_given_leaves_no_copy_of_the_first, NULL, close_all)
{
    peer_says("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{\"files\":[]}");
    peer.then = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    bench.http->compare.call = never;
    assert_int_equal(CURL("/api/v1/compare?baseline=7&candidate=8"), 503);
    assert_non_null(strstr(bench.body, "does not give them: it answered 404"));
    assert_nothing_is_left();
}

static int say_whether_same(void *user, const struct sl_http_comparison *what, struct sl_buf *out,
                            struct sl_diag *diag)
{
    (void)user, (void)diag;
    return sl_buf_printf(out, "%d", strcmp(what->directories[0], what->directories[1]) == 0);
}

TEST_WITH(a_comparison_that_has_begun_has_room_for_its_second_side, NULL, close_all)
{
    peer_says("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{\"files\":[]}");
    bench.http->compare.call = say_whether_same;
    bench.http->copying = 7;
    assert_int_equal(CURL("/api/v1/compare?baseline=7&candidate=8"), 200);
    assert_string_equal(bench.body, "0");
    assert_int_equal(bench.http->copying, 7);
    bench.http->copying = 0;
    assert_nothing_is_left();
}

/* The keeper counts what other copies have still to write, and nothing of a copy that failed. */
TEST_WITH(copies_together_stay_within_the_bounds_of_the_disk, NULL, close_all)
{
    static const uint64_t room = UINT64_C(5) << 29, others = UINT64_C(1) << 60;
    struct statvfs disk;
    struct sl_keeper *keeper;
    /* The host says that the file is long, and sends the list itself as the file. */
    peer_says("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{\"files\":[{\"path\":\"toy/log\","
              "\"bytes\":1073741823,\"sha256\":\"" DIGEST "\"}]}");
    bench.http->compare.call = never;
    assert_int_equal(statvfs(bench.folder, &disk), 0);
    uint64_t available = (uint64_t)disk.f_frsize * disk.f_bavail;
    const struct sl_keeper_options options = {
        .store = bench.store,
        .state_dir = bench.folder,
        .limits = {.reserve_bytes = available > room ? available - room : 1}};
    assert_int_equal(sl_keeper_new(&bench.loop, &options, &keeper), 0);
    bench.http->keeper = keeper;
    for (int i = 0; i < 3; i++) { /* 3 GiB, if they stayed */
        assert_int_equal(CURL("/api/v1/compare?baseline=7&candidate=7"), 503);
        assert_non_null(strstr(bench.body, "came with another length or SHA-256"));
    }
    sl_keeper_await(keeper, others);
    CURL("/api/v1/compare?baseline=7&candidate=7");
    assert_non_null(strstr(bench.body, "the files of run 7 on host other do not go here: with "
                                       "these and what is on its way"));
    sl_keeper_came(keeper, others);
    assert_int_equal(CURL("/api/v1/compare?baseline=7&candidate=7"), 503);
    assert_non_null(strstr(bench.body, "came with another length or SHA-256"));
    assert_nothing_is_left();
}

/* More than is kept at a time. */
static void peer_says_much(void)
{
    enum { BYTES = 900000 };
    static char answer[BYTES + 128];
    int head =
        snprintf(answer, 128, "HTTP/1.1 200 OK\r\ncontent-length: %d\r\nconnection: close\r\n\r\n",
                 (int)BYTES);
    memset(answer + head, 'x', BYTES);
    answer[head + BYTES - 1] = 'z';
    peer_says(answer);
}

TEST_WITH(a_large_file_goes_through_whole, NULL, close_all)
{
    peer_says_much();
    assert_int_equal(CURL(FILE_7, "--limit-rate", "2M"), 200);
    assert_string_equal(bench.body + strspn(bench.body, "x"), "z");
    assert_int_equal(strlen(bench.body), 900000);
}

TEST_WITH(a_client_that_ends_its_side_gets_the_rest, NULL, close_all)
{
    peer_says_much();
    int fd = sl_http_case_connect(&bench);
    sl_http_case_send(fd, "GET " FILE_7 " HTTP/1.1\r\nHost: l\r\n\r\n");
    assert_int_equal(sl_http_case_await(&bench, fd, "200 OK", 5000), 1);
    shutdown(fd, SHUT_WR);
    assert_int_equal(sl_http_case_await(&bench, fd, "xz", 5000), 1);
    close(fd);
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

TEST(a_host_that_cannot_be_asked_has_no_address)
{
    static const char *const urls[] = {"http://127.0.0.1:1", "https://user@lab", "https://lab:80"};
    for (int i = 0; i < 3; i++) {
        size_t place = 0;
        sl_http_case_open_sealed(&bench, urls[i]);
        const struct sl_host_record *host = sl_peers_next_host(sl_lab_peers(bench.lab), &place);
        assert_non_null(host);
        assert_string_equal(host->url, i < 2 ? "" : urls[i]);
        sl_http_case_close(&bench);
    }
}

TEST(a_host_without_an_address_is_named)
{
    sl_http_case_open_beside(&bench, "");
    assert_int_equal(CURL(FILE_7), 409);
    assert_non_null(strstr(bench.body, "host other, which does not say where it is reached"));
    assert_int_equal(CURL("/api/v1/runs/7/files"), 409);
    bench.http->compare.call = never;
    assert_int_equal(CURL("/api/v1/compare?baseline=7&candidate=7"), 409);
    assert_int_equal(CURL("/runs/7"), 200); /* a page without files */
    sl_http_case_close(&bench);
}
