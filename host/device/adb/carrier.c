/* host/device/adb/carrier.c: the table of a carrier, and the one over TCP. */
#include "host/device/adb/carrier.h"

#include <errno.h>
#include <stdbool.h>

#include <uv.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/base/socket.h"
#include "common/net/address.h"

enum {
    READ_BYTES = 64 << 10,
    UNSENT_BYTES = 16 << 20, /* above it the device is given up: it floods and does not read */
    SILENT_MS = 20000,       /* of sent bytes that are not acknowledged, by TCP */
};

struct tcp {
    struct sl_adb_carrier carrier; /* first */
    uv_tcp_t handle;
    uv_connect_t connect;
    struct sl_address address;
    uint8_t buffer[READ_BYTES];
};

/* --- any carrier --- */

int sl_adb_carrier_send(struct sl_adb_carrier *carrier, struct sl_buf *message)
{
    return carrier->ops->send(carrier, message);
}

size_t sl_adb_carrier_unsent(const struct sl_adb_carrier *carrier)
{
    return carrier->ops->unsent(carrier);
}

void sl_adb_carrier_close(struct sl_adb_carrier *carrier)
{
    carrier->ops->close(carrier);
}

/* --- TCP --- */

struct write {
    uv_write_t request;
    struct sl_buf bytes;
};

static void fail(struct tcp *tcp, int status)
{
    if (!uv_is_closing((uv_handle_t *)&tcp->handle))
        tcp->carrier.events.failed(tcp->carrier.user, status == UV_EOF
                                                          ? "the device closed the connection"
                                                          : uv_strerror(status));
}

static void on_written(uv_write_t *request, int status)
{
    struct write *written = request->data;
    struct tcp *tcp = request->handle->data;
    sl_buf_fini(&written->bytes);
    sl_free(written);
    if (status < 0)
        fail(tcp, status);
    else
        tcp->carrier.events.written(tcp->carrier.user);
}

static size_t unsent_tcp(const struct sl_adb_carrier *carrier)
{
    const struct tcp *tcp = (const struct tcp *)carrier;
    return uv_stream_get_write_queue_size((const uv_stream_t *)&tcp->handle);
}

static int send_tcp(struct sl_adb_carrier *carrier, struct sl_buf *bytes)
{
    struct tcp *tcp = (struct tcp *)carrier;
    struct write *written = sl_calloc(1, sizeof(*written));
    uv_buf_t buf = uv_buf_init((char *)bytes->data, (unsigned)bytes->size);
    int rc = written ? 0 : -ENOMEM;
    if (rc == 0 && unsent_tcp(carrier) > UNSENT_BYTES)
        rc = SL_E_FULL;
    if (rc == 0) {
        written->request.data = written;
        written->bytes = *bytes;
        rc = uv_write(&written->request, (uv_stream_t *)&tcp->handle, &buf, 1, on_written);
    }
    if (rc < 0) {
        sl_buf_fini(bytes);
        sl_free(written);
    }
    *bytes = (struct sl_buf){.data = NULL};
    return rc;
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *out)
{
    struct tcp *tcp = handle->data;
    (void)suggested;
    *out = uv_buf_init((char *)tcp->buffer, sizeof(tcp->buffer));
}

static void on_read(uv_stream_t *stream, ssize_t got, const uv_buf_t *buf)
{
    struct tcp *tcp = stream->data;
    if (got < 0)
        fail(tcp, (int)got);
    else if (got > 0)
        tcp->carrier.events.bytes(tcp->carrier.user, (const uint8_t *)buf->base, (size_t)got);
}

static void on_connected(uv_connect_t *request, int status)
{
    struct tcp *tcp = request->handle->data;
    int fd = -1;
    if (status < 0) {
        fail(tcp, status);
        return;
    }
    uv_tcp_nodelay(&tcp->handle, 1);
    uv_tcp_keepalive(&tcp->handle, 1, 1);
    if (uv_fileno((uv_handle_t *)&tcp->handle, &fd) == 0)
        sl_socket_limit_silence(fd, SILENT_MS);
    uv_read_start((uv_stream_t *)&tcp->handle, on_alloc, on_read);
    tcp->carrier.events.connected(tcp->carrier.user);
}

static void on_closed(uv_handle_t *handle)
{
    struct tcp *tcp = handle->data;
    struct sl_adb_carrier carrier = tcp->carrier;
    sl_free(tcp);
    carrier.events.closed(carrier.user);
}

static void close_tcp(struct sl_adb_carrier *carrier)
{
    struct tcp *tcp = (struct tcp *)carrier;
    uv_close((uv_handle_t *)&tcp->handle, on_closed);
}

/* Nobody was told of it. */
static void on_unopened(uv_handle_t *handle)
{
    sl_free(handle->data);
}

int sl_adb_carrier_open_tcp(uv_loop_t *loop, const struct sl_address *address,
                            const struct sl_adb_carrier_events *events, void *user,
                            struct sl_adb_carrier **out)
{
    static const struct sl_adb_carrier_ops ops = {send_tcp, unsent_tcp, close_tcp};
    struct tcp *tcp = sl_calloc(1, sizeof(*tcp));
    int rc = tcp ? uv_tcp_init(loop, &tcp->handle) : -ENOMEM;
    if (rc < 0) {
        sl_free(tcp);
        return rc;
    }
    tcp->carrier = (struct sl_adb_carrier){.ops = &ops, .events = *events, .user = user};
    tcp->handle.data = tcp;
    tcp->address = *address;
    rc = uv_tcp_connect(&tcp->connect, &tcp->handle, (const struct sockaddr *)&tcp->address.socket,
                        on_connected);
    if (rc < 0) {
        uv_close((uv_handle_t *)&tcp->handle, on_unopened);
        return rc;
    }
    *out = &tcp->carrier;
    return 0;
}
