/* host/device/adb/stream.c */
#include "host/device/adb/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <uv.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/base/socket.h"
#include "common/net/address.h"
#include "host/device/adb/smart_socket.h"
#include "host/device/adb/wire.h"

enum { READ_BYTES = 64 << 10, TRANSPORT_BYTES = 256, SOCKET_BYTES = 1 << 20 };

struct sl_adb_stream {
    struct sl_adb_stream_events events;
    void *user;
    uv_poll_t poll;
    uv_timer_t timer; /* until it is open, then of idleness */
    uint64_t idle_ms;
    int fd; /* -1: taken out */
    int open_handles;
    bool connects, bound, open, closing;
    const char *peer;            /* in words */
    struct sl_adb_status status; /* the one that is awaited */
    char *service;               /* owned; sent once the device is bound */
    struct sl_buf unsent;        /* `gone` of its bytes are gone */
    size_t gone;
    int end_code;
    char reason[SL_ADB_REASON_BYTES];
    uint8_t buffer[READ_BYTES];
};

/* --- where the server is --- */

/* adb's own way to write an address, in ours. */
static int translate(const char *spec, char *out, size_t size)
{
    static const char file[] = "localfilesystem:", abstract[] = "localabstract:", tcp[] = "tcp:";
    int len = -1;
    if (strncmp(spec, file, sizeof(file) - 1) == 0)
        len = snprintf(out, size, "unix:%s", spec + sizeof(file) - 1);
    else if (strncmp(spec, abstract, sizeof(abstract) - 1) == 0)
        len = snprintf(out, size, "abstract:%s", spec + sizeof(abstract) - 1);
    else if (strncmp(spec, tcp, sizeof(tcp) - 1) == 0)
        len = snprintf(out, size, strchr(spec + 4, ':') ? "%s" : "tcp:127.0.0.1:%s",
                       strchr(spec + 4, ':') ? spec : spec + 4);
    return len > 0 && (size_t)len < size ? 0 : -EINVAL;
}

int sl_adb_server_find(struct sl_address *out, char out_name[SL_ADB_SERVER_BYTES],
                       struct sl_diag *diag)
{
    char name[SL_ADB_SERVER_BYTES];
    const char *spec = getenv("ADB_SERVER_SOCKET"), *host = getenv("ANDROID_ADB_SERVER_ADDRESS"),
               *port = getenv("ANDROID_ADB_SERVER_PORT");
    int rc = 0;
    if (spec && *spec)
        rc = translate(spec, name, sizeof(name));
    else
        snprintf(name, sizeof(name), "tcp:%.80s:%.16s", host && *host ? host : "127.0.0.1",
                 port && *port ? port : "5037");
    if (rc == 0)
        rc = sl_address_parse(name, out, diag);
    if (rc < 0) {
        sl_diag_hint(diag, "set ADB_SERVER_SOCKET to tcp:PORT, tcp:ADDRESS:PORT or "
                           "localfilesystem:PATH, or take it out");
        return sl_diag_set(diag, -EINVAL, spec ? spec : name,
                           "That is no address of an adb server");
    }
    if (out_name)
        memcpy(out_name, name, sizeof(name));
    return 0;
}

/* --- end --- */

static void on_handle_closed(uv_handle_t *handle)
{
    struct sl_adb_stream *stream = handle->data;
    if (--stream->open_handles > 0)
        return;
    struct sl_adb_stream_events events = stream->events;
    void *user = stream->user;
    int code = stream->end_code;
    char reason[sizeof(stream->reason)];
    memcpy(reason, stream->reason, sizeof(reason));
    if (stream->fd >= 0)
        close(stream->fd);
    sl_buf_fini(&stream->unsent);
    sl_free(stream->service);
    sl_free(stream);
    events.closed(user, code, reason); /* last: the owner may be freed in it */
}

static void end(struct sl_adb_stream *stream, int code, const char *reason)
{
    if (stream->closing)
        return;
    stream->closing = true;
    stream->end_code = code;
    snprintf(stream->reason, sizeof(stream->reason), "%s", reason);
    uv_close((uv_handle_t *)&stream->timer, on_handle_closed);
    uv_close((uv_handle_t *)&stream->poll, on_handle_closed);
}

void sl_adb_stream_close(struct sl_adb_stream *stream)
{
    end(stream, 0, "closed");
}

