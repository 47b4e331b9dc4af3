/* common/net/channel.c */
#include "common/net/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <uv.h>

#include "common/base/buf.h"
#include "common/base/clock.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/net/address.h"
#include "common/net/frame.h"
#include "common/net/handshake.h"
#include "common/net/message.h"
#include "common/net/seal.h"
#include "proto/envelope.pb-c.h"

enum { READ_BYTES = 64 << 10, MAX_SOFTWARE_BYTES = 128, TICK_MS = 1000, NS_PER_US = 1000 };

struct sl_channel {
    uv_loop_t *loop;
    struct sl_channel_events events;
    void *user;
    uv_poll_t poll; /* the socket, once there is one */
    uv_timer_t tick;
    int fd; /* owned; -1: none yet */
    int open_handles;
    bool polling, connecting, closing, paused, ready, was_full;
    bool watches; /* the peer's clock */
    int code;     /* why it closed */
    char reason[200];
    struct sl_handshake handshake;
    struct sl_seal seal; /* of a sealed session, once it is ready */
    struct sl_frame_reader reader;
    struct sl_buf queue; /* frames to send; `sent` of its bytes are gone */
    size_t sent;
    uint64_t opened_ms, heard_ms;
    uint8_t read_buffer[READ_BYTES];
};

static void on_event(uv_poll_t *poll, int status, int events);

static void channel_free(struct sl_channel *channel)
{
    sl_frame_reader_fini(&channel->reader);
    sl_buf_fini(&channel->queue);
    if (channel->fd >= 0)
        close(channel->fd);
    sl_free(channel);
}

static void on_handle_closed(uv_handle_t *handle)
{
    struct sl_channel *channel = handle->data;
    if (--channel->open_handles > 0)
        return;
    struct sl_channel_events events = channel->events;
    void *user = channel->user;
    int code = channel->code;
    char reason[sizeof(channel->reason)];
    memcpy(reason, channel->reason, sizeof(reason));
    channel_free(channel);
    events.closed(user, code, reason); /* last: the owner may be freed in it */
}

static void end(struct sl_channel *channel, int code, const char *reason)
{
    if (channel->closing)
        return;
    channel->closing = true;
    channel->code = code;
    snprintf(channel->reason, sizeof(channel->reason), "%s", reason);
    uv_close((uv_handle_t *)&channel->tick, on_handle_closed);
    if (channel->polling)
        uv_close((uv_handle_t *)&channel->poll, on_handle_closed);
}

void sl_channel_close(struct sl_channel *channel)
{
    end(channel, 0, "closed");
}

/* The socket is asked for what there is use for, and no more. */
static void update_poll(struct sl_channel *channel)
{
    if (channel->closing || !channel->polling)
        return;
    int wanted = channel->paused ? 0 : UV_READABLE;
    if (channel->connecting || channel->sent < channel->queue.size)
        wanted |= UV_WRITABLE;
    int rc = wanted != 0 ? uv_poll_start(&channel->poll, wanted, on_event)
                         : uv_poll_stop(&channel->poll);
    if (rc < 0)
        end(channel, rc, uv_strerror(rc));
}

/* Writes what the socket takes. A full one leaves the rest queued. */
static void flush(struct sl_channel *channel)
{
    while (channel->sent < channel->queue.size) {
        ssize_t put = send(channel->fd, channel->queue.data + channel->sent,
                           channel->queue.size - channel->sent, MSG_NOSIGNAL);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            break;
        if (put < 0) {
            end(channel, -errno, strerror(errno));
            return;
        }
        channel->sent += (size_t)put;
    }
    if (channel->sent == channel->queue.size) {
        channel->queue.size = channel->sent = 0;
    } else if (channel->sent >
               SL_CHANNEL_QUEUE_BYTES / 2) { /* the front is never moved for little */
        memmove(channel->queue.data, channel->queue.data + channel->sent,
                channel->queue.size - channel->sent);
        channel->queue.size -= channel->sent;
        channel->sent = 0;
    }
    if (channel->was_full && sl_channel_queued_bytes(channel) < SL_CHANNEL_QUEUE_BYTES / 2) {
        channel->was_full = false;
        if (channel->events.writable)
            channel->events.writable(channel->user);
    }
}

static int append(struct sl_channel *channel, const Sme2lab__Proto__Envelope *envelope)
{
    struct sl_seal *seal = channel->handshake.sealed ? &channel->seal : NULL;
    return sl_message_append(&channel->queue, envelope, seal);
}

static int take_ping(struct sl_channel *channel, const Sme2lab__Proto__Ping *ping)
{
    Sme2lab__Proto__Envelope pong = SME2LAB__PROTO__ENVELOPE__INIT;
    Sme2lab__Proto__Ping body = *ping;
    body.utc_us = sl_clock_utc_ns() / NS_PER_US;
    pong.body_case = SME2LAB__PROTO__ENVELOPE__BODY_PONG;
    pong.pong = &body;
    int rc = append(channel, &pong);
    return rc == SL_E_LIMIT ? 0 : rc; /* a full queue is life enough */
}

