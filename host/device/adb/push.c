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
#include "host/device/adb/stream.h"
#include "host/device/adb/sync_record.h"

enum { IDLE_MS = 30000 };

struct sl_adb_push {
    sl_adb_push_fn done;
    void *user;
    struct sl_adb_stream *stream;
    struct sl_adb_sync_answer answer;
    char path[SL_ADB_SYNC_PATH_BYTES];
    unsigned mode;
    int fd, rc;
    bool ended, over, cancelled; /* all is sent; the device has said so; stopped */
    struct sl_buf record;        /* the next to be sent */
    uint8_t data[SL_ADB_SYNC_DATA_BYTES];
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

/* The next piece of the file, or its end. */
static void on_writable(void *user)
{
    struct sl_adb_push *push = user;
    if (push->ended)
        return;
    ssize_t got = read(push->fd, push->data, sizeof(push->data));
    int rc = got < 0 ? -errno : 0;
    push->ended = got == 0;
    if (got > 0)
        rc = sl_adb_sync_data(&push->record, push->data, (size_t)got);
    else if (got == 0)
        rc = sl_adb_sync_done(&push->record, (uint32_t)time(NULL));
    if (rc == 0)
        rc = write_record(push);
    if (rc < 0)
        fail(push, rc);
}

static void on_opened(void *user)
{
    struct sl_adb_push *push = user;
    int rc = sl_adb_sync_send(&push->record, push->path, push->mode);
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

static void on_closed(void *user, int code, const char *reason)
{
    struct sl_adb_push *push = user;
    int rc = push->cancelled ? -ECANCELED : push->rc < 0 ? push->rc : code;
    if (rc == 0 && !(push->over && push->ended)) {
        rc = SL_E_TRUNCATED;
        reason = "the device went away while a file was sent";
    } else if (push->rc == SL_E_STATE) {
        reason = push->answer.reason;
    } else if (push->rc < 0) {
        reason = sl_strerror(push->rc);
    }
    push->done(push->user, rc, reason);
    close(push->fd);
    sl_buf_fini(&push->record);
    sl_free(push);
}

int sl_adb_push_start(uv_loop_t *loop, const struct sl_adb_push_options *options,
                      sl_adb_push_fn done, void *user, struct sl_adb_push **out)
{
    static const struct sl_adb_stream_events events = {on_opened, on_bytes, on_writable, on_closed};
    const struct sl_adb_stream_options stream = {
        .wire = options->wire, .serial = options->serial, .service = "sync:", .idle_ms = IDLE_MS};
    struct sl_adb_push *push = sl_calloc(1, sizeof(*push));
    if (!push)
        return -ENOMEM;
    push->done = done;
    push->user = user;
    push->mode = options->mode;
    sl_buf_init(&push->record, SL_ADB_SYNC_DATA_BYTES + SL_ADB_SYNC_PATH_BYTES);
    int len = snprintf(push->path, sizeof(push->path), "%s", options->to);
    push->fd = open(options->from, O_RDONLY | O_CLOEXEC);
    int rc = push->fd < 0 ? -errno : len >= (int)sizeof(push->path) ? -ENAMETOOLONG : 0;
    if (rc == 0)
        rc = sl_adb_stream_open(loop, &stream, &events, push, &push->stream);
    if (rc < 0) {
        if (push->fd >= 0)
            close(push->fd);
        sl_free(push);
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
