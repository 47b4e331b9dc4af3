/* tests/unit/host/peer/test_run_copy.c */
#include "host/peer/run_copy.h"

#include <errno.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "host/peer/call.h"
#include "tests/support/peer_case.h"
#include "tests/support/store_folder.h"

#define OK(body) "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n" body
#define TWO_FILES                                                                                  \
    "{\"files\":[{\"path\":\"toy/a b.etdump\",\"bytes\":%d,\"sha256\":\"%s\"},"                    \
    "{\"path\":\"streams/log\",\"bytes\":9},"                                                      \
    "{\"path\":\"%s\",\"bytes\":%d,\"sha256\":\"%s\"}]}"

static uv_loop_t loop;
static struct peer_case peer;
static struct sl_peer_calls *calls;
static bool unwanted, ended;
static int ended_with;
static char why_it_ended[320], list[1024];

static bool is_wanted(void *user)
{
    (void)user;
    return !unwanted;
}

static void on_ended(void *user, int rc, const char *why)
{
    (void)user;
    assert_false(ended);
    ended = true;
    ended_with = rc;
    snprintf(why_it_ended, sizeof(why_it_ended), "%s", why);
}

static void closed(void *user)
{
    (void)user;
}

static const struct sl_run_copy_events events = {is_wanted, on_ended};

/* Copies run 7 of the host there; returns how it ended. */
static int copy(const char *url)
{
    ended = false;
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(sl_peer_calls_new(&loop, "sl_secret", NULL, &calls), 0);
    const struct sl_run_copy_setup setup = {
        .calls = calls, .url = url, .folder = store_folder, .run = 7};
    assert_int_equal(sl_run_copy_start(&loop, &setup, &events, NULL), 0);
    assert_false(ended);
    while (!ended)
        uv_run(&loop, UV_RUN_ONCE);
    sl_peer_calls_close(calls, closed, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
    assert_int_equal(why_it_ended[0] == '\0', ended_with == 0);
    return ended_with;
}

/* From a host whose files are all "some", and which says that of the second. */
static int copy_two(int bytes, const char *path, const char *content)
{
    char sha256[SL_SHA256_HEX_SIZE], other[SL_SHA256_HEX_SIZE];
    sl_sha256_hex("some", 4, sha256);
    sl_sha256_hex(content, strlen(content), other);
    snprintf(list, sizeof(list), OK(TWO_FILES), 4, sha256, path, bytes, other);
    peer_case_open(&peer, list);
    peer.then = OK("some");
    int rc = copy(peer.url);
    peer_case_close(&peer);
    return rc;
}

static void assert_content(const char *path)
{
    char full[384];
    struct sl_buf text;
    snprintf(full, sizeof(full), "%s/%s", store_folder, path);
    assert_int_equal(sl_buf_read_file(full, 100, &text), 0);
    assert_int_equal(text.size, 4);
    assert_memory_equal(text.data, "some", 4);
    sl_buf_fini(&text);
}

TEST_WITH(the_artifacts_come_and_nothing_else, make_store_folder, remove_store_folder)
{
    char log[384];
    assert_int_equal(copy_two(4, "manifest.json", "some"), 0);
    assert_content("toy/a b.etdump");
    assert_content("manifest.json");
    assert_int_equal(peer.requests, 3);
    assert_non_null(strstr(peer.request, "GET /api/v1/runs/7/files/manifest.json HTTP/1.1\r\n"));
    assert_non_null(strstr(peer.request, "Bearer sl_secret\r\n"));
    snprintf(log, sizeof(log), "%s/streams", store_folder);
    assert_int_equal(access(log, F_OK), -1);
}

TEST_WITH(a_file_that_is_not_what_was_said_ends_it, make_store_folder, remove_store_folder)
{
    assert_int_equal(copy_two(4, "manifest.json", "same"), SL_E_MISMATCH);
    assert_non_null(strstr(why_it_ended, "manifest.json came with another length or SHA-256"));
}

TEST_WITH(a_file_that_is_longer_than_was_said_ends_it, make_store_folder, remove_store_folder)
{
    assert_int_equal(copy_two(3, "manifest.json", "som"), -EPROTO);
    assert_non_null(strstr(why_it_ended, "sends more of manifest.json"));
}

TEST_WITH(a_file_that_is_shorter_than_was_said_ends_it, make_store_folder, remove_store_folder)
{
    assert_int_equal(copy_two(5, "manifest.json", "some!"), SL_E_MISMATCH);
}

TEST_WITH(a_file_that_is_there_twice_ends_it, make_store_folder, remove_store_folder)
{
    assert_int_equal(copy_two(4, "toy/a b.etdump", "some"), -EEXIST);
    assert_non_null(strstr(why_it_ended, "cannot be made here"));
}

TEST_WITH(a_host_that_makes_as_many_lists_as_it_may_is_asked_again, make_store_folder,
          remove_store_folder)
{
    peer_case_open(&peer, "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n");
    peer.then = OK("{\"run\":7,\"files\":[]}");
    assert_int_equal(copy(peer.url), 0);
    assert_int_equal(peer.requests, 2);
    peer_case_close(&peer);
}

TEST_WITH(a_host_that_refuses_or_is_away_is_the_reason, make_store_folder, remove_store_folder)
{
    peer_case_open(&peer, "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n");
    assert_int_equal(copy(peer.url), SL_E_NOT_FOUND);
    assert_string_equal(why_it_ended, "it answered 404");
    peer_case_close(&peer);
    peer_case_open(&peer, OK("<p>hi"));
    assert_int_equal(copy(peer.url), SL_E_FORMAT);
    assert_non_null(strstr(why_it_ended, "its list of files cannot be used"));
    peer_case_close(&peer);
    assert_int_equal(copy("http://127.0.0.1:1"), -ECONNREFUSED);
}

TEST_WITH(a_copy_that_nobody_wants_ends_though_the_host_is_silent, make_store_folder,
          remove_store_folder)
{
    peer_case_open(&peer, NULL);
    unwanted = true;
    assert_int_equal(copy(peer.url), -ECANCELED);
    unwanted = false;
    peer_case_close(&peer);
}
