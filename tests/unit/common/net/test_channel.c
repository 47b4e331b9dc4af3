/* tests/unit/common/net/test_channel.c: two channels on one loop, over a socket pair or a real
 * socket. */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <uv.h>

#include "common/base/buf.h"
#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/net/address.h"
#include "common/net/channel.h"
#include "common/net/handshake.h"
#include "common/net/message.h"
#include "proto/envelope.pb-c.h"
#include "tests/support/test.h"

struct end {
    struct sl_channel *channel;
    int ready, messages, writable, closed, code;
    size_t bytes;
    char reason[200];
    int close_after; /* messages; 0: never */
    int pongs;
    uint64_t asked_us, said_us; /* by the last one */
    uint64_t next_offset;
};

static void on_ready(void *user)
{
    ((struct end *)user)->ready++;
}

static void on_message(void *user, const Sme2lab__Proto__Envelope *envelope)
{
    struct end *end = user;
    end->messages++;
    if (envelope->body_case == SME2LAB__PROTO__ENVELOPE__BODY_CHUNK) {
        assert_int_equal(envelope->chunk->offset, end->next_offset); /* in order, none lost */
        end->next_offset += envelope->chunk->bytes.len;
        end->bytes += envelope->chunk->bytes.len;
    }
    if (envelope->body_case == SME2LAB__PROTO__ENVELOPE__BODY_PONG) {
        end->pongs++;
        end->asked_us = envelope->pong->token;
        end->said_us = envelope->pong->utc_us;
    }
    if (end->messages == end->close_after)
        sl_channel_close(end->channel);
}

static void on_writable(void *user)
{
    ((struct end *)user)->writable++;
}

static void on_closed(void *user, int code, const char *reason)
{
    struct end *end = user;
    end->closed++;
    end->code = code;
    strncpy(end->reason, reason, sizeof(end->reason) - 1);
    end->channel = NULL;
}

static const struct sl_channel_events events = {on_ready, on_message, on_writable, on_closed};

static bool sealed; /* what both sides ask for */

static void start(uv_loop_t *loop, struct end *end, int role, uint8_t secret_byte)
{
    uint8_t secret[SL_SECRET_BYTES];
    memset(secret, secret_byte, sizeof(secret));
    memset(end, 0, sizeof(*end));
    const struct sl_channel_options options = {
        .role = role, .secret = secret, .software = "test", .sealed = sealed};
    assert_int_equal(sl_channel_new(loop, &options, &events, end, &end->channel), 0);
}

