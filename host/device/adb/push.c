/* host/device/adb/push.c */
#include "host/device/adb/push.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include <uv.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/device/adb/listing.h"
#include "host/device/adb/message.h"
#include "host/device/adb/pack.h"
#include "host/device/adb/smart_socket.h"
#include "host/device/adb/stream.h"
#include "host/device/adb/sync_record.h"
#include "host/device/adb/wire.h"

enum { IDLE_MS = 30000, RECORDS_BYTES = 4 * SL_ADB_SYNC_DATA_BYTES };

/* The rate is taken over so many bytes of the file, and not of the first, which sockets and windows
 * hold at any rate. At one above this one, compressing well is what takes the time. A cable of USB
 * 2 carries 40 MB/s. */
enum { TIMED_BYTES = 8 << 20, FAST_BYTES_PER_MS = 100000 };

struct sl_adb_push {
    uv_loop_t *loop;
    struct sl_adb_push_options options; /* but for its texts */
    sl_adb_push_fn done;
    void *user;
    struct sl_adb_stream *stream;
    struct sl_adb_sync_answer answer;
    char path[SL_ADB_SYNC_PATH_BYTES], serial[SL_ADB_SERIAL_BYTES];
    struct sl_adb_texts texts; /* of the server, about the device */
    struct sl_buf features;
    unsigned packs;
    struct sl_adb_pack *pack;
    int fd, rc;
    bool ended, over, cancelled; /* all is read; the device has said so; stopped */
    bool sent;                   /* with the file's end */
    struct sl_buf record;        /* the next to be sent */
    struct sl_buf packed;        /* of the file; `gone` bytes of it are sent */
    size_t gone;
    uint64_t timed_ns; /* since when `timed_bytes` were read; 0: not yet timed */
    size_t timed_bytes;
    uint8_t data[SL_ADB_PACK_BYTES];
};

static void fail(struct sl_adb_push *push, int rc)
{
    push->rc = rc;
    sl_adb_stream_close(push->stream);
}

static int write_record(struct sl_adb_push *push)
{
    int rc = sl_adb_stream_write(push->stream, push->record.data, push->record.size);
    push->record.size = 0;
    return rc;
}

/* How fast the file goes says how well it is worth compressing. */
static void time_read(struct sl_adb_push *push, size_t len)
{
    push->timed_bytes += len;
    if (push->timed_bytes < TIMED_BYTES)
        return;
    uint64_t now_ns = uv_hrtime(), ms = (now_ns - push->timed_ns) / 1000000;
    if (push->timed_ns != 0)
        sl_adb_pack_hurry(push->pack, push->timed_bytes > ms * FAST_BYTES_PER_MS);
    push->timed_ns = now_ns;
    push->timed_bytes = 0;
}

/* Reads on until there is something to be sent, or all is. */
static int pack_some(struct sl_adb_push *push)
{
    int rc = 0;
    push->packed.size = push->gone = 0;
    while (rc == 0 && !push->ended && push->packed.size < SL_ADB_SYNC_DATA_BYTES) {
        ssize_t got = read(push->fd, push->data, sizeof(push->data));
        if (got < 0)
            return -errno;
        push->ended = got == 0;
        rc = sl_adb_pack_put(push->pack, push->data, (size_t)got, push->ended, &push->packed);
        time_read(push, (size_t)got);
    }
    return rc;
}

/* A record of what is packed, and the file's end behind the last one. */
static int send_some(struct sl_adb_push *push)
{
    int rc = push->gone < push->packed.size ? 0 : pack_some(push);
    size_t left = push->packed.size - push->gone, most = sl_adb_pack_record(push->pack);
    size_t n = left < most ? left : most;
    if (rc == 0 && n > 0)
        rc = sl_adb_sync_data(&push->record, n);
    if (rc == 0)
        rc = write_record(push);
    if (rc == 0)
        rc = sl_adb_stream_write(push->stream, push->packed.data + push->gone, n);
    push->gone += n;
    push->sent = push->ended && n == left;
    if (rc == 0 && push->sent)
        rc = sl_adb_sync_done(&push->record, (uint32_t)time(NULL));
    return rc < 0 ? rc : write_record(push);
}

static void on_writable(void *user)
{
    struct sl_adb_push *push = user;
    int rc = 0;
    while (rc == 0 && !push->sent &&
           sl_adb_stream_unsent(push->stream) < SL_ADB_QUEUE_BYTES - RECORDS_BYTES)
        rc = send_some(push);
    if (rc < 0)
        fail(push, rc);
}

static void on_opened(void *user)
{
    struct sl_adb_push *push = user;
    const struct sl_adb_push_options *options = &push->options;
    unsigned packs = options->wire ? sl_adb_wire_packs(options->wire) : push->packs;
    int kind = sl_adb_pack_choose(options->plain ? 0 : packs);
    int rc = sl_adb_pack_new(kind, &push->pack);
    if (rc == 0)
        rc = kind == SL_ADB_PACK_NONE
                 ? sl_adb_sync_send(&push->record, push->path, options->mode)
                 : sl_adb_sync_send_packed(&push->record, push->path, options->mode, kind);
    if (rc == 0)
        rc = write_record(push); /* once it is gone, `writable` comes */
    if (rc < 0)
        fail(push, rc);
}