static void on_timer(uv_timer_t *timer)
{
    struct sl_adb_stream *stream = timer->data;
    char reason[SL_ADB_REASON_BYTES];
    snprintf(reason, sizeof(reason), "%s does not answer in time", stream->peer);
    end(stream, SL_E_TIMEOUT, stream->open ? "the device went silent" : reason);
}

/* --- bytes --- */

static void on_event(uv_poll_t *poll, int status, int events);

static void update_poll(struct sl_adb_stream *stream)
{
    if (stream->closing)
        return;
    bool writes = stream->connects || stream->gone < stream->unsent.size;
    int rc = uv_poll_start(&stream->poll, UV_READABLE | (writes ? UV_WRITABLE : 0), on_event);
    if (rc < 0)
        end(stream, rc, uv_strerror(rc));
}

size_t sl_adb_stream_unsent(const struct sl_adb_stream *stream)
{
    return stream->unsent.size - stream->gone;
}

/* Half of the queue is free again, behind what waits. */
static void tell_writable(struct sl_adb_stream *stream)
{
    struct sl_buf *unsent = &stream->unsent;
    size_t left = sl_adb_stream_unsent(stream);
    if (left > SL_ADB_QUEUE_BYTES / 2)
        return;
    if (left <= stream->gone) { /* fewer bytes are moved than have gone */
        memmove(unsent->data, unsent->data + stream->gone, left);
        unsent->size = left;
        stream->gone = 0;
    }
    if (stream->open && stream->events.writable)
        stream->events.writable(stream->user);
}

static void flush(struct sl_adb_stream *stream)
{
    size_t before = stream->gone;
    while (stream->gone < stream->unsent.size) {
        ssize_t put = send(stream->fd, stream->unsent.data + stream->gone,
                           stream->unsent.size - stream->gone, MSG_NOSIGNAL);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            break;
        if (put < 0) {
            end(stream, -errno, strerror(errno));
            return;
        }
        stream->gone += (size_t)put;
        if (stream->open && stream->idle_ms != 0)
            uv_timer_again(&stream->timer);
    }
    if (stream->gone > before)
        tell_writable(stream);
}

/* The answer has come: to the choice of the device, or to the service. */
static void take_okay(struct sl_adb_stream *stream)
{
    if (stream->bound) {
        stream->open = true;
        uv_timer_stop(&stream->timer);
        if (stream->idle_ms != 0)
            uv_timer_start(&stream->timer, on_timer, stream->idle_ms, stream->idle_ms);
        if (stream->events.opened)
            stream->events.opened(stream->user);
        return;
    }
    stream->bound = true;
    stream->status = (struct sl_adb_status){.have = 0};
    int rc = sl_adb_request(&stream->unsent, stream->service);
    if (rc < 0)
        end(stream, rc, sl_strerror(rc));
}

static void take(struct sl_adb_stream *stream, size_t len)
{
    if (stream->open) {
        if (stream->idle_ms != 0)
            uv_timer_again(&stream->timer);
        stream->events.bytes(stream->user, stream->buffer, len);
        return;
    }
    int rc = sl_adb_status_take(&stream->status, stream->buffer, len);
    if (rc == 1)
        take_okay(stream);
    else if (rc == SL_E_STATE)
        end(stream, rc, stream->status.reason[0] ? stream->status.reason : "no reason was given");
    else if (rc < 0)
        end(stream, rc, "what answers is no adb server");
}

static void end_by_peer(struct sl_adb_stream *stream)
{
    char reason[SL_ADB_REASON_BYTES];
    snprintf(reason, sizeof(reason), "%s closed the connection", stream->peer);
    end(stream, stream->open ? 0 : SL_E_TRUNCATED, reason);
}

static void read_some(struct sl_adb_stream *stream)
{
    size_t wanted = stream->open ? READ_BYTES : sl_adb_status_wants(&stream->status);
    ssize_t got = recv(stream->fd, stream->buffer, wanted < READ_BYTES ? wanted : READ_BYTES, 0);
    if (got > 0)
        take(stream, (size_t)got);
    else if (got == 0)
        end_by_peer(stream);
    else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
        end(stream, -errno, strerror(errno));
}