static int take_message(struct sl_channel *channel, const Sme2lab__Proto__Envelope *envelope)
{
    switch (envelope->body_case) {
    case SME2LAB__PROTO__ENVELOPE__BODY__NOT_SET:
        return 0;
    case SME2LAB__PROTO__ENVELOPE__BODY_PONG:
        if (envelope->pong->utc_us != 0)
            channel->events.message(channel->user, envelope);
        return 0;
    case SME2LAB__PROTO__ENVELOPE__BODY_PING:
        return take_ping(channel, envelope->ping);
    case SME2LAB__PROTO__ENVELOPE__BODY_REFUSAL:
        return sl_handshake_take(&channel->handshake, envelope, &channel->queue);
    default:
        channel->events.message(channel->user, envelope);
        return 0;
    }
}

static void set_ready(struct sl_channel *channel)
{
    uint8_t key[SL_SEAL_KEY_BYTES];
    sl_handshake_session_key(&channel->handshake, key);
    sl_seal_init(&channel->seal, channel->handshake.role == SL_ROLE_HOST, key);
    channel->ready = true;
    channel->events.ready(channel->user);
}

static int take_payload(void *user, const uint8_t *payload, size_t len)
{
    struct sl_channel *channel = user;
    Sme2lab__Proto__Envelope *envelope = NULL;
    long left = (long)len;
    if (channel->ready && channel->handshake.sealed)
        left = sl_seal_take(&channel->seal, payload, len);
    if (left < 0) {
        snprintf(channel->handshake.refusal, sizeof(channel->handshake.refusal),
                 "a frame's MAC is wrong: somebody changed what the peer sent");
        return (int)left;
    }
    int rc = sl_message_decode(payload, (size_t)left, &envelope);
    if (rc < 0)
        return rc;
    if (channel->ready) {
        rc = take_message(channel, envelope);
    } else {
        rc = sl_handshake_take(&channel->handshake, envelope, &channel->queue);
        if (rc == 0 && channel->handshake.done)
            set_ready(channel);
    }
    sl_message_free(envelope);
    return rc == 0 && channel->closing ? SL_E_STATE : rc;
}

static void read_some(struct sl_channel *channel)
{
    ssize_t got = recv(channel->fd, channel->read_buffer, READ_BYTES, 0);
    if (got == 0) {
        end(channel, channel->ready ? 0 : SL_E_TRUNCATED, "the peer closed the connection");
        return;
    }
    if (got < 0) {
        if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
            end(channel, -errno, strerror(errno));
        return;
    }
    channel->heard_ms = uv_now(channel->loop);
    int rc = sl_frame_reader_feed(&channel->reader, channel->read_buffer, (size_t)got, take_payload,
                                  channel);
    if (rc < 0 && !channel->closing) {
        flush(channel); /* a refusal should still get out */
        end(channel, rc,
            channel->handshake.refusal[0] ? channel->handshake.refusal : sl_strerror(rc));
    }
}

