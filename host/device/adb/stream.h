/* host/device/adb/stream.h: one connection to an adb server, and through it one service of the
 * server or of one of its devices; or the same service of a device without a server.
 *
 * On the loop's thread. No callback fires inside the call that registered it; `closed` is the
 * terminal one and fires exactly once. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct uv_loop_s uv_loop_t;
struct sl_address;
struct sl_adb_stream;
struct sl_adb_wire;
struct sl_diag;

enum {
    SL_ADB_OPEN_MS = 10000,       /* until the service answers */
    SL_ADB_QUEUE_BYTES = 1 << 20, /* not sent yet; above it writing is refused */
    SL_ADB_SERVER_BYTES = 128,
};

/* Finds the server: ADB_SERVER_SOCKET, else ANDROID_ADB_SERVER_ADDRESS and _PORT, else
 * 127.0.0.1:5037, as for adb itself. Its name for messages goes to `out_name` (may be NULL).
 * -EINVAL with `diag` set if a variable is no address. */
int sl_adb_server_find(struct sl_address *out, char out_name[SL_ADB_SERVER_BYTES],
                       struct sl_diag *diag);

struct sl_adb_stream_options {
    struct sl_adb_wire *wire; /* to the device, which outlives the stream; NULL: by the server */
    const char *serial;       /* of the device; NULL: the service is the server's own */
    const char *service;      /* both are copied */
    uint32_t idle_ms;         /* once open, silence after which it is given up; 0: never */
};

struct sl_adb_stream_events {
    void (*opened)(void *user); /* the service answers; may be NULL */
    void (*bytes)(void *user, const uint8_t *bytes, size_t len);
    void (*writable)(
        void *user); /* some of what was queued is sent, and half may be; may be NULL */
    /* 0: the service ended it, or sl_adb_stream_close() did. SL_E_STATE: the server refused, and
     * `reason` is its own words. -ECONNREFUSED, -ENOENT: no server is there. The object is freed
     * after it. */
    void (*closed)(void *user, int code, const char *reason);
};

/* 0, -EINVAL, SL_E_LIMIT, -ENOMEM or -errno, with nothing to come. */
int sl_adb_stream_open(uv_loop_t *loop, const struct sl_adb_stream_options *options,
                       const struct sl_adb_stream_events *events, void *user,
                       struct sl_adb_stream **out);

/* Queues bytes, whole or not at all: SL_E_FULL, -ENOMEM; SL_E_STATE before `opened`. */
int sl_adb_stream_write(struct sl_adb_stream *stream, const void *bytes, size_t len);

size_t sl_adb_stream_unsent(const struct sl_adb_stream *stream); /* bytes in the queue */

/* Within `opened`: takes the connected socket out, of which no byte of the service was read; the
 * caller closes it. `closed` follows. */
int sl_adb_stream_take_fd(struct sl_adb_stream *stream);

/* Ends it; idempotent. */
void sl_adb_stream_close(struct sl_adb_stream *stream);
