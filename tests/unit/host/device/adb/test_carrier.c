/* tests/unit/host/device/adb/test_carrier.c: the one over TCP, to a peer on this machine. */
#include "host/device/adb/carrier.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <uv.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/net/address.h"
#include "tests/support/unit.h"

struct bench {
    uv_loop_t loop;
    struct sl_adb_carrier *carrier;
    int connected, failed, closed;
    size_t got;
    char bytes[16], why[128];
};

static void on_connected(void *user)
{
    ((struct bench *)user)->connected++;
}

static void on_bytes(void *user, const uint8_t *bytes, size_t len)
{
    struct bench *bench = user;
    assert_true(bench->got + len <= sizeof(bench->bytes));
    memcpy(bench->bytes + bench->got, bytes, len);
    bench->got += len;
}

static void on_written(void *user)
{
    (void)user;
}

static void on_failed(void *user, const char *why)
{
    struct bench *bench = user;
    bench->failed++;
    snprintf(bench->why, sizeof(bench->why), "%s", why);
    sl_adb_carrier_close(bench->carrier);
}

static void on_closed(void *user)
{
    ((struct bench *)user)->closed++;
}

/* The listening socket, to be closed by the caller. */
static int begin(struct bench *bench, bool listens)
{
    static const struct sl_adb_carrier_events events = {on_connected, on_bytes, on_written,
                                                        on_failed, on_closed};
    struct sl_address any, bound;
    *bench = (struct bench){.connected = 0};
    assert_int_equal(sl_address_parse("tcp:127.0.0.1:0", &any, NULL), 0);
    int listener = sl_address_listen(&any, &bound);
    assert_true(listener >= 0);
    if (!listens)
        close(listener);
    assert_int_equal(uv_loop_init(&bench->loop), 0);
    assert_int_equal(sl_adb_carrier_open_tcp(&bench->loop, &bound, &events, bench, &bench->carrier),
                     0);
    return listens ? listener : -1;
}

static void end(struct bench *bench)
{
    uv_run(&bench->loop, UV_RUN_DEFAULT);
    assert_int_equal(bench->failed, 1);
    assert_int_equal(bench->closed, 1);
    assert_int_equal(uv_loop_close(&bench->loop), 0);
}

TEST(messages_go_and_come_until_the_peer_ends)
{
    struct bench bench;
    struct sl_buf hello;
    char text[5];
    (void)state;
    int listener = begin(&bench, true), peer = -1;
    while (peer < 0 || !bench.connected) {
        uv_run(&bench.loop, UV_RUN_NOWAIT);
        peer = peer < 0 ? accept(listener, NULL, NULL) : peer;
    }
    sl_buf_init(&hello, 16);
    assert_int_equal(sl_buf_append(&hello, "hello", 5), 0);
    assert_int_equal(sl_adb_carrier_send(bench.carrier, &hello), 0);
    assert_null(hello.data);
    while (sl_adb_carrier_unsent(bench.carrier) > 0)
        uv_run(&bench.loop, UV_RUN_ONCE);
    assert_int_equal(recv(peer, text, 5, MSG_WAITALL), 5);
    assert_memory_equal(text, "hello", 5);
    assert_int_equal(send(peer, "again", 5, 0), 5);
    close(peer);
    close(listener);
    end(&bench);
    assert_int_equal(bench.got, 5);
    assert_memory_equal(bench.bytes, "again", 5);
    assert_string_equal(bench.why, "the device closed the connection");
}

TEST(where_nobody_listens_that_is_said)
{
    struct bench bench;
    (void)state;
    begin(&bench, false);
    end(&bench);
    assert_int_equal(bench.connected, 0);
    assert_string_equal(bench.why, "connection refused");
}