/* Returns and clears the socket's error: an errno, 0: none. */
static int socket_error(const struct sl_channel *channel)
{
    int error = 0;
    socklen_t len = sizeof(error);
    return getsockopt(channel->fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0 ? errno : error;
}

static void finish_connect(struct sl_channel *channel)
{
    int error = socket_error(channel);
    channel->connecting = false;
    if (error != 0)
        end(channel, -error, strerror(error));
}

static void on_event(uv_poll_t *poll, int status, int events)
{
    struct sl_channel *channel = poll->data;
    if (status < 0) { /* UV_EBADF is said of every error, a connection reset for one */
        int error = socket_error(channel);
        end(channel, error != 0 ? -error : status, error ? strerror(error) : uv_strerror(status));
        return;
    }
    if (channel->connecting)
        finish_connect(channel);
    if (!channel->closing && (events & UV_READABLE) && !channel->paused)
        read_some(channel);
    if (!channel->closing)
        flush(channel);
    update_poll(channel);
}

static void send_ping(struct sl_channel *channel)
{
    Sme2lab__Proto__Ping ping = SME2LAB__PROTO__PING__INIT;
    Sme2lab__Proto__Envelope envelope = SME2LAB__PROTO__ENVELOPE__INIT;
    ping.token = sl_clock_utc_ns() / NS_PER_US;
    envelope.body_case = SME2LAB__PROTO__ENVELOPE__BODY_PING;
    envelope.ping = &ping;
    sl_channel_send(channel, &envelope);
}

static void on_tick(uv_timer_t *timer)
{
    struct sl_channel *channel = timer->data;
    uint64_t now = uv_now(channel->loop);
    if (!channel->ready) {
        if (now - channel->opened_ms >= SL_CHANNEL_HANDSHAKE_MS)
            end(channel, SL_E_TIMEOUT, "the peer did not prove itself in time");
        return;
    }
    if (channel->paused)
        return;
    if (now - channel->heard_ms >= SL_CHANNEL_DEAD_MS)
        end(channel, SL_E_TIMEOUT, "the peer went silent");
    else if (channel->watches || now - channel->heard_ms >= SL_CHANNEL_PING_MS)
        send_ping(channel);
}

int sl_channel_new(uv_loop_t *loop, const struct sl_channel_options *options,
                   const struct sl_channel_events *events, void *user, struct sl_channel **out)
{
    uint8_t nonce[SL_NONCE_BYTES];
    char name[MAX_SOFTWARE_BYTES];
    struct sl_channel *channel = sl_calloc(1, sizeof(*channel));
    if (!channel)
        return -ENOMEM;
    channel->loop = loop;
    channel->events = *events;
    channel->user = user;
    channel->fd = -1;
    sl_random_bytes(nonce, sizeof(nonce));
    snprintf(name, sizeof(name), "%s", options->software);
    sl_handshake_init(&channel->handshake, options->role, options->secret, nonce);
    channel->handshake.sealed = options->sealed;
    sl_frame_reader_init(&channel->reader);
    sl_buf_init(&channel->queue,
                SL_CHANNEL_QUEUE_BYTES + SL_FRAME_HEADER_BYTES + SL_FRAME_MAX_BYTES);
    int rc = sl_handshake_hello(&channel->handshake, name, &channel->queue);
    if (rc < 0) {
        channel_free(channel);
        return rc;
    }
    uv_timer_init(loop, &channel->tick); /* cannot fail */
    channel->tick.data = channel;
    channel->open_handles = 1;
    channel->opened_ms = uv_now(loop);
    uv_timer_start(&channel->tick, on_tick, TICK_MS, TICK_MS);
    *out = channel;
    return 0;
}

void sl_channel_open_fd(struct sl_channel *channel, int fd)
{
    channel->fd = fd;
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    int rc = fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) < 0
                 ? -errno
                 : uv_poll_init(channel->loop, &channel->poll, fd);
    if (rc < 0) {
        end(channel, rc, uv_strerror(rc));
        return;
    }
    channel->poll.data = channel;
    channel->polling = true;
    channel->open_handles++;
    channel->heard_ms = uv_now(channel->loop);
    update_poll(channel);
}

void sl_channel_connect(struct sl_channel *channel, const struct sl_address *address)
{
    int fd = socket(address->socket.ss_family, SOCK_STREAM, 0);
    int rc = fd < 0 || fcntl(fd, F_SETFL, O_NONBLOCK) < 0 ? -errno : 0;
    if (rc == 0 && connect(fd, (const struct sockaddr *)&address->socket, address->len) < 0) {
        rc = errno == EINPROGRESS || errno == EAGAIN ? 0 : -errno;
        channel->connecting = rc == 0;
    }
    if (rc < 0) {
        if (fd >= 0)
            close(fd);
        end(channel, rc, strerror(-rc));
        return;
    }
    sl_channel_open_fd(channel, fd);
}

int sl_channel_send(struct sl_channel *channel, const Sme2lab__Proto__Envelope *envelope)
{
    if (channel->ready && sl_channel_queued_bytes(channel) >= SL_CHANNEL_QUEUE_BYTES) {
        channel->was_full = true;
        return SL_E_FULL;
    }
    return sl_channel_tell(channel, envelope);
}

int sl_channel_tell(struct sl_channel *channel, const Sme2lab__Proto__Envelope *envelope)
{
    if (!channel->ready || channel->closing)
        return SL_E_STATE;
    int rc = append(channel, envelope);
    if (rc == SL_E_LIMIT) {
        channel->was_full = true;
        return SL_E_FULL;
    }
    if (rc == 0)
        update_poll(channel);
    return rc;
}

void sl_channel_watch_clock(struct sl_channel *channel, bool watch)
{
    uint64_t tick_ms = watch ? SL_CHANNEL_WATCH_MS : TICK_MS;
    if (!channel->ready || channel->closing || channel->watches == watch)
        return;
    channel->watches = watch;
    uv_timer_start(&channel->tick, on_tick, tick_ms, tick_ms);
    if (watch)
        send_ping(channel);
}

const char *sl_channel_peer(const struct sl_channel *channel)
{
    return channel->handshake.peer;
}

size_t sl_channel_queued_bytes(const struct sl_channel *channel)
{
    return channel->queue.size - channel->sent;
}

void sl_channel_pause(struct sl_channel *channel)
{
    channel->paused = true;
    update_poll(channel);
}

void sl_channel_resume(struct sl_channel *channel)
{
    channel->paused = false;
    channel->heard_ms = uv_now(channel->loop);
    update_poll(channel);
}