static void on_bytes(void *user, const uint8_t *bytes, size_t len)
{
    struct sl_adb_push *push = user;
    int rc = push->over ? 0 : sl_adb_sync_take(&push->answer, bytes, len);
    push->over = push->over || rc == 1;
    if (rc < 0)
        push->rc = rc;
    if (rc != 0)
        sl_adb_stream_close(push->stream);
}

static void free_push(struct sl_adb_push *push)
{
    if (push->fd >= 0)
        close(push->fd);
    sl_adb_pack_free(push->pack);
    sl_buf_fini(&push->record);
    sl_buf_fini(&push->packed);
    sl_buf_fini(&push->features);
    sl_free(push);
}

static void on_closed(void *user, int code, const char *reason)
{
    struct sl_adb_push *push = user;
    int rc = push->cancelled ? -ECANCELED : push->rc < 0 ? push->rc : code;
    if (rc == 0 && !(push->over && push->sent)) {
        rc = SL_E_TRUNCATED;
        reason = "the device went away while a file was sent";
    } else if (push->rc == SL_E_STATE) {
        reason = push->answer.reason;
    } else if (push->rc < 0) {
        reason = sl_strerror(push->rc);
    }
    push->done(push->user, rc, reason);
    free_push(push);
}

static int open_sync(struct sl_adb_push *push)
{
    static const struct sl_adb_stream_events events = {on_opened, on_bytes, on_writable, on_closed};
    const struct sl_adb_stream_options stream = {
        .wire = push->options.wire, .serial = push->serial, .service = "sync:", .idle_ms = IDLE_MS};
    return sl_adb_stream_open(push->loop, &stream, &events, push, &push->stream);
}

/* --- what a device behind a server has --- */

static void on_text(void *user, const char *text, size_t len)
{
    ((struct sl_adb_push *)user)->packs = sl_adb_packs(text, len);
}

static void on_features(void *user, const uint8_t *bytes, size_t len)
{
    struct sl_adb_push *push = user;
    if (sl_adb_texts_take(&push->texts, bytes, len, on_text, push) < 0)
        sl_adb_stream_close(push->stream); /* it goes without */
}

/* A server that does not tell is told so by the file service, if by nobody else. */
static void on_asked(void *user, int code, const char *reason)
{
    struct sl_adb_push *push = user;
    (void)code;
    (void)reason;
    int rc = push->cancelled ? -ECANCELED : open_sync(push);
    if (rc == 0)
        return;
    push->done(push->user, rc, sl_strerror(rc));
    free_push(push);
}

static int ask_features(struct sl_adb_push *push)
{
    static const struct sl_adb_stream_events events = {NULL, on_features, NULL, on_asked};
    char service[SL_ADB_SERIAL_BYTES + 32];
    snprintf(service, sizeof(service), "host-serial:%s:features", push->serial);
    const struct sl_adb_stream_options stream = {.service = service, .idle_ms = IDLE_MS};
    push->texts = (struct sl_adb_texts){.text = &push->features};
    return sl_adb_stream_open(push->loop, &stream, &events, push, &push->stream);
}

/* --- begin and end --- */

int sl_adb_push_start(uv_loop_t *loop, const struct sl_adb_push_options *options,
                      sl_adb_push_fn done, void *user, struct sl_adb_push **out)
{
    struct sl_adb_push *push = sl_calloc(1, sizeof(*push));
    if (!push)
        return -ENOMEM;
    push->loop = loop;
    push->options = *options;
    push->done = done;
    push->user = user;
    sl_buf_init(&push->record, RECORDS_BYTES);
    sl_buf_init(&push->packed, SL_ADB_SYNC_DATA_BYTES + SL_ADB_PACK_OUT_BYTES);
    sl_buf_init(&push->features, SL_ADB_MAX_TEXT);
    int len = snprintf(push->path, sizeof(push->path), "%s", options->to);
    int serial =
        snprintf(push->serial, sizeof(push->serial), "%s", options->serial ? options->serial : "");
    push->fd = open(options->from, O_RDONLY | O_CLOEXEC);
    int rc = push->fd < 0                                                            ? -errno
             : len >= (int)sizeof(push->path) || serial >= (int)sizeof(push->serial) ? -ENAMETOOLONG
                                                                                     : 0;
    if (rc == 0)
        rc = options->wire || options->plain ? open_sync(push) : ask_features(push);
    if (rc < 0) {
        free_push(push);
        return rc;
    }
    *out = push;
    return 0;
}

void sl_adb_push_stop(struct sl_adb_push *push)
{
    push->cancelled = true;
    sl_adb_stream_close(push->stream);
}
