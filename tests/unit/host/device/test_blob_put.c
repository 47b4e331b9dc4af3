/* tests/unit/host/device/test_blob_put.c: blobs onto a device, linked, and sent to the far end of a
 * real session whose answers the test gives. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <uv.h>

#include "common/base/buf.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/net/channel.h"
#include "common/net/handshake.h"
#include "host/device/blob_put.h"
#include "host/device/transport.h"
#include "host/spec/device_kind.h"
#include "proto/envelope.pb-c.h"
#include "tests/support/test.h"

enum { BLOB_BYTES = 3 << 20 }; /* more than a window */

static char root[] = "/tmp/sl-put-XXXXXX", store[64], workdir[64];
static char names[2][SL_SHA256_HEX_SIZE], no_blob[SL_SHA256_HEX_SIZE];
static uint8_t bytes[BLOB_BYTES];
static uv_loop_t loop;
static struct sl_blob_put *put;
static struct sl_channel *host, *device;
static int ready, closed, done, rc_done;
static struct sl_diag diag_done;

/* The messages that the far end has seen. */
static int offers;
static uint64_t offered_size, received, from;
static char offered[SL_SHA256_HEX_SIZE];

static int set_up(void **state)
{
    char path[200];
    (void)state;
    strcpy(root, "/tmp/sl-put-XXXXXX");
    assert_non_null(mkdtemp(root));
    snprintf(store, sizeof(store), "%s/store", root);
    snprintf(workdir, sizeof(workdir), "%s/work", root);
    snprintf(path, sizeof(path), "%s/blobs", workdir);
    assert_int_equal(mkdir(store, 0700) + mkdir(workdir, 0700) + mkdir(path, 0700), 0);
    for (size_t i = 0; i < BLOB_BYTES; i++)
        bytes[i] = (uint8_t)(i * 7 + i / 1000);
    for (size_t i = 0; i < 2; i++) {
        size_t size = i == 0 ? BLOB_BYTES : 10;
        sl_sha256_hex(bytes, size, names[i]);
        snprintf(path, sizeof(path), "%s/%s", store, names[i]);
        assert_int_equal(sl_buf_write_file(path, bytes, size), 0);
    }
    memset(no_blob, '0', 64);
    ready = closed = done = offers = 0;
    received = from = 0;
    return uv_loop_init(&loop);
}

static void on_closed(void *user, int code, const char *reason)
{
    (void)user;
    (void)code;
    (void)reason;
    closed++;
}

static int tear_down(void **state)
{
    char command[64];
    (void)state;
    if (host) {
        sl_channel_close(host);
        sl_channel_close(device);
    }
    uv_run(&loop, UV_RUN_DEFAULT);
    host = device = NULL;
    assert_int_equal(uv_loop_close(&loop), 0);
    snprintf(command, sizeof(command), "rm -rf %s", root);
    return system(command);
}

static void on_done(void *user, int rc, const struct sl_diag *diag)
{
    (void)user;
    done++;
    rc_done = rc;
    diag_done = *diag;
    put = NULL;
}

static void start(int kind, const char *first, const char *second)
{
    const char *list[] = {first, second};
    const struct sl_blob_put_list blobs = {store, list, second ? 2 : 1};
    assert_int_equal(
        sl_blob_put_start(&loop, sl_transport_of(kind), workdir, &blobs, on_done, NULL, &put), 0);
    assert_int_equal(done, 0); /* never inside the call */
}

static void run_until(const int *flag, int value)
{
    while (*flag < value && uv_run(&loop, UV_RUN_ONCE))
        ;
    assert_int_equal(*flag, value);
}

/* --- linked --- */

TEST_WITH(a_shared_file_system_gets_links, set_up, tear_down)
{
    char path[200];
    struct stat info;
    start(SL_DEVICE_LOCAL, names[0], names[1]);
    run_until(&done, 1);
    assert_int_equal(rc_done, 0);
    snprintf(path, sizeof(path), "%s/blobs/%s", workdir, names[0]);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_nlink, 2);
}

TEST_WITH(a_blob_that_is_not_there_is_named, set_up, tear_down)
{
    start(SL_DEVICE_LOCAL, names[1], no_blob);
    run_until(&done, 1);
    assert_int_equal(rc_done, SL_E_NOT_FOUND);
    assert_non_null(strstr(diag_done.where, no_blob));
}

TEST_WITH(what_is_stopped_is_cancelled_once, set_up, tear_down)
{
    start(SL_DEVICE_LOCAL, names[0], NULL);
    sl_blob_put_stop(put);
    sl_blob_put_stop(put);
    run_until(&done, 1);
    assert_int_equal(rc_done, -ECANCELED);
}

/* --- sent --- */

static void on_ready(void *user)
{
    (void)user;
    ready++;
}

static void answer(uint64_t offset, bool complete, bool damaged, const char *refusal)
{
    const struct sl_blob_put_state state = {offered, refusal, offset, complete, damaged};
    sl_blob_put_state(put, &state);
}