static void on_event(uv_poll_t *poll, int status, int events)
{
    struct sl_adb_stream *stream = poll->data;
    int error = 0;
    socklen_t len = sizeof(error);
    if (status < 0 || stream->connects) {
        getsockopt(stream->fd, SOL_SOCKET, SO_ERROR, &error, &len);
        stream->connects = false;
        if (error != 0 || status < 0) {
            end(stream, error != 0 ? -error : status,
                error != 0 ? strerror(error) : uv_strerror(status));
            return;
        }
    }
    if (events & UV_READABLE)
        read_some(stream);
    if (!stream->closing)
        flush(stream);
    update_poll(stream);
}

int sl_adb_stream_write(struct sl_adb_stream *stream, const void *bytes, size_t len)
{
    if (!stream->open || stream->closing)
        return SL_E_STATE;
    if (len > SL_ADB_QUEUE_BYTES - sl_adb_stream_unsent(stream))
        return SL_E_FULL;
    int rc = sl_buf_append(&stream->unsent, bytes, len);
    update_poll(stream);
    return rc;
}

int sl_adb_stream_take_fd(struct sl_adb_stream *stream)
{
    int fd = stream->fd;
    uv_poll_stop(&stream->poll); /* before it is another's */
    stream->fd = -1;
    end(stream, 0, "taken out");
    return fd;
}

/* --- begin --- */

static int connect_to(const struct sl_address *address, int *out_fd, bool *out_connecting)
{
    int fd = sl_socket(address->socket.ss_family, SOCK_STREAM, true);
    int rc = fd < 0 ? fd : 0, room = SOCKET_BYTES; /* the system may give less */
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
    *out_connecting = false;
    if (rc == 0 && connect(fd, (const struct sockaddr *)&address->socket, address->len) < 0) {
        rc = errno == EINPROGRESS ? 0 : -errno;
        *out_connecting = rc == 0;
    }
    if (rc < 0 && fd >= 0)
        close(fd);
    *out_fd = fd;
    return rc;
}

static int queue_first(struct sl_adb_stream *stream, const struct sl_adb_stream_options *options)
{
    char transport[TRANSPORT_BYTES];
    stream->bound = !options->serial || options->wire;
    if (options->wire)
        return 0;
    if (stream->bound)
        return sl_adb_request(&stream->unsent, options->service);
    int len = snprintf(transport, sizeof(transport), "host:transport:%s", options->serial);
    return len < (int)sizeof(transport) ? sl_adb_request(&stream->unsent, transport) : SL_E_LIMIT;
}

int sl_adb_stream_open(uv_loop_t *loop, const struct sl_adb_stream_options *options,
                       const struct sl_adb_stream_events *events, void *user,
                       struct sl_adb_stream **out)
{
    struct sl_address address;
    int rc = options->wire ? 0 : sl_adb_server_find(&address, NULL, NULL);
    struct sl_adb_stream *stream = rc < 0 ? NULL : sl_calloc(1, sizeof(*stream));
    if (!stream)
        return rc < 0 ? rc : -ENOMEM;
    stream->events = *events;
    stream->user = user;
    stream->fd = -1;
    stream->peer = options->wire ? "the device" : "the adb server";
    stream->idle_ms = options->idle_ms;
    sl_buf_init(&stream->unsent, 2 * SL_ADB_QUEUE_BYTES); /* also what has gone */
    stream->service = sl_strndup(options->service, strlen(options->service));
    rc = stream->service ? queue_first(stream, options) : -ENOMEM;
    if (rc == 0 && options->wire)
        rc = sl_adb_wire_open(options->wire, options->service, &stream->fd);
    else if (rc == 0)
        rc = connect_to(&address, &stream->fd, &stream->connects);
    if (rc == 0)
        rc = uv_poll_init(loop, &stream->poll, stream->fd);
    if (rc < 0) {
        if (stream->fd >= 0)
            close(stream->fd);
        sl_buf_fini(&stream->unsent);
        sl_free(stream->service);
        sl_free(stream);
        return rc;
    }
    uv_timer_init(loop, &stream->timer); /* cannot fail */
    stream->poll.data = stream->timer.data = stream;
    stream->open_handles = 2;
    uv_timer_start(&stream->timer, on_timer, SL_ADB_OPEN_MS, 0);
    update_poll(stream);
    *out = stream;
    return 0;
}