/* The other end of the host's channel: a bare socket. */
static int start_alone(uv_loop_t *loop, struct end *host)
{
    int fds[2];
    assert_int_equal(uv_loop_init(loop), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    start(loop, host, SL_ROLE_HOST, 1);
    sl_channel_open_fd(host->channel, fds[0]);
    return fds[1];
}

static void start_pair(uv_loop_t *loop, struct end *host, struct end *agent, uint8_t agent_secret)
{
    int fds[2];
    assert_int_equal(uv_loop_init(loop), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    start(loop, host, SL_ROLE_HOST, 1);
    start(loop, agent, SL_ROLE_AGENT, agent_secret);
    sl_channel_open_fd(host->channel, fds[0]);
    sl_channel_open_fd(agent->channel, fds[1]);
}

static void run_until(uv_loop_t *loop, const int *flag)
{
    while (!*flag && uv_run(loop, UV_RUN_ONCE))
        ;
}

static void finish(uv_loop_t *loop, struct end *host, struct end *agent)
{
    if (host->channel)
        sl_channel_close(host->channel);
    if (agent->channel)
        sl_channel_close(agent->channel);
    uv_run(loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(loop), 0);
    assert_int_equal(host->closed, 1);
    assert_int_equal(agent->closed, 1);
}

static int send_chunk(struct end *end, uint64_t *offset, size_t len)
{
    static uint8_t bytes[200000];
    Sme2lab__Proto__TraceChunk chunk = SME2LAB__PROTO__TRACE_CHUNK__INIT;
    Sme2lab__Proto__Envelope envelope = SME2LAB__PROTO__ENVELOPE__INIT;
    chunk.offset = *offset;
    chunk.bytes = (ProtobufCBinaryData){len, bytes};
    envelope.body_case = SME2LAB__PROTO__ENVELOPE__BODY_CHUNK;
    envelope.chunk = &chunk;
    int rc = sl_channel_send(end->channel, &envelope);
    if (rc == 0)
        *offset += len;
    return rc;
}

TEST(both_sides_get_ready_and_the_loop_ends_clean)
{
    uv_loop_t loop;
    struct end host, agent;
    start_pair(&loop, &host, &agent, 1);
    run_until(&loop, &host.ready);
    run_until(&loop, &agent.ready);
    assert_true(host.ready && agent.ready);
    finish(&loop, &host, &agent);
    assert_int_equal(host.code, 0);
}

TEST(a_peer_that_resets_the_connection_is_said_to_have_done_so)
{
    uv_loop_t loop;
    struct end host;
    int peer = start_alone(&loop, &host);
    uv_run(&loop, UV_RUN_ONCE); /* the greeting is out */
    close(peer);                /* and nobody has read it */
    run_until(&loop, &host.closed);
    assert_int_equal(host.code, -ECONNRESET);
    assert_string_equal(host.reason, "Connection reset by peer");
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
}

TEST(a_wrong_secret_closes_both_with_the_reason)
{
    uv_loop_t loop;
    struct end host, agent;
    start_pair(&loop, &host, &agent, 2);
    run_until(&loop, &host.closed);
    run_until(&loop, &agent.closed);
    assert_true(host.code < 0 && agent.code < 0);
    assert_true(strstr(host.reason, "secret") || strstr(agent.reason, "secret"));
    assert_int_equal(host.ready + agent.ready, 0);
    finish(&loop, &host, &agent);
}

TEST(what_a_newer_peer_adds_is_passed_over)
{
    static uint8_t text[] = "of a later version";
    ProtobufCMessageUnknownField added = {.tag = 99,
                                          .wire_type = PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED};
    Sme2lab__Proto__Envelope envelope = SME2LAB__PROTO__ENVELOPE__INIT;
    Sme2lab__Proto__TraceChunk chunk = SME2LAB__PROTO__TRACE_CHUNK__INIT;
    uint8_t prefixed[sizeof(text) + 1] = {sizeof(text)};
    uv_loop_t loop;
    struct end host, agent;
    memcpy(prefixed + 1, text, sizeof(text));
    added.data = prefixed;
    added.len = sizeof(prefixed);
    start_pair(&loop, &host, &agent, 1);
    run_until(&loop, &host.ready);
    run_until(&loop, &agent.ready);
    envelope.base.unknown_fields = &added; /* a message that nobody here knows */
    envelope.base.n_unknown_fields = 1;
    assert_int_equal(sl_channel_send(agent.channel, &envelope), 0);
    chunk.bytes = (ProtobufCBinaryData){sizeof(text), text};
    chunk.base.unknown_fields = &added; /* and a field in one that is known */
    chunk.base.n_unknown_fields = 1;
    envelope = (Sme2lab__Proto__Envelope)SME2LAB__PROTO__ENVELOPE__INIT;
    envelope.body_case = SME2LAB__PROTO__ENVELOPE__BODY_CHUNK;
    envelope.chunk = &chunk;
    assert_int_equal(sl_channel_send(agent.channel, &envelope), 0);
    run_until(&loop, &host.messages);
    assert_int_equal(host.messages, 1);
    assert_int_equal(host.bytes, sizeof(text));
    assert_int_equal(host.closed, 0);
    finish(&loop, &host, &agent);
}

TEST(nothing_can_be_sent_before_the_proof)
{
    uv_loop_t loop;
    struct end host, agent;
    uint64_t offset = 0;
    start_pair(&loop, &host, &agent, 1);
    assert_int_equal(send_chunk(&agent, &offset, 10), SL_E_STATE);
    finish(&loop, &host, &agent);
}

TEST(a_paused_reader_stops_the_writer_and_nothing_is_lost)
{
    uv_loop_t loop;
    struct end host, agent;
    uint64_t offset = 0;
    int refused = 0;
    start_pair(&loop, &host, &agent, 1);
    run_until(&loop, &host.ready);
    run_until(&loop, &agent.ready);
    sl_channel_pause(host.channel);
    for (int i = 0; i < 200 && !refused; i++) {
        refused = send_chunk(&agent, &offset, 150000) == SL_E_FULL;
        uv_run(&loop, UV_RUN_NOWAIT);
    }
    assert_true(refused);
    assert_true(sl_channel_queued_bytes(agent.channel) <= SL_CHANNEL_QUEUE_BYTES + 160000);
    assert_int_equal(host.messages, 0);
    sl_channel_resume(host.channel);
    run_until(&loop, &agent.writable);
    assert_int_equal(send_chunk(&agent, &offset, 5), 0);
    while (host.bytes < offset)
        uv_run(&loop, UV_RUN_ONCE);
    assert_int_equal(host.bytes, offset);
    finish(&loop, &host, &agent);
}

TEST(closing_inside_a_message_is_the_last_thing_heard)
{
    uv_loop_t loop;
    struct end host, agent;
    uint64_t offset = 0;
    start_pair(&loop, &host, &agent, 1);
    host.close_after = 2;
    run_until(&loop, &agent.ready);
    for (int i = 0; i < 5; i++)
        assert_int_equal(send_chunk(&agent, &offset, 100), 0);
    run_until(&loop, &host.closed);
    assert_int_equal(host.messages, 2);
    run_until(&loop, &agent.closed);
    finish(&loop, &host, &agent);
}

TEST(connecting_where_nobody_listens_closes_with_the_error)
{
    uv_loop_t loop;
    struct end host;
    struct sl_address address, bound;
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(sl_address_parse("tcp:127.0.0.1:0", &address, NULL), 0);
    int fd = sl_address_listen(&address, &bound);
    close(fd);
    start(&loop, &host, SL_ROLE_HOST, 1);
    sl_channel_connect(host.channel, &bound);
    assert_int_equal(host.closed, 0); /* never inside the call */
    run_until(&loop, &host.closed);
    assert_true(host.code < 0);
    assert_int_equal(uv_loop_close(&loop), 0);
}

TEST(a_watched_peer_says_its_time)
{
    uv_loop_t loop;
    struct end host, agent;
    start_pair(&loop, &host, &agent, 1);
    run_until(&loop, &host.ready);
    run_until(&loop, &agent.ready);
    uv_update_time(&loop); /* its timers count from there */
    uint64_t begin_ns = sl_clock_ns();
    sl_channel_watch_clock(host.channel, true);
    while (host.pongs < 4)
        uv_run(&loop, UV_RUN_ONCE);
    assert_true(sl_clock_ns() - begin_ns >= UINT64_C(3) * SL_CHANNEL_WATCH_MS * 900000);
    assert_true(host.asked_us <= host.said_us && host.said_us <= sl_clock_utc_ns() / 1000);
    assert_true(host.said_us - host.asked_us < 10 * 1000000);
    assert_int_equal(agent.messages, 0); /* it is asked, and hears nothing of that */
    sl_channel_watch_clock(host.channel, false);
    for (int i = 0; i < 20; i++) /* one may be asked for already */
        uv_run(&loop, UV_RUN_NOWAIT);
    int pongs = host.pongs;
    begin_ns = sl_clock_ns();
    while (sl_clock_ns() - begin_ns < UINT64_C(3) * SL_CHANNEL_WATCH_MS * 1000000)
        uv_run(&loop, UV_RUN_ONCE);
    assert_int_equal(host.pongs, pongs);
    finish(&loop, &host, &agent);
}

TEST(an_older_peers_pong_says_nothing)
{
    uv_loop_t loop;
    struct end host, agent;
    Sme2lab__Proto__Ping pong = SME2LAB__PROTO__PING__INIT;
    Sme2lab__Proto__Envelope envelope = SME2LAB__PROTO__ENVELOPE__INIT;
    envelope.body_case = SME2LAB__PROTO__ENVELOPE__BODY_PONG;
    envelope.pong = &pong;
    pong.token = 7;
    start_pair(&loop, &host, &agent, 1);
    run_until(&loop, &host.ready);
    run_until(&loop, &agent.ready);
    assert_int_equal(sl_channel_send(agent.channel, &envelope), 0);
    pong.utc_us = 8;
    assert_int_equal(sl_channel_send(agent.channel, &envelope), 0);
    run_until(&loop, &host.pongs);
    assert_int_equal(host.messages, 1);
    assert_int_equal(host.said_us, 8);
    finish(&loop, &host, &agent);
}

TEST(garbage_instead_of_frames_closes)
{
    uv_loop_t loop;
    struct end host;
    int peer = start_alone(&loop, &host);
    assert_int_equal(write(peer, "GET / HTTP/1.1\r\n\r\n", 18), 18);
    run_until(&loop, &host.closed);
    assert_true(host.code < 0);
    close(peer);
    assert_int_equal(uv_loop_close(&loop), 0);
}

TEST(a_sealed_session_loses_nothing)
{
    sealed = true;
    a_paused_reader_stops_the_writer_and_nothing_is_lost(state);
    sealed = false;
}

TEST(a_frame_without_its_seal_ends_a_sealed_session)
{
    uv_loop_t loop;
    struct end host, agent;
    struct sl_buf frame;
    int fds[2];
    Sme2lab__Proto__Ping ping = SME2LAB__PROTO__PING__INIT;
    Sme2lab__Proto__Envelope envelope = SME2LAB__PROTO__ENVELOPE__INIT;
    envelope.body_case = SME2LAB__PROTO__ENVELOPE__BODY_PING;
    envelope.ping = &ping;
    sealed = true;
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    start(&loop, &host, SL_ROLE_HOST, 1);
    start(&loop, &agent, SL_ROLE_AGENT, 1);
    sealed = false;
    sl_channel_open_fd(host.channel, fds[0]);
    sl_channel_open_fd(agent.channel, fds[1]);
    run_until(&loop, &host.ready);
    run_until(&loop, &agent.ready);
    sl_buf_init(&frame, 100);
    assert_int_equal(sl_message_append(&frame, &envelope, NULL), 0);
    assert_int_equal(write(fds[0], frame.data, frame.size), (ssize_t)frame.size);
    sl_buf_fini(&frame);
    run_until(&loop, &agent.closed);
    assert_int_equal(agent.code, SL_E_MISMATCH);
    agent.channel = NULL;
    run_until(&loop, &host.closed);
    host.channel = NULL;
    finish(&loop, &host, &agent);
}