/* The device keeps what it gets, and answers each as the real one does. */
static void on_device(void *user, const Sme2lab__Proto__Envelope *envelope)
{
    (void)user;
    if (envelope->body_case == SME2LAB__PROTO__ENVELOPE__BODY_BLOB_OFFER) {
        offers++;
        snprintf(offered, sizeof(offered), "%s", envelope->blob_offer->sha256);
        offered_size = envelope->blob_offer->size;
        received = from;
        answer(received, false, false, "");
    } else if (envelope->body_case == SME2LAB__PROTO__ENVELOPE__BODY_BLOB_CHUNK) {
        const Sme2lab__Proto__BlobChunk *chunk = envelope->blob_chunk;
        assert_int_equal(chunk->offset, received);
        assert_true(chunk->bytes.len <= SL_BLOB_CHUNK_BYTES);
        assert_memory_equal(chunk->bytes.data, bytes + received, chunk->bytes.len);
        received += chunk->bytes.len;
        from = 0;
        answer(received, received == offered_size, false, "");
    }
}

static void on_host(void *user, const Sme2lab__Proto__Envelope *envelope)
{
    (void)user;
    (void)envelope;
}

static void on_writable(void *user)
{
    (void)user;
    if (put)
        sl_blob_put_writable(put);
}

static void open_session(void)
{
    static const struct sl_channel_events hosts = {on_ready, on_host, on_writable, on_closed},
                                          devices = {on_ready, on_device, NULL, on_closed};
    static const uint8_t secret[SL_SECRET_BYTES] = {1};
    struct sl_channel_options options = {SL_ROLE_HOST, secret, "test", true};
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    assert_int_equal(sl_channel_new(&loop, &options, &hosts, NULL, &host), 0);
    options.role = SL_ROLE_AGENT;
    assert_int_equal(sl_channel_new(&loop, &options, &devices, NULL, &device), 0);
    sl_channel_open_fd(host, fds[0]);
    sl_channel_open_fd(device, fds[1]);
    run_until(&ready, 2);
}

TEST_WITH(blobs_are_sent_one_after_the_other_from_where_the_device_has_each, set_up, tear_down)
{
    open_session();
    from = 1 << 20;
    start(SL_DEVICE_TCP, names[0], names[1]);
    sl_blob_put_link(put, host);
    run_until(&done, 1);
    assert_int_equal(rc_done, 0);
    assert_int_equal(offers, 2);
    assert_string_equal(offered, names[1]);
    assert_int_equal(received, 10);
}

TEST_WITH(a_lost_link_is_waited_for_and_the_blob_is_offered_again, set_up, tear_down)
{
    open_session();
    start(SL_DEVICE_TCP, names[0], NULL);
    sl_blob_put_link(put, host);
    while (received < 1 << 20)
        uv_run(&loop, UV_RUN_ONCE);
    sl_blob_put_link(put, NULL);
    while (uv_run(&loop, UV_RUN_NOWAIT) && received % SL_BLOB_CHUNK_BYTES != 0)
        ;
    for (int i = 0; i < 20; i++) /* what was on its way arrives */
        uv_run(&loop, UV_RUN_NOWAIT);
    assert_int_equal(done, 0);
    assert_true(received < BLOB_BYTES);
    from = received;
    sl_blob_put_link(put, host);
    run_until(&done, 1);
    assert_int_equal(rc_done, 0);
    assert_int_equal(offers, 2);
}

/* Nobody reads: states come in any order and of any value. */
TEST_WITH(nonsense_from_the_device_neither_ends_nor_moves_it, set_up, tear_down)
{
    static const uint64_t offsets[] = {UINT64_MAX, BLOB_BYTES, BLOB_BYTES + 1, 1};
    open_session();
    start(SL_DEVICE_TCP, names[0], NULL);
    snprintf(offered, sizeof(offered), "%s", names[0]);
    sl_channel_pause(device);
    sl_blob_put_link(put, host);
    answer(5, false, false, "");
    for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++)
        answer(offsets[i], false, false, "");
    snprintf(offered, sizeof(offered), "%s", no_blob); /* of another blob */
    answer(0, true, false, "");
    assert_int_equal(done, 0);
    sl_blob_put_stop(put);
    run_until(&done, 1);
}

TEST_WITH(a_refusal_ends_it_with_the_devices_words, set_up, tear_down)
{
    open_session();
    start(SL_DEVICE_TCP, names[0], NULL);
    snprintf(offered, sizeof(offered), "%s", names[0]);
    sl_channel_pause(device);
    sl_blob_put_link(put, host);
    answer(0, false, false, "the disk is full");
    run_until(&done, 1);
    assert_int_equal(rc_done, SL_E_STATE);
    assert_string_equal(diag_done.what, "the disk is full");
}

TEST_WITH(bytes_that_arrive_wrong_twice_end_it, set_up, tear_down)
{
    open_session();
    start(SL_DEVICE_TCP, names[0], NULL);
    snprintf(offered, sizeof(offered), "%s", names[0]);
    sl_channel_pause(device);
    sl_blob_put_link(put, host);
    answer(0, false, true, "");
    assert_non_null(put);
    answer(0, false, true, "");
    run_until(&done, 1);
    assert_int_equal(rc_done, SL_E_MISMATCH);
}
